import type { PolicyValue } from '@countersign/policy';
import { ChainError } from '../../errors.ts';
import { toHex } from '../../shared/bytes.ts';
import type { ContractInterface, ParseContext } from '../../transaction.ts';
import { type AbiValue, decodeAbi } from '../abi-codec.ts';
import type { AbiParameter, AbiType } from '../abi-type.ts';
import { interfaceAddress, rawArguments } from '../call-data.ts';
import type { Call } from '../calls/scope.ts';
import { type Descriptor, parseDescriptor } from './descriptor.ts';
import { type Shown, showFields } from './show-fields.ts';

/** A call in the words of a descriptor. */
interface DescribedCall {
  readonly text: string;
  /** The number of bytes in its arguments that no parser understood. */
  readonly rawBytes: number;
}

/**
 * A call as the descriptor that the organization stored for its contract describes it. Undefined if there is no descriptor for this
 * chain and function, if several disagree, or if the data is not exactly the encoding of the function.
 */
export function describeCall(
  call: Call,
  scope: Shown['scope'],
  { interfaces, tokens }: Pick<ParseContext, 'interfaces' | 'tokens'>,
): DescribedCall | undefined {
  const selector = toHex(call.data.subarray(0, 4));
  const [found, ...others] = descriptorsOf(call.to, scope.chainId, interfaces).flatMap(
    ({ functions }) => functions.get(selector) ?? [],
  );
  if (found === undefined || others.length > 0) return undefined;
  const { abi, format } = found;
  let values: readonly AbiValue[];
  try {
    const types = abi.inputs.map(({ type }) => type);
    values = decodeAbi(types, call.data.subarray(4));
  } catch (error) {
    // The data does not fit the function. Rethrow anything else: it is a bug.
    if (!(error instanceof ChainError)) throw error;
    return undefined;
  }
  const container = new Map<string, PolicyValue>([
    ['value', call.value],
    ['from', call.from],
    ['to', call.to],
  ]);
  return {
    text: showFields(format, abi.name, { values: named(abi.inputs, values), container, scope, tokens }),
    rawBytes: rawArguments({ abi, values }).reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Whether the organization stored a descriptor for the contract on this chain. */
export function isDescribed(address: string, chainId: bigint | undefined, interfaces: readonly ContractInterface[]): boolean {
  return descriptorsOf(address, chainId, interfaces).length > 0;
}

const parsed = new WeakMap<ContractInterface, Descriptor | undefined>();

/** The descriptors stored for a contract that also name it themselves, on this chain. A broken descriptor counts as none. */
export function descriptorsOf(
  address: string,
  chainId: bigint | undefined,
  interfaces: readonly ContractInterface[],
): readonly Descriptor[] {
  return interfaces.flatMap((stored) => {
    if (stored.kind !== 'erc7730' || interfaceAddress(stored) !== address) return [];
    const descriptor = descriptorIn(stored);
    const names = descriptor?.deployments.some((each) => each.chainId === chainId && each.address === address);
    return descriptor !== undefined && names === true ? [descriptor] : [];
  });
}

/** Stored descriptors never change, so each object is parsed once. The weak map keeps none alive. */
function descriptorIn(stored: ContractInterface): Descriptor | undefined {
  if (parsed.has(stored)) return parsed.get(stored);
  const descriptor = orUndefined(() => parseDescriptor(stored.json));
  parsed.set(stored, descriptor);
  return descriptor;
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return undefined;
  }
}

/** Arguments with the names of their parameters, also inside arrays. */
function named(parameters: readonly AbiParameter[], values: readonly AbiValue[]): ReadonlyMap<string, PolicyValue> {
  return new Map(parameters.map(({ name, type }, index) => [name || String(index), namedValue(type, values[index] ?? '')]));
}

function namedValue({ shape }: AbiType, value: AbiValue): PolicyValue {
  if (typeof value !== 'object') return value;
  if (shape.kind === 'tuple') return named(shape.members, value);
  return shape.kind === 'array' ? value.map((item) => namedValue(shape.element, item)) : value;
}
