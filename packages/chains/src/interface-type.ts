import type { Steps } from '@countersign/collections';
import type { InterfaceBounds } from './parse-bounds.ts';
import type { ContractInterface } from './transaction.ts';

/** A kind of contract interface that an organization can store, by its wire name. */
export interface ContractInterfaceType {
  readonly type: `SMART_CONTRACT_INTERFACE_TYPE_${string}`;
  readonly kind: ContractInterface['kind'];
  /** The canonical address of a contract. Throws ChainError. */
  normalizeAddress(address: string): string;
  /** Reads a JSON text in steps. Throws ChainError unless it is a valid interface within the bounds. */
  readInSteps(json: string, bounds?: InterfaceBounds): Steps<unknown>;
}
