import type { z } from 'zod';
import { snakeCase, type Unwrapped, unwrap, type View, type ViewField } from './field.ts';
import { joinTypes, type ViewStruct, type ViewText, type ViewType, type ViewValue } from './view-type.ts';

type Def = {
  readonly type: string;
  readonly format?: string;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly pattern?: RegExp; readonly format?: string } } }[];
};

const defOf = (schema: z.core.$ZodType) => schema._zod.def as unknown as Def;

/** One member of a record as policies see it; undefined when it is secret. `path` is the record's path in policies. */
export function deriveField(wire: string, schema: z.core.$ZodType, path: string): ViewField | undefined {
  const unwrapped = unwrap(schema);
  if (unwrapped.secret) return undefined;
  const name = snakeCase(wire);
  const { optional, mark } = unwrapped;
  const seenAs = mark.seenAs === undefined ? undefined : `Policies see ${mark.seenAs}`;
  const doc = [unwrapped.doc, seenAs].filter(Boolean).join('. ');
  const resolved = mark.resolved === undefined ? {} : { resolved: mark.resolved };
  return { wire, name, doc, optional, ...resolved, ...deriveView(unwrapped, `${path}.${name}`) };
}

/** The members of a record, or of all records of a union, by their names on the wire. Secrets are among them. */
export function membersOf(schema: z.core.$ZodType): readonly (readonly [string, z.core.$ZodType])[] {
  const { shape = {}, options = [] } = defOf(unwrap(schema).inner);
  return [...Object.entries(shape), ...options.flatMap(membersOf)];
}

/** The members of a record that policies see. Of a union of records: the members of all of them. */
export function deriveFields(schema: z.core.$ZodType, path: string): readonly ViewField[] {
  const { type, shape, options = [] } = defOf(unwrap(schema).inner);
  if (type === 'union')
    return joinFields(
      options.map((option) => deriveFields(option, path)),
      path,
    );
  if (shape === undefined) throw new Error(`policies cannot see ${path}: it is not an object`);
  return Object.entries(shape).flatMap(([wire, member]) => deriveField(wire, member, path) ?? []);
}

/** The members of several records as those of one. A member that not all of them have may be left out. */
function joinFields(records: readonly (readonly ViewField[])[], path: string): readonly ViewField[] {
  const joined = new Map<string, ViewField>();
  for (const field of records.flat()) {
    const known = joined.get(field.name);
    const both = known && {
      ...known,
      ...ofEither(known, field, `${path}.${field.name}`),
      optional: known.optional || field.optional,
    };
    joined.set(field.name, both ?? field);
  }
  const everywhere = (name: string) => records.every((fields) => fields.some((field) => field.name === name));
  return [...joined.values()].map((field) => (everywhere(field.name) ? field : { ...field, optional: true }));
}

function deriveView(unwrapped: Unwrapped, path: string): View {
  const view = ofSchema(unwrapped, path);
  if (unwrapped.mark.resolved !== undefined) return { ...view, absent: undefined };
  if (!('default' in unwrapped)) return view;
  // A default never needs the host's spelling: keys and addresses have none.
  const plain = { p256: (text: string) => text, address: (text: string) => text };
  return { ...view, absent: view.read(unwrapped.default, plain) };
}

function ofSchema({ inner, mark }: Unwrapped, path: string): View {
  const def = defOf(inner);
  switch (def.type) {
    case 'boolean':
      return flag;
    case 'number':
      return integer;
    case 'string':
      return isNumeric(def) ? integer : ofText(def, mark);
    case 'enum':
      return ofWords(Object.values(def.entries ?? {}), path);
    case 'literal':
      return ofWords(def.values ?? [], path);
    case 'array':
      return ofList(def.element as z.core.$ZodType, path);
    case 'record':
      return ofMap(def.valueType as z.core.$ZodType, path);
    case 'object':
      return membersOf(inner).length === 0 ? presence : ofStruct(nameOf(inner, path), deriveFields(inner, path));
    case 'union':
      return ofUnion(inner, def.options ?? [], path);
    default:
      throw new Error(`policies cannot see ${path}: the contract's type ${def.type} has no counterpart in the language`);
  }
}

/** SECURITY: neither yes nor no stands for "left out", so nothing is shown. */
const flag: View = {
  type: { kind: 'bool' },
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  absent: undefined,
};

/** An object without members says something by being there. */
const presence: View = {
  type: { kind: 'bool' },
  read: (value) => (typeof value === 'object' && value !== null ? true : undefined),
  absent: false,
};

/** Numbers, and digits in a string, as 64-bit integers travel in JSON. SECURITY: no number stands for "none", so none is shown. */
const integer: View = {
  type: { kind: 'int' },
  read: (value) => (/^-?\d{1,78}$/.test(String(value)) ? BigInt(String(value)) : undefined),
  absent: undefined,
};

/**
 * Policies see omitted text as empty text, if the contract rejects empty text or treats it as omitted.
 * SECURITY: an omitted id is not shown as empty.
 */
function ofText(def: Def, mark: Unwrapped['mark']): View {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const absent = mark.identifies === true ? undefined : '';
  if (mark.form === 'address') {
    const read: View['read'] = (value, { address }) => (typeof value === 'string' && value !== '' ? address(value) : text(value));
    return { type: { kind: 'address', chain: 'any' }, read, absent };
  }
  const form = mark.form ?? formOf(def);
  if (form === undefined) return { type: { kind: 'string' }, read: text, absent };
  const type: ViewText = { kind: 'string', form };
  const lower = (value: unknown) => text(value)?.toLowerCase();
  if (form !== 'p256') return { type, read: lower, absent };
  return { type, read: (value, { p256 }) => (typeof value === 'string' ? p256(value) : undefined), absent };
}

/** Values of an enum; integers if all of them are. SECURITY: an omitted value is not one of them, so policies see no value. */
function ofWords(words: readonly unknown[], path: string): View {
  if (words.every((word) => typeof word === 'number')) return integer;
  if (words.every((word) => typeof word === 'boolean')) return flag;
  const texts = words.map(String);
  const read = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return { type: { kind: 'string', vocabulary: path, words: texts }, read, absent: undefined };
}

function ofList(element: z.core.$ZodType, path: string): View {
  const { type, read, members = [] } = deriveView(unwrap(element), path);
  return {
    type: { kind: 'list', of: type },
    members,
    read: (value, spelling) => (Array.isArray(value) ? complete(value.map((each) => read(each, spelling))) : undefined),
    absent: undefined,
  };
}

function ofMap(values: z.core.$ZodType, path: string): View {
  const { type, read } = deriveView(unwrap(values), path);
  return {
    type: { kind: 'map', of: type },
    read: (value, spelling) => {
      if (typeof value !== 'object' || value === null) return undefined;
      const shown = Object.entries(value).map(([key, each]) => [key, read(each, spelling)] as const);
      return shown.some(([, each]) => each === undefined) ? undefined : new Map(shown as (readonly [string, ViewValue])[]);
    },
    absent: undefined,
  };
}

function ofStruct(name: string, fields: readonly ViewField[]): View {
  const type: ViewStruct = {
    kind: 'struct',
    name,
    fields: Object.fromEntries(fields.map((field) => [field.name, { type: field.type, doc: field.doc }])),
  };
  const read: View['read'] = (value, spelling) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const given = value as Readonly<Record<string, unknown>>;
    return record(fields, (field) => readField(field, given[field.wire], spelling));
  };
  // A record that is left out has no elements either; the rest of it follows the rule of each member.
  const absent = record(fields, (field) => field.absent ?? (field.type.kind === 'list' ? [] : undefined));
  return { type, read, absent, members: fields };
}

function ofUnion(schema: z.core.$ZodType, options: readonly z.core.$ZodType[], path: string): View {
  const records = options.every((option) => defOf(unwrap(option).inner).type === 'object');
  if (records) return ofStruct(nameOf(schema, path), deriveFields(schema, path));
  return options.map((option) => deriveView(unwrap(option), path)).reduce((a, b) => ofEither(a, b, path));
}

/** A value of either view. */
function ofEither(a: View, b: View, path: string): View {
  return {
    type: joinTypes(a.type, b.type, path),
    read: (value, spelling) => a.read(value, spelling) ?? b.read(value, spelling),
    absent: b.absent === undefined ? undefined : a.absent,
  };
}

/** The value of one member that policies see: the given value, or the one that replaces an omitted value. */
export function readField(field: ViewField, value: unknown, spelling: Parameters<View['read']>[1]): ViewValue | undefined {
  if (value === undefined || value === null) return field.optional ? field.absent : undefined;
  return field.read(value, spelling);
}

function record(fields: readonly ViewField[], of: (field: ViewField) => ViewValue | undefined): ViewValue {
  const entries = fields.map((field) => [field.name, of(field)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as { [name: string]: ViewValue };
}

/** SECURITY: if one element has no form, the whole list has none: a shorter list could get past a policy. */
function complete(values: readonly (ViewValue | undefined)[]): readonly ViewValue[] | undefined {
  return values.every((value) => value !== undefined) ? values : undefined;
}

/** Patterns of a text. */
function patternsOf({ checks = [] }: Def): readonly string[] {
  return checks.flatMap(({ _zod: { def } }) => (def.pattern === undefined ? [] : [def.pattern.source]));
}

/** Whether a pattern admits whole numbers alone: digits, and none of them a leading zero, which a code may have. */
function isNumeric(def: Def): boolean {
  const digitsOnly = (source: string) => source.replace(/\\d|\{[\d,]+\}|[\^$()|[\]?\d-]/g, '') === '';
  return patternsOf(def).some((source) => /^\^\(?(?:0\|)?\[1-9\]/.test(source) && digitsOnly(source));
}

/** The form that follows from a schema: hexadecimal digits in either case, e-mail addresses and UUIDs. */
function formOf(def: Def): ViewText['form'] | undefined {
  if (def.format === 'email' || def.format === 'uuid') return 'caseless';
  return patternsOf(def).some((source) => source.includes('[0-9a-fA-F]')) ? 'hex' : undefined;
}

/** What diagnostics call a record: the name of its shape without its version, or that of its field. */
function nameOf(schema: z.core.$ZodType, path: string): string {
  const id = (schema as z.ZodType).meta?.()?.id;
  if (id !== undefined) return id.replace(/V\d+$/, '');
  return path.slice(path.lastIndexOf('.') + 1).replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The words of a type's vocabularies, by vocabulary, and the type without them. */
export function takeWords(type: ViewType, words: Map<string, readonly string[]>): ViewType {
  switch (type.kind) {
    case 'string': {
      if (type.vocabulary === undefined || type.words === undefined) return type;
      words.set(type.vocabulary, type.words);
      return { kind: 'string', vocabulary: type.vocabulary };
    }
    case 'list':
    case 'map':
      return { kind: type.kind, of: takeWords(type.of, words) };
    case 'struct': {
      const fields = Object.entries(type.fields).map(([name, field]) => [name, { ...field, type: takeWords(field.type, words) }]);
      return { ...type, fields: Object.fromEntries(fields) as ViewStruct['fields'] };
    }
    default:
      return type;
  }
}
