import { normalizers, policyOptions } from '@countersign/judgement';
import { type ControlName, checkPolicy, language, type NamedTag, resolveTags, tagCalls, typeName } from '@countersign/policy';
import type { Draft } from '../draft.ts';

export type Field = 'condition' | 'consensus';

/** A diagnostic of an expression, as the service reports it. */
export interface Problem {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const options = { ...policyOptions, normalizers };

/** What an expression is checked against. */
export interface Surroundings {
  /** A DENY may negate `has`. */
  readonly effect: Draft['effect'];
  /** The identifiers of the organization’s limits. */
  readonly controls: readonly string[];
  /** Undefined until they are known. */
  readonly tags: readonly NamedTag[] | undefined;
}

/** Diagnostics of an expression. */
export function problemsOf(field: Field, text: string, { effect, controls, tags }: Surroundings): readonly Problem[] {
  if (text === '') return [];
  const named: ControlName[] = controls.map((name) => ({ name, doc: '', kinds: ['SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD'] }));
  const found = checkPolicy({ [field]: text, effect }, { ...options, controls: named });
  const inTags = tags === undefined ? [] : resolveTags(text, tags).problems;
  return [...found, ...inTags].map(({ span, message, help }) => ({
    from: Math.min(span.start, text.length),
    to: Math.min(Math.max(span.end, span.start + 1), text.length),
    message: help === undefined ? message : `${message}. ${help}`,
  }));
}

/** The tags that an expression names, by name or by id. */
export function tagsIn(text: string, tags: readonly NamedTag[]): readonly NamedTag[] {
  const { text: resolved } = resolveTags(text, tags);
  const ids = new Set(tagCalls(resolved).map(({ value }) => value));
  return tags.filter(({ id }) => ids.has(id));
}

type Type = (typeof language.namespaces)[number]['type'];

export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  readonly info: string;
  readonly kind: 'namespace' | 'property' | 'method' | 'constant' | 'function';
  /** Text to insert, if it differs from the label. */
  readonly insert?: string;
}

const namespacesOf = (field: Field) => language.namespaces.filter((each) => each.field === field && !each.path.includes('<'));

/** Completions of a path. */
export function suggestionsFor(field: Field, text: string, path: string, controls: readonly string[]): readonly Suggestion[] {
  const dot = path.lastIndexOf('.');
  if (dot === -1) return [...roots(field), ...functions(field)];
  const before = path.slice(0, dot);
  const limits =
    before === 'controls' ? controls.map((label) => ({ label, detail: 'bool', info: '', kind: 'property' as const })) : [];
  const below = namespacesOf(field)
    .filter((each) => each.path.startsWith(`${before}.`))
    .map((each) => ({
      label: each.path.slice(before.length + 1),
      detail: typeName(each.type),
      info: each.doc,
      kind: 'namespace' as const,
    }));
  const type = typeOf(field, text, before);
  return [...limits, ...below, ...parameters(before), ...(type === undefined ? [] : members(type))];
}

/** Completions of a literal, if the path before it has a fixed vocabulary. */
export function wordsFor(field: Field, text: string, path: string): readonly string[] {
  const type = typeOf(field, text, path);
  if (type?.kind !== 'string') return [];
  return type.words ?? policyOptions.vocabularies?.[type.vocabulary ?? ''] ?? [];
}

/** Reference text of a path. Undefined for an invalid path. */
export function docOf(field: Field, text: string, path: string): { readonly title: string; readonly doc: string } | undefined {
  const namespace = namespacesOf(field).find((each) => each.path === path);
  if (namespace !== undefined) return { title: `${path}: ${typeName(namespace.type)}`, doc: namespace.doc };
  const dot = path.lastIndexOf('.');
  const name = path.slice(dot + 1);
  const parent = dot === -1 ? undefined : typeOf(field, text, path.slice(0, dot));
  if (parent?.kind === 'struct' && parent.fields[name])
    return { title: `${path}: ${typeName(parent.fields[name].type)}`, doc: parent.fields[name].doc };
  const callable = [...language.methods, ...language.textMethods, ...language.functions].find((each) => each.name === name);
  return callable && { title: callable.signature, doc: callable.doc };
}

function roots(field: Field): Suggestion[] {
  return namespacesOf(field).map(({ path, type, doc }) => ({
    label: path,
    detail: typeName(type),
    info: doc,
    kind: 'namespace',
  }));
}

function functions(field: Field): Suggestion[] {
  return language.functions
    .filter((each) => each.fields.includes(field))
    .map(({ name, signature, doc }) => ({ label: name, detail: signature, info: doc, kind: 'function', insert: `${name}(` }));
}

function parameters(before: string): Suggestion[] {
  if (before !== 'activity.params') return [];
  return (policyOptions.parameters ?? []).map(({ name, type }) => ({
    label: name,
    detail: typeName(type),
    info: '',
    kind: 'property',
  }));
}

function members(type: Type): Suggestion[] {
  if (type.kind === 'struct') {
    return Object.entries(type.fields).map(([label, { type: own, doc }]) => ({
      label,
      detail: typeName(own),
      info: doc,
      kind: 'property',
    }));
  }
  const methods = type.kind === 'list' ? language.methods : type.kind === 'string' ? language.textMethods : [];
  return methods.map(({ name, signature, doc }) => ({
    label: name,
    detail: signature,
    info: doc,
    kind: 'method',
    insert: `${name}(`,
  }));
}

/** The type of a path: a namespace and fields below it, or a variable of a list method. */
function typeOf(field: Field, text: string, path: string): Type | undefined {
  const namespace = namespacesOf(field)
    .filter((each) => path === each.path || path.startsWith(`${each.path}.`))
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (namespace !== undefined) return descend(namespace.type, path.slice(namespace.path.length + 1));
  const [variable = '', ...rest] = path.split('.');
  const receiver = new RegExp(`([\\w.]+)\\.\\w+\\(\\s*${variable}\\s*,`).exec(text)?.[1];
  const list = receiver === undefined || receiver === path ? undefined : typeOf(field, '', receiver);
  return list?.kind === 'list' ? descend(list.of, rest.join('.')) : undefined;
}

function descend(type: Type, path: string): Type | undefined {
  if (path === '') return type;
  const [name = '', ...rest] = path.split('.');
  const next = type.kind === 'struct' ? type.fields[name]?.type : undefined;
  return next && descend(next, rest.join('.'));
}
