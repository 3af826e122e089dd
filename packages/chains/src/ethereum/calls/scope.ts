import type { Asset } from '../../effects/effect.ts';
import type { AbiFunction } from '../contract-interface.ts';
import { parseSignature } from './abi-signature.ts';
import type { Arguments } from './arguments.ts';
import type { Findings } from './findings.ts';

/** A message call: `from` is who the called contract sees as its caller. Addresses are lower-case. */
export interface Call {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** The coins that a router has left of the value that it was sent. Its inner calls share them. */
  readonly purse?: Purse;
}

export interface Purse {
  coins: bigint;
}

/** What the reading of a call needs and what it reports to. */
export interface CallScope {
  readonly chainId: bigint | undefined;
  readonly found: Findings;
  readonly coin: Asset;
  /** An ERC-20 token. Records a doubt if neither a list nor an interface confirms that the contract is a token. */
  token(address: string): Asset;
  /** A token of a collection or, without an id, the collection. Records a doubt if neither a list nor an interface confirms the contract. */
  collection(standard: 'erc721' | 'erc1155', address: string, tokenId?: bigint): Asset;
  /** Reads a call that a contract makes because of this one. */
  open(call: Call): void;
  /** Reads something inside of this call, as deep as an opened call is. */
  nest(at: string, bytes: number, read: () => void): void;
  /** Takes one step of the budget that bounds all opened calls. False, with a doubt and an UNKNOWN effect, when it is used up. */
  step(at: string, bytes: number): boolean;
  /** Counts values that a descriptor selects. Throws ChainError INVALID_TRANSACTION beyond the bound of new requests. */
  countDescribed(values: number): void;
  /** Reports bytes that no parser understood. `words` are those of a stored descriptor. */
  unknown(what: string, at: string, bytes: number, reason: string, words?: string): void;
  /** Notes a doubt unless the organization vouches for the contract by a stored interface with this function. */
  vouch(call: Call, what: string): void;
}

/** A function that is understood without any upload. */
export interface BuiltIn {
  readonly abi: AbiFunction;
  read(args: Arguments, call: Call, scope: CallScope): void;
}

/** Functions by selector. */
export interface FunctionTable extends Iterable<readonly [string, BuiltIn]> {
  get(selector: string): BuiltIn | undefined;
}

/** A table from written signatures, each with what it does. */
export function functionTable(functions: { readonly [signature: string]: BuiltIn['read'] }): FunctionTable {
  return lazyTable(() =>
    Object.entries(functions).map(([signature, read]) => {
      const abi = parseSignature(signature);
      return [abi.selector, { abi, read }] as const;
    }),
  );
}

/** One table of several. Of functions with the same selector, the last one counts. */
export function joinTables(...tables: readonly FunctionTable[]): FunctionTable {
  return lazyTable(() => tables.flatMap((table) => [...table]));
}

/** Made on first use: hashing the signatures takes a noticeable part of the start of a service. */
function lazyTable(entries: () => readonly (readonly [string, BuiltIn])[]): FunctionTable {
  let made: ReadonlyMap<string, BuiltIn> | undefined;
  const table = () => {
    made ??= new Map(entries());
    return made;
  };
  return { get: (selector) => table().get(selector), [Symbol.iterator]: () => table().entries() };
}

/** More items than a person can judge. Beyond it a list stays unread. */
export const maxItems = 200;
