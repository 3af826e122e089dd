import { type Chain, chains, isAddress } from '@countersign/chains';
import { chainNamespace } from '../../config/chain-endpoints.ts';
import type { Resource } from '../../organizations/records.ts';
import type { QueryContext } from '../../pipeline/query.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';

/** Names that published clients use in addition to those of CAIP-2. */
const aliases: Readonly<Record<string, string>> = {
  'solana:mainnet': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana:devnet': 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
};

/** A CAIP-2 name, from one that published clients use. A whole genesis hash of Solana is cut to 32 characters. */
export function canonicalChain(caip2: string): string {
  return aliases[caip2] ?? (/^solana:.{43,44}$/.test(caip2) ? caip2.slice(0, 'solana:'.length + 32) : caip2);
}

/** The entry of a chain by its CAIP-2 name. */
export function chainEntry(caip2: string): Chain {
  const namespace = chainNamespace(caip2);
  const entry = Object.values(chains).find(({ assets }) => assets.namespace === namespace);
  if (entry === undefined) throw invalidField('caip2', 'is not a chain that this server can connect to');
  return entry as Chain;
}

/**
 * The wallet account with an address on a chain.
 * SECURITY: D765: only addresses of the organization. Otherwise the operator's node would be everybody's.
 */
export async function ownAccount(
  { resources, organization }: Pick<QueryContext, 'resources' | 'organization'>,
  chain: Chain,
  address: string,
): Promise<Resource<'walletAccount'>['body'] | undefined> {
  if (!isAddress(address)) throw invalidField('address', 'is not an address');
  const accounts = await resources.accountsOf(organization.id, address);
  return accounts.find(({ body }) => (chain.addresses.formats as readonly string[]).includes(body.addressFormat))?.body;
}

/** The same, for an account that must exist. */
export async function requireAccount(
  context: Pick<QueryContext, 'resources' | 'organization'>,
  chain: Chain,
  address: string,
): Promise<Resource<'walletAccount'>['body']> {
  const account = await ownAccount(context, chain, address);
  if (account === undefined) throw notFound('wallet account with this address on the chain', 'address');
  return account;
}
