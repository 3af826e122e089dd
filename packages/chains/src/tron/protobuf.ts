import { equalBytes } from '@noble/curves/utils.js';
import { concat } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import type { PolicyValue } from '../transaction.ts';

/** Wire type 0: a variable-length integer. Wire type 2: a length and that many bytes. */
type Wire = 0 | 2;

/** How to write one kind of value. `absent` is the value that proto3 expresses by leaving the field out. */
export interface FieldCoder {
  readonly wire: Wire;
  readonly absent?: PolicyValue;
  /** Throws ChainError INVALID_TRANSACTION. `what` names the field. */
  fromWire(raw: bigint | Uint8Array, what: string): PolicyValue;
  toWire(value: PolicyValue): bigint | Uint8Array;
}

export interface FieldSpec {
  readonly number: number;
  readonly name: string;
  readonly coder: FieldCoder;
  readonly repeated?: true;
  /** Set when a value without a default may still be missing. */
  readonly optional?: true;
}

/** A message type as data. Fields are in ascending order of their numbers. */
export interface MessageSpec {
  readonly name: string;
  readonly fields: readonly FieldSpec[];
}

/** The content of a message by field name. */
export type Content = { readonly [field: string]: PolicyValue };

const MAX_UINT64 = (1n << 64n) - 1n;

/**
 * Reads a message of exactly this type.
 * SECURITY: protobuf readers skip unknown fields, take the last of two values and accept padded integers, so two programs may
 * see different things in the same bytes. Here the bytes must equal what writing the result gives.
 */
export function decodeMessage(bytes: Uint8Array, spec: MessageSpec): Content {
  const found = readFields(bytes, spec);
  const content: Record<string, PolicyValue> = {};
  for (const { name, coder, repeated, optional } of spec.fields) {
    const values = found.get(name) ?? [];
    const value = repeated ? values : (values[0] ?? coder.absent);
    if (value !== undefined) content[name] = value;
    else if (!optional) throw invalidTransaction(`${spec.name} has no ${name}`);
  }
  if (!equalBytes(encodeMessage(content, spec), bytes))
    throw invalidTransaction(`${spec.name} is not in canonical protobuf form`);
  return content;
}

/** Writes a message in canonical form: ascending fields, shortest integers, no defaults. */
export function encodeMessage(content: Content, spec: MessageSpec): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { number, name, coder, repeated } of spec.fields) {
    const value = content[name];
    if (value === undefined || (!repeated && value === coder.absent)) continue;
    for (const item of repeated ? (value as readonly PolicyValue[]) : [value]) {
      const raw = coder.toWire(item);
      parts.push(encodeVarint(tagOf(number, coder.wire)));
      if (typeof raw === 'bigint') parts.push(encodeVarint(raw));
      else parts.push(encodeVarint(BigInt(raw.length)), raw);
    }
  }
  return concat(parts);
}

function readFields(bytes: Uint8Array, spec: MessageSpec): ReadonlyMap<string, readonly PolicyValue[]> {
  const fields = new Map<string, PolicyValue[]>();
  let position = 0;

  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[position++];
      if (byte === undefined) throw invalidTransaction(`${spec.name} ends too early`);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (value > MAX_UINT64) break;
      return value;
    }
    throw invalidTransaction(`${spec.name} holds an integer of more than 64 bits`);
  }

  function delimited(): Uint8Array {
    const length = varint();
    if (length > BigInt(bytes.length - position)) throw invalidTransaction(`${spec.name} ends too early`);
    position += Number(length);
    return bytes.subarray(position - Number(length), position);
  }

  while (position < bytes.length) {
    const tag = varint();
    const field = spec.fields.find(({ number, coder }) => tag === tagOf(number, coder.wire));
    if (field === undefined) throw invalidTransaction(`${spec.name} has a field that is not supported: number ${tag >> 3n}`);
    const values = fields.get(field.name) ?? [];
    if (values.length > 0 && !field.repeated) throw invalidTransaction(`${spec.name} has the field ${field.name} twice`);
    const raw = field.coder.wire === 0 ? varint() : delimited();
    values.push(field.coder.fromWire(raw, `the field ${field.name} of ${spec.name}`));
    fields.set(field.name, values);
  }
  return fields;
}

function tagOf(number: number, wire: Wire): bigint {
  return BigInt((number << 3) | wire);
}

function encodeVarint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}
