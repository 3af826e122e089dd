import type { AddressKind, StructType } from '../types.ts';
import type { Namespace } from './namespace.ts';

/** A unit of a chain's own coin: `1.5 ETH` is 1500000000000000000. */
export interface CoinUnit {
  readonly name: string;
  /** The number of base units in one unit, as a power of ten. */
  readonly decimals: number;
  readonly chain: AddressKind;
  readonly doc: string;
  readonly example: string;
}

/** One chain as the language describes it. The table is in `chains.ts`. */
export interface ChainSchema {
  /** The namespaces of the chain's signatures. The first is that of its transactions. */
  readonly namespaces: readonly [Namespace, ...Namespace[]];
  readonly units: readonly Omit<CoinUnit, 'chain'>[];
  /** CAIP-2 name of the network, if all transactions of the chain belong to one network. */
  readonly network?: string;
  /** Paths of the integer that identifies the network of a transaction or message, and a function from it to the CAIP-2 name. */
  readonly networkIds?: { readonly paths: readonly [string, ...string[]]; readonly toNetwork: (id: bigint) => string };
  /** Hexadecimal fields, by `Struct.field`: those whose values start with 0x, and those whose values do not. */
  readonly hexFields: { readonly prefixed: readonly string[]; readonly bare: readonly string[] };
  /** Fields that identify the token of an amount, by `Struct.field`. */
  readonly tokenFields: readonly string[];
  readonly address: AddressSchema;
}

interface AddressSchema {
  /** Matches an address in a field that can contain addresses of any chain. */
  readonly shape?: RegExp;
  /** Help for a literal that is not a valid address. */
  readonly help?: (text: string) => string | undefined;
  /** Accept invalid addresses in stored policies, because an earlier release stored them. They equal no value. */
  readonly acceptStoredInvalid?: true;
}

/** The namespace of a chain's transactions. */
export function transactionNamespace(
  path: string,
  type: StructType,
  rest: Required<Pick<Namespace, 'doc' | 'example'>> & Pick<Namespace, 'unsigned'>,
  /** The kinds of activity that send transactions of the chain. */
  sends: readonly string[] = [],
): Namespace {
  const onlyIn = new Set(['SIGN_TRANSACTION', ...sends]);
  return { path, field: 'condition', type, onlyIn, groups: ['signed'], transaction: true, ...rest };
}

/** The namespace of messages that are signed as raw payloads. */
export function messageNamespace(path: string, type: StructType, rest: Required<Pick<Namespace, 'doc' | 'example'>>): Namespace {
  return { path, field: 'condition', type, onlyIn: new Set(['SIGN_RAW_PAYLOAD']), groups: ['signed'], ...rest };
}
