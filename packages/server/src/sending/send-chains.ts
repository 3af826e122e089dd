import type { ChainClient } from '../chain-nodes/chain-client.ts';
import type { ChainNamespace } from '../config/chain-endpoints.ts';
import { bitcoinChain } from './bitcoin-chain.ts';
import { ethereumChain } from './ethereum-chain.ts';
import type { FollowedChain } from './send-chain.ts';
import { solanaChain } from './solana-chain.ts';
import { tronChain } from './tron-chain.ts';

/** The chains that the service sends on, by CAIP-2 namespace. */
export const sendChains = {
  eip155: ethereumChain,
  solana: solanaChain,
  tron: tronChain,
  bip122: bitcoinChain,
} satisfies { readonly [Name in ChainNamespace]?: FollowedChain };

const followed: { readonly [Name in ChainNamespace]?: FollowedChain } = sendChains;

/** How transactions on a chain are followed, by its CAIP-2 name. Undefined for chains that the service does not send on. */
export function followedChainOf(chain: string): FollowedChain | undefined {
  return followed[chain.slice(0, chain.indexOf(':')) as ChainNamespace];
}

/** How transactions on the chain of these nodes are followed. */
export function followedChain({ chain, namespace }: Pick<ChainClient, 'chain' | 'namespace'>): FollowedChain {
  const found = followed[namespace];
  if (found === undefined) throw new TypeError(`the service sends no transactions on ${chain}`);
  return found;
}
