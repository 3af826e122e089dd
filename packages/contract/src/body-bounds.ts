import type { z } from 'zod';
import type { OperationDefinition } from './define.ts';

/** What a value that a schema takes may hold at most. A bound is infinite where the schema names none. */
export interface BodyBounds {
  /** Objects and arrays within each other. */
  readonly depth: number;
  /** Values of all kinds, the whole included. */
  readonly values: number;
  /** Characters in one text. */
  readonly text: number;
  /** Items in one array. */
  readonly items: number;
}

/** What is looked at of a schema. */
interface Definition {
  readonly type: string;
  readonly checks?: readonly {
    readonly _zod: { readonly def: { readonly check: string; readonly maximum?: number; readonly length?: number } };
  }[];
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly options?: readonly Schema[];
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
  readonly coerce?: boolean;
}

interface Schema {
  readonly _zod: { readonly def: Definition };
}

const endless: BodyBounds = { depth: Infinity, values: Infinity, text: Infinity, items: Infinity };
const plain: BodyBounds = { depth: 0, values: 1, text: 0, items: 0 };

/** The envelope of a submit: type, timestamp, organization, parameters and reference, and what a dialect ignores. */
const ENVELOPE_VALUES = 6;
/** More than a type, a time, a reference or the id of an organization has. */
const ENVELOPE_TEXT = 1_024;

/**
 * The bounds of the body of an operation, in all its versions and on all base paths.
 * INVARIANT: no body that the schemas take is beyond them.
 */
export function bodyBounds(definition: OperationDefinition): BodyBounds {
  if (definition.kind === 'query') {
    const { values, ...rest } = boundsOf(definition.input);
    // A query may bring the time of its stamp.
    return { ...rest, values: values + 1 };
  }
  const all = definition.versions.flatMap(({ params, specParams }) => [params.schema, specParams.schema]).map(boundsOf);
  const { depth, values, text, items } = greatest(all);
  return { depth: depth + 1, values: values + ENVELOPE_VALUES, text: Math.max(ENVELOPE_TEXT, text), items };
}

/** The bounds of what a schema takes. Everything about a schema that is not known here makes it endless. */
export function boundsOf(schema: z.ZodType): BodyBounds {
  return bound(schema as unknown as Schema);
}

function bound({ _zod: { def } }: Schema): BodyBounds {
  switch (def.type) {
    case 'string':
      return def.coerce === true ? endless : { ...plain, text: longest(def) };
    case 'number':
    case 'boolean':
    case 'null':
      return def.coerce === true ? endless : plain;
    case 'enum':
      return { ...plain, text: Math.max(0, ...Object.values(def.entries ?? {}).map((word) => String(word).length)) };
    case 'literal':
      return { ...plain, text: Math.max(0, ...(def.values ?? []).map((value) => String(value).length)) };
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'readonly':
      return def.innerType === undefined ? endless : bound(def.innerType);
    case 'union':
      return greatest((def.options ?? []).map(bound));
    case 'array':
      return def.element === undefined ? endless : listOf(bound(def.element), longest(def));
    case 'object':
      return def.catchall?._zod.def.type === 'never' ? within(Object.values(def.shape ?? {}).map(bound)) : endless;
    default:
      return endless;
  }
}

/** The greatest length that the checks of a schema let through. One that alters the value first says nothing about what comes in. */
function longest({ checks = [] }: Definition): number {
  const defs = checks.map(({ _zod }) => _zod.def);
  if (defs.some(({ check }) => check === 'overwrite')) return Infinity;
  return Math.min(Infinity, ...defs.map(({ check, maximum, length }) => lengthOf(check, maximum, length)));
}

function lengthOf(check: string, maximum: number | undefined, length: number | undefined): number {
  if (check === 'max_length') return maximum ?? Infinity;
  return check === 'length_equals' ? (length ?? Infinity) : Infinity;
}

function listOf(item: BodyBounds, most: number): BodyBounds {
  return {
    depth: item.depth + 1,
    // An empty list has no items, also where an item could be endless.
    values: most === 0 ? 1 : 1 + most * item.values,
    text: item.text,
    items: Math.max(most, item.items),
  };
}

/** An object of members. */
function within(members: readonly BodyBounds[]): BodyBounds {
  const { depth, text, items } = greatest([plain, ...members]);
  return { depth: depth + 1, values: members.reduce((sum, { values }) => sum + values, 1), text, items };
}

function greatest(all: readonly BodyBounds[]): BodyBounds {
  const most = (name: keyof BodyBounds) => Math.max(0, ...all.map((each) => each[name]));
  return { depth: most('depth'), values: most('values'), text: most('text'), items: most('items') };
}
