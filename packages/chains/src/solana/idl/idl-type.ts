import type { ExactJsonValue } from '@countersign/strict-json';
import { invalidInterface } from '../../shared/refusal.ts';
import { asList, asObject, nameOf, requireUnique } from './json-shape.ts';

/** The type of an argument or field. */
export type IdlType =
  | { readonly kind: 'scalar'; readonly name: ScalarName }
  /** Borsh marks an optional value with one byte, the `COption` of native programs with four. */
  | { readonly kind: 'option'; readonly of: IdlType; readonly tagBytes: 1 | 4 }
  | { readonly kind: 'vec'; readonly of: IdlType }
  | { readonly kind: 'array'; readonly of: IdlType; readonly length: number }
  | { readonly kind: 'tuple'; readonly items: readonly IdlType[] }
  | { readonly kind: 'defined'; readonly name: string };

interface IdlField {
  readonly name: string;
  readonly type: IdlType;
}

/** Fields by name, fields by position, or none. */
export type IdlFields =
  | { readonly kind: 'named'; readonly fields: readonly IdlField[] }
  | { readonly kind: 'positional'; readonly items: readonly IdlType[] }
  | { readonly kind: 'unit' };

/** A named type that the interface defines. */
export type IdlDefinition =
  | { readonly kind: 'struct'; readonly fields: IdlFields }
  | { readonly kind: 'enum'; readonly variants: readonly { readonly name: string; readonly fields: IdlFields }[] }
  | { readonly kind: 'alias'; readonly type: IdlType };

const scalarNames = [
  'bool',
  'u8',
  'i8',
  'u16',
  'i16',
  'u32',
  'i32',
  'f32',
  'u64',
  'i64',
  'f64',
  'u128',
  'i128',
  'u256',
  'i256',
  'bytes',
  'string',
  'pubkey',
] as const;

export type ScalarName = (typeof scalarNames)[number];

const MAX_ARRAY_LENGTH = 65_536n;
const MAX_VARIANTS = 256;

/** Reads a type expression such as `"u64"`, `{"vec": "u8"}` or `{"defined": {"name": "Side"}}`. */
function parseIdlType(value: ExactJsonValue | undefined): IdlType {
  if (typeof value === 'string') return parseScalar(value);
  const object = asObject(value, 'a type');
  const [form, inner] = [...object][0] ?? [];
  if (object.size !== 1 || form === undefined) throw invalidInterface('a type must be an object with exactly one key');
  switch (form) {
    case 'option':
      return { kind: 'option', of: parseIdlType(inner), tagBytes: 1 };
    case 'coption':
      return { kind: 'option', of: parseIdlType(inner), tagBytes: 4 };
    case 'vec':
      return { kind: 'vec', of: parseIdlType(inner) };
    case 'tuple':
      return { kind: 'tuple', items: asList(inner, 'a tuple type').map(parseIdlType) };
    case 'array':
      return parseArray(inner);
    case 'defined':
      return { kind: 'defined', name: parseReference(inner) };
    default:
      throw invalidInterface(`the type form ${JSON.stringify(form)} is not supported`);
  }
}

/** Reads the fields of a struct, an enum variant or an instruction. `what` names the owner. */
export function parseIdlFields(value: ExactJsonValue | undefined, what: string): IdlFields {
  if (value === undefined || value === null) return { kind: 'unit' };
  const items = asList(value, `the fields of ${what}`);
  if (items.length === 0) return { kind: 'unit' };
  // A field is an object with a name. Anything else in the list is a bare type.
  const named = items.map((item) => item instanceof Map && item.has('name') && item.has('type'));
  if (!named.includes(true)) return { kind: 'positional', items: items.map(parseIdlType) };
  const fields = items.map((item) => {
    const field = asObject(item, `a field of ${what}`);
    return { name: nameOf(field, `a field of ${what}`), type: parseIdlType(field.get('type')) };
  });
  requireUnique(
    fields.map(({ name }) => name),
    what,
  );
  return { kind: 'named', fields };
}

/** Reads the body of a defined type. */
export function parseIdlDefinition(value: ExactJsonValue | undefined, what: string): IdlDefinition {
  const body = asObject(value, `the type ${what}`);
  switch (body.get('kind')) {
    case 'struct':
      return { kind: 'struct', fields: parseIdlFields(body.get('fields'), what) };
    case 'enum':
      return { kind: 'enum', variants: parseVariants(body.get('variants'), what) };
    case 'type':
      return { kind: 'alias', type: parseIdlType(body.get('alias')) };
    case 'alias':
      return { kind: 'alias', type: parseIdlType(body.get('value')) };
    default:
      throw invalidInterface(`the type ${what} is neither a struct, an enum nor an alias`);
  }
}

function parseScalar(text: string): IdlType {
  // Interfaces before Anchor 0.30 use this spelling.
  const name = text === 'publicKey' ? 'pubkey' : scalarNames.find((known) => known === text);
  if (name === undefined) throw invalidInterface(`the type ${JSON.stringify(text)} is not known`);
  return { kind: 'scalar', name };
}

function parseArray(value: ExactJsonValue | undefined): IdlType {
  const [of, length, ...rest] = asList(value, 'an array type');
  if (rest.length > 0 || typeof length !== 'bigint' || length < 0n || length > MAX_ARRAY_LENGTH) {
    throw invalidInterface(`an array type must be a type and a length of at most ${MAX_ARRAY_LENGTH}`);
  }
  return { kind: 'array', of: parseIdlType(of), length: Number(length) };
}

function parseReference(value: ExactJsonValue | undefined): string {
  if (typeof value === 'string') return value;
  const reference = asObject(value, 'a reference to a defined type');
  const generics = reference.get('generics');
  if (Array.isArray(generics) && generics.length > 0) throw invalidInterface('generic types are not supported');
  return nameOf(reference, 'a reference to a defined type');
}

function parseVariants(value: ExactJsonValue | undefined, what: string) {
  const variants = asList(value, `the variants of ${what}`).map((entry) => {
    const variant = asObject(entry, `a variant of ${what}`);
    const name = nameOf(variant, `a variant of ${what}`);
    return { name, fields: parseIdlFields(variant.get('fields'), `${what}.${name}`) };
  });
  if (variants.length > MAX_VARIANTS) throw invalidInterface(`the enum ${what} has more variants than one byte can tell apart`);
  requireUnique(
    variants.map(({ name }) => name),
    what,
  );
  return variants;
}
