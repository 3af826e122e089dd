import type { PolicyValue } from '@countersign/policy';
import { normalizeEthereumAddress, toChecksumAddress } from '../addresses/ethereum.ts';
import { ChainError } from '../errors.ts';
import { toHex } from '../shared/bytes.ts';
import type { ContractInterface } from '../transaction.ts';
import { type AbiValue, decodeAbi } from './abi-codec.ts';
import type { AbiParameter, AbiType } from './abi-type.ts';
import { type AbiFunction, type EthereumInterface, parseContractInterface, sameFunction } from './contract-interface.ts';

/** A decoded call. The stored interface decodes all bytes. */
export interface DecodedCall {
  readonly abi: AbiFunction;
  /** In the order of `abi.inputs`. */
  readonly values: readonly AbiValue[];
}

/** Why call data was not decoded, in one plain sentence. */
export interface UndecodedCall {
  readonly reason: string;
  /** Whether an interface is stored that should have decoded it. */
  readonly stored: boolean;
}

/**
 * Decodes call data against the interfaces stored for `to` (a lower-case address). Never throws for bad data: data that is not
 * exactly the encoding of one known function stays undecoded, and no part of it counts as decoded.
 */
export function decodeCall(to: string, data: Uint8Array, interfaces: readonly ContractInterface[]): DecodedCall | UndecodedCall {
  if (data.length < 4) return { reason: 'The call data is shorter than a function selector.', stored: false };
  const stored = interfacesOf(to, interfaces);
  if (stored.length === 0)
    return { reason: `No interface is stored for ${toChecksumAddress(to)}, so its call data was not decoded.`, stored: false };
  try {
    const selector = toHex(data.subarray(0, 4));
    const [abi, ...others] = stored.flatMap((candidate) => interfaceOf(candidate).functions.get(selector) ?? []);
    if (abi === undefined) {
      return {
        reason: `The interface stored for ${toChecksumAddress(to)} has no function with the selector ${selector}.`,
        stored: true,
      };
    }
    if (!others.every((other) => sameFunction(abi, other))) {
      return {
        reason: `The interfaces stored for ${toChecksumAddress(to)} disagree about the function with the selector ${selector}.`,
        stored: true,
      };
    }
    const types = abi.inputs.map(({ type }) => type);
    return { abi, values: decodeAbi(types, data.subarray(4)) };
  } catch (error) {
    // An error in the data or in a stored interface leaves the call undecoded. Our own bugs must stay visible.
    if (!(error instanceof ChainError)) throw error;
    return {
      reason: `The call data does not fit the interface stored for ${toChecksumAddress(to)}: ${error.message}.`,
      stored: true,
    };
  }
}

/**
 * The arguments as policies see them: by parameter name, or by position ("0", "1", …) where a parameter has no name.
 * The same rule makes a tuple a map. Inside an array, tuples are lists by position.
 */
export function callArguments({ abi, values }: DecodedCall): ReadonlyMap<string, PolicyValue> {
  return named(abi.inputs, values);
}

/** An argument that holds raw bytes, alone or inside arrays and tuples. */
interface RawArgument {
  readonly name: string;
  readonly bytes: number;
}

/**
 * The arguments that hold raw bytes. Contracts take whole calls in such arguments (`multicall`, `execTransaction`), so decoding the
 * outer call does not tell what those bytes do.
 */
export function rawArguments({ abi, values }: DecodedCall): readonly RawArgument[] {
  return abi.inputs.flatMap(({ name, type }, index) => {
    const bytes = countRawBytes(type, values[index] ?? '');
    return bytes > 0 ? [{ name: name || String(index), bytes }] : [];
  });
}

/** The interfaces stored for `to` (a lower-case address), without broken ones. */
export function storedInterfaces(to: string, interfaces: readonly ContractInterface[]): readonly EthereumInterface[] {
  return interfacesOf(to, interfaces).flatMap((stored) => {
    try {
      return [interfaceOf(stored)];
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return [];
    }
  });
}

const parsed = new WeakMap<ContractInterface, EthereumInterface>();

/** Stored interfaces never change, so each object is parsed once. The weak map keeps no interface alive. */
function interfaceOf(stored: ContractInterface): EthereumInterface {
  const known = parsed.get(stored) ?? parseContractInterface(stored.json);
  parsed.set(stored, known);
  return known;
}

function interfacesOf(to: string, interfaces: readonly ContractInterface[]): readonly ContractInterface[] {
  return interfaces.filter((candidate) => candidate.kind === 'ethereum' && interfaceAddress(candidate) === to);
}

const addresses = new WeakMap<ContractInterface, string>();

/** The lower-case address that an interface is stored for. A malformed one is empty, so it matches no contract. */
export function interfaceAddress(stored: ContractInterface): string {
  const known = addresses.get(stored);
  if (known !== undefined) return known;
  const address = normalized(stored.address);
  addresses.set(stored, address);
  return address;
}

function normalized(address: string): string {
  try {
    return normalizeEthereumAddress(address);
  } catch {
    // The only possible error: the address is malformed.
    return '';
  }
}

function named(parameters: readonly AbiParameter[], values: readonly AbiValue[]): ReadonlyMap<string, PolicyValue> {
  return new Map(parameters.map(({ name, type }, index) => [name || String(index), policyValue(type, values[index] ?? '')]));
}

function policyValue({ shape }: AbiType, value: AbiValue): PolicyValue {
  // Inside an array, tuples stay the lists that the codec made.
  return shape.kind === 'tuple' && typeof value === 'object' ? named(shape.members, value) : value;
}

function countRawBytes({ shape }: AbiType, value: AbiValue): number {
  if (shape.kind === 'bytes' && typeof value === 'string') return (value.length - 2) / 2;
  if (typeof value !== 'object') return 0;
  if (shape.kind === 'array') return value.reduce<number>((sum, item) => sum + countRawBytes(shape.element, item), 0);
  if (shape.kind !== 'tuple') return 0;
  return shape.members.reduce((sum, { type }, index) => sum + countRawBytes(type, value[index] ?? ''), 0);
}
