import { ChainError } from '../errors.ts';
import { toHex } from '../shared/bytes.ts';
import type { ContractInterface, PolicyValue } from '../transaction.ts';
import { type AbiValue, decodeAbi } from './abi-codec.ts';
import type { AbiParameter, AbiType } from './abi-type.ts';
import { normalizeEthereumAddress, toChecksumAddress } from './address.ts';
import { type AbiFunction, type EthereumInterface, parseContractInterface, sameFunction } from './contract-interface.ts';

/** A call whose every byte is accounted for by a stored interface. */
export interface DecodedCall {
  readonly abi: AbiFunction;
  /** In the order of `abi.inputs`. */
  readonly values: readonly AbiValue[];
}

/** Why call data was not decoded, as one plain sentence. */
interface UndecodedCall {
  readonly reason: string;
}

/**
 * Decodes call data against the interfaces stored for `to` (an address in lower case). Never throws for bad data:
 * whatever is not exactly the encoding of one known function is undecoded, and nothing of it is shown as decoded.
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
    // Only a fault in the data or in a stored interface makes the call undecoded; a bug of ours must stay visible.
    if (!(error instanceof ChainError)) throw error;
    return { reason: `The call data does not fit the interface stored for ${shown}: ${error.message}.` };
  }
}

/**
 * The arguments as policies see them: by parameter name, or by position ("0", "1", …) where a parameter has no name.
 * A tuple is a map by the same rule; inside of an array, tuples are lists by position.
 */
export function callArguments({ abi, values }: DecodedCall): ReadonlyMap<string, PolicyValue> {
  return named(abi.inputs, values);
}

/**
 * The names of the arguments that hold raw bytes, alone or inside of arrays and tuples. Contracts take whole calls in such
 * arguments (`multicall`, `execTransaction`), so a decoded outer call says nothing about what they do.
 */
export function rawArguments({ abi, values }: DecodedCall): readonly string[] {
  return abi.inputs.flatMap(({ name, type }, index) => (holdsRawBytes(type, values[index] ?? '') ? [name || String(index)] : []));
}

const parsed = new WeakMap<ContractInterface, EthereumInterface>();

/** Stored interfaces do not change, so each object is read once; the map holds nothing alive. */
function interfaceOf(stored: ContractInterface): EthereumInterface {
  const known = parsed.get(stored) ?? parseContractInterface(stored.json);
  parsed.set(stored, known);
  return known;
}

function isAddress(candidate: string, address: string): boolean {
  try {
    return normalizeEthereumAddress(candidate) === address;
  } catch {
    // A malformed address is the address of no contract.
    return false;
  }
}

function named(parameters: readonly AbiParameter[], values: readonly AbiValue[]): ReadonlyMap<string, PolicyValue> {
  return new Map(parameters.map(({ name, type }, index) => [name || String(index), policyValue(type, values[index] ?? '')]));
}

function policyValue({ shape }: AbiType, value: AbiValue): PolicyValue {
  // An array holds its tuples as the lists that the codec made of them.
  return shape.kind === 'tuple' && typeof value === 'object' ? named(shape.members, value) : value;
}

function holdsRawBytes({ shape }: AbiType, value: AbiValue): boolean {
  if (shape.kind === 'bytes') return value !== '0x';
  if (typeof value !== 'object') return false;
  if (shape.kind === 'array') return value.some((item) => holdsRawBytes(shape.element, item));
  return shape.kind === 'tuple' && shape.members.some(({ type }, index) => holdsRawBytes(type, value[index] ?? ''));
}
