import type { PolicyValue } from '@countersign/policy';
import { invalidTransaction } from '../shared/refusal.ts';
import { WireReader } from './wire-reader.ts';

/** What a field of wire type 0 (an integer) or of wire type 2 (bytes after their length) holds. */
type FieldReader = IntegerReader | BytesReader;

interface Reader<Raw> {
  /** The value that proto3 expresses by leaving the field out. */
  readonly absent?: PolicyValue;
  /**
   * Throws ChainError INVALID_TRANSACTION. `what` names the field, and `maxItems` bounds lists in it.
   * INVARIANT: no two raw values give the same value, else one content would have two canonical forms.
   */
  read(raw: Raw, what: string, maxItems: number): PolicyValue;
}

export interface IntegerReader extends Reader<bigint> {
  readonly wire: 0;
}

export interface BytesReader extends Reader<Uint8Array> {
  readonly wire: 2;
}

export interface FieldSpec {
  readonly number: number;
  readonly name: string;
  readonly reader: FieldReader;
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

/**
 * Reads a message of exactly this type.
 * SECURITY: protobuf readers skip unknown fields, take the last of two values and accept padded integers, so two programs may
 * see different things in the same bytes. Here one content has one form: every field known and ascending, every integer in as few bytes
 * as it needs, no default written out.
 * SECURITY: D357: `maxItems` bounds each list, because printing an address takes tens of microseconds.
 */
export function readMessage(bytes: Uint8Array, spec: MessageSpec, maxItems = Number.POSITIVE_INFINITY): Content {
  const { fields } = spec;
  const wire = new WireReader(bytes, spec.name);
  const found: (PolicyValue[] | undefined)[] = fields.map(() => undefined);
  let canonical = true;
  let last = 0;
  while (!wire.atEnd) {
    const tag = wire.tag();
    const index = fields.findIndex(({ number, reader }) => tag === ((number << 3) | reader.wire));
    const field = fields[index];
    if (field === undefined)
      throw invalidTransaction(`${spec.name} has a field that is not supported: number ${wire.last >> 3n}`);
    const values = found[index] ?? [];
    if (values.length > 0 && !field.repeated) throw invalidTransaction(`${spec.name} has the field ${field.name} twice`);
    if (values.length === maxItems) throw invalidTransaction(`${spec.name} has more than ${maxItems} of ${field.name}`);
    const value = readField(wire, field, spec, maxItems);
    if (index < last || (!field.repeated && value === field.reader.absent)) canonical = false;
    values.push(value);
    found[index] = values;
    last = index;
  }
  const content = contentOf(found, spec);
  if (!canonical || !wire.shortest) throw invalidTransaction(`${spec.name} is not in canonical protobuf form`);
  return content;
}

function readField(wire: WireReader, { name, reader }: FieldSpec, spec: MessageSpec, maxItems: number): PolicyValue {
  const what = `the field ${name} of ${spec.name}`;
  return reader.wire === 0 ? reader.read(wire.integer(), what, maxItems) : reader.read(wire.delimited(), what, maxItems);
}

/** The values of fields by their names, and defaults for those that were left out. */
function contentOf(found: readonly (readonly PolicyValue[] | undefined)[], spec: MessageSpec): Content {
  const content: Record<string, PolicyValue> = {};
  spec.fields.forEach(({ name, reader, repeated, optional }, index) => {
    const values = found[index];
    const value = repeated ? (values ?? []) : (values?.[0] ?? reader.absent);
    if (value !== undefined) content[name] = value;
    else if (!optional) throw invalidTransaction(`${spec.name} has no ${name}`);
  });
  return content;
}
