import type { ChainClient } from '../chain-nodes/chain-client.ts';
import type { ChainNamespace } from '../config/chain-endpoints.ts';
import { ethereumChain } from './ethereum-chain.ts';
import type { FollowedChain } from './send-chain.ts';

/** The chains that the service sends on, by CAIP-2 namespace. */
export const sendChains = {
  eip155: ethereumChain,
} satisfies { readonly [Name in ChainNamespace]?: FollowedChain };

const followed: { readonly [Name in ChainNamespace]?: FollowedChain } = sendChains;

/** How transactions on the chain of these nodes are followed. */
export function followedChain({ chain, namespace }: Pick<ChainClient, 'chain' | 'namespace'>): FollowedChain {
  const found = followed[namespace];
  if (found === undefined) throw new TypeError(`the service sends no transactions on ${chain}`);
  return found;
}
