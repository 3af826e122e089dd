import { ChainError } from '../errors.ts';
import { toHex } from '../shared/bytes.ts';
import type { ContractInterface, PolicyValue } from '../transaction.ts';
import { type AbiValue, decodeAbi } from './abi-codec.ts';
import type { AbiParameter, AbiType } from './abi-type.ts';
import { normalizeEthereumAddress, toChecksumAddress } from './address.ts';
import { type AbiFunction, type EthereumInterface, parseContractInterface, sameFunction } from './contract-interface.ts';

/** A decoded call. The stored interface accounts for every byte. */
export interface DecodedCall {
  readonly abi: AbiFunction;
  /** In the order of `abi.inputs`. */
  readonly values: readonly AbiValue[];
}

/** Why call data was not decoded, in one plain sentence. */
interface UndecodedCall {
  readonly reason: string;
}

/**
 * Decodes call data against the interfaces stored for `to` (a lower-case address). Never throws for bad data: data that is not
 * exactly the encoding of one known function stays undecoded, and no part of it counts as decoded.
 */
export function decodeCall(to: string, data: Uint8Array, interfaces: readonly ContractInterface[]): DecodedCall | UndecodedCall {
  const shown = toChecksumAddress(to);
  if (data.length < 4) return { reason: 'The call data is shorter than a function selector.' };
  const stored = interfaces.filter((candidate) => candidate.kind === 'ethereum' && isAddress(candidate.address, to));
  if (stored.length === 0) return { reason: `No interface is stored for ${shown}, so its call data was not decoded.` };
  try {
    const selector = toHex(data.subarray(0, 4));
    const [abi, ...others] = stored.flatMap((candidate) => interfaceOf(candidate).functions.get(selector) ?? []);
    if (abi === undefined) return { reason: `The interface stored for ${shown} has no function with the selector ${selector}.` };
    if (!others.every((other) => sameFunction(abi, other))) {
      return { reason: `The interfaces stored for ${shown} disagree about the function with the selector ${selector}.` };
    }
    const types = abi.inputs.map(({ type }) => type);
    return { abi, values: decodeAbi(types, data.subarray(4)) };
  } catch (error) {
    // A fault in the data or in a stored interface leaves the call undecoded. Our own bugs must stay visible.
    if (!(error instanceof ChainError)) throw error;
    return { reason: `The call data does not fit the interface stored for ${shown}: ${error.message}.` };
  }
}

/**
 * The arguments as policies see them: by parameter name, or by position ("0", "1", …) where a parameter has no name.
 * The same rule makes a tuple a map. Inside an array, tuples are lists by position.
 */
export function callArguments({ abi, values }: DecodedCall): ReadonlyMap<string, PolicyValue> {
  return named(abi.inputs, values);
}

/**
 * The names of arguments that hold raw bytes, alone or inside arrays and tuples. Contracts take whole calls in such arguments
 * (`multicall`, `execTransaction`), so decoding the outer call does not tell what those bytes do.
 */
export function rawArguments({ abi, values }: DecodedCall): readonly string[] {
  return abi.inputs.flatMap(({ name, type }, index) => (holdsRawBytes(type, values[index] ?? '') ? [name || String(index)] : []));
}

const parsed = new WeakMap<ContractInterface, EthereumInterface>();

/** Stored interfaces never change, so each object is parsed once. The weak map keeps no interface alive. */
function interfaceOf(stored: ContractInterface): EthereumInterface {
  const known = parsed.get(stored) ?? parseContractInterface(stored.json);
  parsed.set(stored, known);
  return known;
}

function isAddress(candidate: string, address: string): boolean {
  try {
    return normalizeEthereumAddress(candidate) === address;
  } catch {
    // A malformed address matches no contract.
    return false;
  }
}

function named(parameters: readonly AbiParameter[], values: readonly AbiValue[]): ReadonlyMap<string, PolicyValue> {
  return new Map(parameters.map(({ name, type }, index) => [name || String(index), policyValue(type, values[index] ?? '')]));
}

function policyValue({ shape }: AbiType, value: AbiValue): PolicyValue {
  // Inside an array, tuples stay the lists that the codec made.
  return shape.kind === 'tuple' && typeof value === 'object' ? named(shape.members, value) : value;
}

function holdsRawBytes({ shape }: AbiType, value: AbiValue): boolean {
  if (shape.kind === 'bytes') return value !== '0x';
  if (typeof value !== 'object') return false;
  if (shape.kind === 'array') return value.some((item) => holdsRawBytes(shape.element, item));
  return shape.kind === 'tuple' && shape.members.some(({ type }, index) => holdsRawBytes(type, value[index] ?? ''));
}
