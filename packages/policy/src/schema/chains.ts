import { type AddressKind, addressKinds } from '../types.ts';
import { bitcoin } from './bitcoin.ts';
import type { ChainSchema, CoinUnit } from './chain.ts';
import { ethereum } from './ethereum.ts';
import { solana } from './solana.ts';
import { tron } from './tron.ts';

/** Every chain of the language. A chain without a schema does not compile. */
export const chains: Readonly<Record<AddressKind, ChainSchema>> = { ethereum, solana, tron, bitcoin };

/** The schemas of all chains, in the order of the reference. */
export const chainSchemas: readonly ChainSchema[] = addressKinds.map((kind) => chains[kind]);

/** The units of coins by name. */
export const coinUnits: ReadonlyMap<string, CoinUnit> = new Map(
  addressKinds.flatMap((chain) =>
    chains[chain].units.map(({ name, decimals, ...rest }) => [name, Object.freeze({ name, decimals, chain, ...rest })]),
  ),
);

/** Whether a path is a namespace of the chain or a field in one. */
export function isPathOf({ namespaces }: ChainSchema, path: string): boolean {
  return namespaces.some((namespace) => path === namespace.path || path.startsWith(`${namespace.path}.`));
}

/** A path that identifies the chain of a policy: the id of the network, if the chain has one, or else its transaction. */
export function networkPath({ networkIds, namespaces }: ChainSchema): string {
  return networkIds?.paths[0] ?? namespaces[0].path;
}
