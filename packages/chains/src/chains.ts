import type { ChainId, ContractInterfaceTypeName, TransactionTypeName } from '@countersign/contract';
import { bitcoin } from './bitcoin/chain.ts';
import type { Chain } from './chain.ts';
import { ethereum } from './ethereum/chain.ts';
import type { ContractInterfaceType } from './interface-type.ts';
import { solana } from './solana/chain.ts';
import type { TransactionType } from './transaction.ts';
import { tron } from './tron/chain.ts';

/** Every chain that the service reads and signs for. A chain of the contract without an entry does not compile. */
export const chains: { readonly [Id in ChainId]: Chain<Id> } = Object.freeze({ ethereum, solana, tron, bitcoin });

/** The entries of the table, in the order in which addresses are tried. */
export const allChains: readonly Chain[] = Object.freeze(Object.values(chains));

/** Every transaction type that can be parsed and signed, by wire name. */
export const transactionTypes = Object.freeze(
  Object.fromEntries(allChains.map(({ transactionType, transaction }) => [transactionType, transaction])),
) as { readonly [Name in TransactionTypeName]: TransactionType };

/** Every contract interface that can be stored, by wire name. */
export const contractInterfaceTypes = Object.freeze(
  Object.fromEntries(allChains.flatMap(({ interfaces }) => interfaces.map((entry) => [entry.type, entry]))),
) as { readonly [Name in ContractInterfaceTypeName]: ContractInterfaceType };

const byAssetNamespace: ReadonlyMap<string, Chain> = new Map(allChains.map((chain) => [chain.assets.namespace, chain]));

/** The chain of an asset by its CAIP-19 name. Undefined for a chain that is not in the table. */
export function chainOfAsset(id: string): Chain | undefined {
  return byAssetNamespace.get(id.slice(0, id.indexOf(':')));
}
