import type { z } from 'zod';

/** Stands for a value that a quick reader does not take. Its schema then has the word. */
export const NOT_TAKEN = Symbol('not taken');

/** Reads a value: gives what the schema gives, or NOT_TAKEN. */
export type QuickReader = (value: unknown) => unknown;

/** What is looked at of a schema. Everything else about it has the schema itself read the value. */
interface Definition {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDefinition } }[];
  readonly coerce?: boolean;
  readonly format?: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
}

interface CheckDefinition {
  readonly check: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: RegExp;
}

interface Schema {
  readonly _zod: { readonly def: Definition };
}

const readers = new WeakMap<z.ZodType, QuickReader | undefined>();

/**
 * The quick reader of a schema, made once. Undefined where the schema has parts that are not known here.
 * INVARIANT: what a quick reader takes, the schema takes, with the same result: the same members in the same order. It refuses nothing, so
 * every refusal is worded by the schema.
 */
export function quickReaderOf(schema: z.ZodType): QuickReader | undefined {
  if (!readers.has(schema)) readers.set(schema, compile(schema as unknown as Schema));
  return readers.get(schema);
}

/** Strings, closed words, lists and strict objects of these: that is nearly all that requests hold. */
function compile({ _zod: { def } }: Schema): QuickReader | undefined {
  switch (def.type) {
    case 'string':
      return def.format === undefined && def.coerce !== true ? stringReader(def) : undefined;
    case 'boolean':
      return hasChecks(def) || def.coerce === true ? undefined : (value) => (typeof value === 'boolean' ? value : NOT_TAKEN);
    case 'enum':
      return hasChecks(def) ? undefined : wordReader(Object.values(def.entries ?? {}));
    case 'literal':
      // A null counts as absent, which is not for this reader to say.
      return hasChecks(def) || def.values?.includes(null) ? undefined : memberOf(def.values ?? []);
    case 'array':
      return arrayReader(def);
    case 'object':
      return hasChecks(def) ? undefined : objectReader(def);
    default:
      return undefined;
  }
}

const hasChecks = ({ checks = [] }: Definition) => checks.length > 0;

/** Enumerations of numbers have other rules. */
function wordReader(words: readonly unknown[]): QuickReader | undefined {
  return words.every((word) => typeof word === 'string') ? memberOf(words) : undefined;
}

function memberOf(values: readonly unknown[]): QuickReader {
  const set = new Set(values);
  return (value) => (set.has(value) ? value : NOT_TAKEN);
}

/** The bounds of a length. Undefined where the schema checks anything else. */
function lengthsOf({ checks = [] }: Definition): { readonly least: number; readonly most: number } | undefined {
  let [least, most] = [0, Number.POSITIVE_INFINITY];
  for (const {
    _zod: { def },
  } of checks) {
    if (def.check === 'min_length' && def.minimum !== undefined) least = Math.max(least, def.minimum);
    else if (def.check === 'max_length' && def.maximum !== undefined) most = Math.min(most, def.maximum);
    else if (!isPattern(def)) return undefined;
  }
  return { least, most };
}

/** A pattern that remembers where it was would give another answer the next time. */
function isPattern({ check, format, pattern }: CheckDefinition): boolean {
  return check === 'string_format' && format === 'regex' && pattern !== undefined && !pattern.global && !pattern.sticky;
}

function stringReader(def: Definition): QuickReader | undefined {
  const lengths = lengthsOf(def);
  if (lengths === undefined) return undefined;
  const { least, most } = lengths;
  const patterns = (def.checks ?? []).flatMap(({ _zod }) => _zod.def.pattern ?? []);
  return (value) => {
    if (typeof value !== 'string' || value.length < least || value.length > most) return NOT_TAKEN;
    for (const pattern of patterns) if (!pattern.test(value)) return NOT_TAKEN;
    return value;
  };
}

function arrayReader(def: Definition): QuickReader | undefined {
  const lengths = (def.checks ?? []).some(({ _zod }) => isPattern(_zod.def)) ? undefined : lengthsOf(def);
  const read = def.element && compile(def.element);
  if (lengths === undefined || read === undefined) return undefined;
  const { least, most } = lengths;
  return (value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) return NOT_TAKEN;
    const items = new Array<unknown>(value.length);
    for (let index = 0; index < value.length; index++) {
      const item = read(value[index]);
      if (item === NOT_TAKEN) return NOT_TAKEN;
      items[index] = item;
    }
    return items;
  };
}

interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly read: QuickReader;
}

/** An object with the members of its schema and no others. */
function objectReader({ shape = {}, catchall }: Definition): QuickReader | undefined {
  if (catchall?._zod.def.type !== 'never') return undefined;
  const members: Member[] = [];
  for (const [name, schema] of Object.entries(shape)) {
    const { type, innerType } = schema._zod.def;
    // SECURITY: D214: a check may stand on the member that may be left out, and not on what is in it. Such a member is not known here.
    const isOptional = type === 'optional' && innerType !== undefined && !hasChecks(schema._zod.def);
    const read = compile(isOptional ? innerType : schema);
    if (read === undefined) return undefined;
    members.push({ name, isOptional, read });
  }
  return (value) => (isPlainObject(value) ? readMembers(members, value) : NOT_TAKEN);
}

function readMembers(members: readonly Member[], value: Readonly<Record<string, unknown>>): unknown {
  const result: Record<string, unknown> = {};
  let taken = 0;
  for (const { name, isOptional, read } of members) {
    if (!Object.hasOwn(value, name)) {
      if (isOptional) continue;
      return NOT_TAKEN;
    }
    const member = read(value[name]);
    if (member === NOT_TAKEN) return NOT_TAKEN;
    result[name] = member;
    taken++;
  }
  return taken === Object.keys(value).length ? result : NOT_TAKEN;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
