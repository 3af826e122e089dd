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
  if (type.kind === 'address') return "addresses are compared whole: `== '…'` or `in ['…', '…']`";
  const known = [...(isList ? listMethods.keys() : []), ...(isText ? textMethods.keys() : [])];
  return known.length === 0 ? undefined : didYouMean(name, known);
}

/** Help for a name that means nothing: a similar one, or quotes, if it looks like a text. */
export function nameHelp(name: string, known: readonly string[]): string | undefined {
  const quoted = `a text is written in single quotes: '${cut(name)}'`;
  if (/^[A-Z][A-Z0-9_]*$/.test(name) || name.length > 20) return quoted;
  const similar = didYouMean(name, known);
  return similar?.startsWith('did you mean') === true
    ? similar
    : `${quoted}${similar === undefined ? '' : `; a name is ${similar}`}`;
}
