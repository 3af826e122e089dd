import type { PolicyValue } from '@countersign/policy';
import { bytesToHex } from '@noble/hashes/utils.js';
import { invalidTransaction } from '../../shared/refusal.ts';
import type { ByteReader } from '../byte-reader.ts';
import type { Idl } from './idl.ts';
import type { IdlDefinition, IdlFields, IdlType, ScalarName } from './idl-type.ts';

/** More values than a whole transaction has bytes. Only types without content can reach this number. */
const MAX_VALUES = 4096;

/** Counts the values of all instructions of a transaction. */
export interface DecodedValues {
  total: number;
}

/**
 * Decodes Borsh (https://borsh.io) by the types of an interface. Any bytes have at most one reading: flags are 0 or 1, text is
 * UTF-8, an enum's number names a variant.
 *
 * Integers become bigint, keys Base58, `bytes` hex, floats decimal text, structs Maps by field name, tuples lists. An enum
 * whose variants are all empty becomes the variant's name. Any other enum becomes a Map from that name to its content (`true`
 * if empty). A missing optional argument or field is absent. Within a list, an optional value is a list of none or one.
 */
export class BorshDecoder {
  readonly #idl: Idl;
  readonly #reader: ByteReader;
  readonly #decoded: DecodedValues;
  readonly #max: number;

  constructor(idl: Idl, reader: ByteReader, decoded: DecodedValues) {
    this.#idl = idl;
    this.#reader = reader;
    this.#decoded = decoded;
    this.#max = decoded.total + MAX_VALUES;
  }

  /** Fields by name. */
  named(fields: Exclude<IdlFields, { kind: 'positional' }>): ReadonlyMap<string, PolicyValue> {
    const members = new Map<string, PolicyValue>();
    if (fields.kind === 'unit') return members;
    for (const { name, type } of fields.fields) {
      const value = this.#value(type);
      if (value !== undefined) members.set(name, value);
    }
    return members;
  }

  #value(type: IdlType): PolicyValue | undefined {
    this.#decoded.total += 1;
    if (this.#decoded.total > this.#max) throw invalidTransaction(`the data decodes to more than ${MAX_VALUES} values`);
    switch (type.kind) {
      case 'scalar':
        return scalars[type.name](this.#reader);
      case 'option':
        return this.#flag(type.tagBytes) ? this.#item(type.of) : undefined;
      case 'vec':
        return this.#items(Number(this.#reader.unsigned(4)), type.of);
      case 'array':
        return this.#items(type.length, type.of);
      case 'tuple':
        return type.items.map((item) => this.#item(item));
      case 'defined':
        return this.#defined(this.#idl.types.get(type.name) as IdlDefinition);
    }
  }

  /** A value that cannot be left out. */
  #item(type: IdlType): PolicyValue {
    const value = this.#value(type);
    if (!this.#isOption(type)) return value as PolicyValue;
    return value === undefined ? [] : [value];
  }

  #isOption(type: IdlType): boolean {
    if (type.kind !== 'defined') return type.kind === 'option';
    const definition = this.#idl.types.get(type.name);
    return definition?.kind === 'alias' && this.#isOption(definition.type);
  }

  #items(length: number, of: IdlType): readonly PolicyValue[] {
    const items: PolicyValue[] = [];
    for (let index = 0; index < length; index++) items.push(this.#item(of));
    return items;
  }

  #defined(definition: IdlDefinition): PolicyValue | undefined {
    if (definition.kind === 'alias') return this.#value(definition.type);
    if (definition.kind === 'struct') {
      return definition.fields.kind === 'unit' ? new Map() : this.#content(definition.fields);
    }
    const variant = definition.variants[this.#reader.u8()];
    if (variant === undefined) throw invalidTransaction('the data names an enum variant that the interface does not have');
    if (definition.variants.every(({ fields }) => fields.kind === 'unit')) return variant.name;
    return new Map([[variant.name, this.#content(variant.fields)]]);
  }

  #content(fields: IdlFields): PolicyValue {
    if (fields.kind === 'unit') return true;
    return fields.kind === 'positional' ? fields.items.map((item) => this.#item(item)) : this.named(fields);
  }

  #flag(byteLength: number): boolean {
    return readFlag(this.#reader, byteLength);
  }
}

function readFlag(reader: ByteReader, byteLength: number): boolean {
  const flag = reader.unsigned(byteLength);
  if (flag > 1n) throw invalidTransaction('the data holds a flag that is neither 0 nor 1');
  return flag === 1n;
}

function readFloat(reader: ByteReader, byteLength: 4 | 8): string {
  const bytes = reader.take(byteLength);
  const view = new DataView(bytes.buffer, bytes.byteOffset, byteLength);
  const value = byteLength === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  // Borsh has no NaN, because NaN has many encodings.
  if (Number.isNaN(value)) throw invalidTransaction('the data holds a float that is not a number (NaN)');
  // String() prints -0 as 0, but two encodings must not look like one value.
  return Object.is(value, -0) ? '-0' : String(value);
}

const scalars: Readonly<Record<ScalarName, (reader: ByteReader) => PolicyValue>> = {
  bool: (reader) => readFlag(reader, 1),
  u8: (reader) => reader.unsigned(1),
  i8: (reader) => reader.signed(1),
  u16: (reader) => reader.unsigned(2),
  i16: (reader) => reader.signed(2),
  u32: (reader) => reader.unsigned(4),
  i32: (reader) => reader.signed(4),
  f32: (reader) => readFloat(reader, 4),
  u64: (reader) => reader.unsigned(8),
  i64: (reader) => reader.signed(8),
  f64: (reader) => readFloat(reader, 8),
  u128: (reader) => reader.unsigned(16),
  i128: (reader) => reader.signed(16),
  u256: (reader) => reader.unsigned(32),
  i256: (reader) => reader.signed(32),
  bytes: (reader) => bytesToHex(reader.take(Number(reader.unsigned(4)))),
  string: (reader) => reader.text(Number(reader.unsigned(4))),
  pubkey: (reader) => reader.key(),
};
