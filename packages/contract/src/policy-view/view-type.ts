/** The type of a value in the terms of the policy language. */
export type ViewType =
  | { readonly kind: 'bool' }
  | { readonly kind: 'int' }
  | ViewText
  | { readonly kind: 'address'; readonly chain: 'any' }
  | { readonly kind: 'list'; readonly of: ViewType }
  | { readonly kind: 'map'; readonly of: ViewType }
  | ViewStruct;

/** Text, or a word of a closed vocabulary. */
export interface ViewText {
  readonly kind: 'string';
  readonly form?: 'hex' | 'caseless' | 'p256';
  readonly vocabulary?: string;
  readonly words?: readonly string[];
}

/** A record. */
export interface ViewStruct {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: { readonly [name: string]: { readonly type: ViewType; readonly doc: string } };
}

/** A value in the terms of the policy language: integers are bigint, maps are Map, records are plain objects. */
export type ViewValue =
  | boolean
  | bigint
  | string
  | readonly ViewValue[]
  | { readonly [field: string]: ViewValue }
  | ReadonlyMap<string, ViewValue>;

/**
 * The type that holds the values of both, for a parameter that several activities have. Records get the fields of both; a
 * field that one activity does not have is missing there. Throws when no type of the language holds both.
 */
export function joinTypes(a: ViewType, b: ViewType, path: string): ViewType {
  if (a.kind === 'string' && b.kind === 'string') return joinTexts(a, b, path);
  if (a.kind === 'list' && b.kind === 'list') return { kind: 'list', of: joinTypes(a.of, b.of, path) };
  if (a.kind === 'map' && b.kind === 'map') return { kind: 'map', of: joinTypes(a.of, b.of, path) };
  if (a.kind === 'struct' && b.kind === 'struct') return joinStructs(a, b, path);
  if (a.kind !== b.kind) throw conflict(path, a.kind, b.kind);
  return a;
}

function joinTexts(a: ViewText, b: ViewText, path: string): ViewText {
  // SECURITY: a policy spells its literals by the type. Two spellings under one name would let a value past a DENY.
  if (a.form !== b.form) throw conflict(path, a.form ?? 'plain text', b.form ?? 'plain text');
  if (a.words === undefined || b.words === undefined) return { kind: 'string', ...(a.form && { form: a.form }) };
  return { kind: 'string', vocabulary: path, words: [...new Set([...a.words, ...b.words])] };
}

function joinStructs(a: ViewStruct, b: ViewStruct, path: string): ViewStruct {
  const fields = { ...a.fields };
  for (const [name, field] of Object.entries(b.fields)) {
    const known = a.fields[name];
    const joined = known && { type: joinTypes(known.type, field.type, `${path}.${name}`), doc: known.doc || field.doc };
    fields[name] = joined ?? field;
  }
  return { kind: 'struct', name: a.name, fields };
}

function conflict(path: string, a: string, b: string): Error {
  return new Error(`${path} has two types for policies: ${a} in one activity, ${b} in another. Rename one of them.`);
}
