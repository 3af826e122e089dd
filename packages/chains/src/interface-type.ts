import type { ContractInterface } from './transaction.ts';

/** A kind of contract interface that an organization can store, by its wire name. */
export interface ContractInterfaceType {
  readonly type: `SMART_CONTRACT_INTERFACE_TYPE_${string}`;
  readonly kind: ContractInterface['kind'];
  /** The canonical address of a contract. Throws ChainError. */
  normalizeAddress(address: string): string;
  /** Throws ChainError unless the JSON text is a valid interface. */
  parse(json: string): unknown;
}
