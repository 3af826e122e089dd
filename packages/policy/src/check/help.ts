import { listMethods, methodKnownAs } from '../builtins/list-methods.ts';
import { textMethodKnownAs, textMethods } from '../builtins/text-methods.ts';
import { type Type, typeName } from '../types.ts';
import { didYouMean } from './suggest.ts';

/** A type with its article. */
export function aType(type: Type): string {
  const name = typeName(type);
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** A name as diagnostics show it. */
export function cut(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}

/** Help for a method or field that a type does not have. */
export function methodHelp(type: Type, name: string): string | undefined {
  const isList = type.kind === 'list' || type.kind === 'dynamic';
  const isText = type.kind === 'string' || type.kind === 'dynamic';
  const foreign = (isList ? methodKnownAs(name) : undefined) ?? (isText ? textMethodKnownAs(name) : undefined);
  if (foreign !== undefined) return `write ${foreign.signature}`;
  const element = type.kind === 'list' && type.of.kind === 'struct' ? type.of : undefined;
  if (element !== undefined && Object.hasOwn(element.fields, name)) return `ask each element: \`list.all(e, e.${name} == …)\``;
  if (type.kind === 'string' && ['contains', 'includes', 'endsWith', 'matches'].includes(name))
    return "compare the whole text, or its beginning: `text.startsWith('…')`";
  if (type.kind === 'address') return "addresses are compared whole: `== '…'` or `in ['…', '…']`";
  const known = [...(isList ? listMethods.keys() : []), ...(isText ? textMethods.keys() : [])];
  return known.length === 0 ? undefined : didYouMean(name, known);
}

const approver = "people belong in the consensus: `approvers.any(user, user.tags.contains('…'))`";
const absent = 'there is no such value: demand one with `has(…)`';

/** Names that newcomers expect, and what to write. */
const meanings: Readonly<Record<string, string>> = {
  user: approver,
  users: approver,
  tags: approver,
  null: absent,
  nil: absent,
  none: absent,
  undefined: absent,
};

/** Help for a name that means nothing: a similar one, or quotes, if it looks like a text. */
export function nameHelp(name: string, known: readonly string[]): string | undefined {
  const meaning = meanings[name.toLowerCase()];
  if (meaning !== undefined) return meaning;
  const quoted = `a text is written in single quotes: '${cut(name)}'`;
  if (/^[A-Z][A-Z0-9_]*$/.test(name) || name.length > 20) return quoted;
  const similar = didYouMean(name, known);
  if (similar?.startsWith('did you mean') === true) return similar;
  return `${quoted}. A constant is named first: \`let ${name} = …;\``;
}
