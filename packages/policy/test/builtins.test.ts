import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { functions } from '../src/builtins/functions.ts';
import { type ListMethod, plainMethod, predicateMethod, toBool } from '../src/builtins/list-method.ts';
import { listMethods } from '../src/builtins/list-methods.ts';
import { textMethods } from '../src/builtins/text-methods.ts';
import { compileExpression, evaluateExpression } from '../src/expression.ts';
import { compilePolicies, decide, language, lintPolicies } from '../src/index.ts';
import { parseExpression } from '../src/syntax/parser.ts';
import { type Type, t } from '../src/types.ts';
import { isList, type PolicyField } from '../src/value.ts';
import { type CorpusCase, expressionOf, loadCorpus } from './support/corpus.ts';
import { toRequest } from './support/decisions.ts';
import { host } from './support/host.ts';

const corpus = ['language', 'reference', 'time', 'arithmetic', 'payments', 'diagnostics', 'additions'].flatMap((file) =>
  loadCorpus<CorpusCase>(`${file}.json`),
);
const outcomesOf = (pattern: RegExp) =>
  new Set(corpus.filter((entry) => pattern.test(expressionOf(entry).text)).map(({ outcome }) => outcome));

function examplesIn(type: Type): readonly string[] {
  if (type.kind === 'list' || type.kind === 'map') return examplesIn(type.of);
  if (type.kind !== 'struct') return [];
  return Object.values(type.fields).flatMap((field) => [
    ...(field.example === undefined ? [] : [field.example]),
    ...examplesIn(field.type),
  ]);
}

describe('builtins', () => {
  test.each([...listMethods.keys()])('the method %s has cases that are true, false and in error', (name) => {
    expect([...outcomesOf(new RegExp(`\\.${name}\\(`))]).toEqual(expect.arrayContaining(['TRUE', 'FALSE', 'ERROR']));
  });

  test.each([...textMethods.keys()])('the method %s of texts has cases that are true, false and in error', (name) => {
    expect([...outcomesOf(new RegExp(`\\.${name}\\(`))]).toEqual(expect.arrayContaining(['TRUE', 'FALSE', 'ERROR']));
  });

  test.each([...functions.keys()])('the function %s has cases that are true, false and refused', (name) => {
    expect([...outcomesOf(new RegExp(`\\b${name}\\(`))]).toEqual(expect.arrayContaining(['TRUE', 'FALSE', 'REFUSED']));
  });

  test('each says how it is written and what it does', () => {
    for (const { name, signature, doc } of [...language.methods, ...language.functions]) {
      expect(signature).toContain(`${name}(`);
      expect(doc).toMatch(/^[A-Z].*\.$/);
    }
  });

  test('every example of the language compiles', () => {
    const { namespaces, methods, units, operators, literals, functions: calls } = language;
    const compiles = (text: string, field: PolicyField) =>
      expect(compileExpression(text, field, host).diagnostics, text).toEqual([]);
    for (const { type } of namespaces) for (const text of examplesIn(type)) compiles(text, 'condition');
    for (const { example } of [...methods, ...language.textMethods, ...units, ...operators, ...literals])
      compiles(example, 'condition');
    for (const { example, field, path } of [
      ...namespaces,
      ...calls.map((each) => ({ ...each, field: each.fields[0], path: each.name })),
    ]) {
      expect(example, path).toBeDefined();
      compiles(example ?? '', field);
    }
  });

  test('the table of operators has their order: the looser of two operators is the root', () => {
    const kinds: Readonly<Record<string, string>> = { '&&': 'and', '||': 'or', in: 'in' };
    const rootOf = (text: string) => {
      const tree = parseExpression(text).recovered;
      if (tree.kind === 'arithmetic') return tree.operators.join(' ');
      return tree.kind === 'compare' ? tree.operator : tree.kind;
    };
    // The first two levels have one operand. Comparisons do not chain, so no text combines two of them.
    const levels = language.operators.slice(2).map(({ symbols }) => symbols);
    const isComparison = (symbol: string) => /^(==|!=|<|>|<=|>=|in)$/.test(symbol);
    for (const [index, tighter] of levels.entries()) {
      for (const [tight, loose] of tighter.flatMap((one) =>
        levels.slice(index + 1).flatMap((more) => more.map((two) => [one, two])),
      )) {
        if (isComparison(tight as string) && isComparison(loose as string)) continue;
        for (const text of [`a ${tight} b ${loose} c`, `a ${loose} b ${tight} c`])
          expect(rootOf(text), text).toBe(kinds[loose as string] ?? loose);
      }
    }
  });

  test('no other file compares with the name of one', () => {
    const source = new URL('../src/', import.meta.url);
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const names = `'(${[...listMethods.keys(), ...functions.keys()].join('|')})'`;
    const comparison = new RegExp(`(name|method|builtin|kind)\\)? [!=]== ${names}|case ${names}`);
    const comparing = files
      .filter((file) => !file.startsWith('builtins'))
      .filter((file) => comparison.test(readFileSync(new URL(file, source), 'utf8')));
    expect(comparing).toEqual([]);
  });
});

describe('a new method is one entry', () => {
  const methods = listMethods as Map<string, ListMethod>;
  const description = { doc: 'For this test.', example: '', knownElsewhereAs: ['isEmpty'] };
  const noElement = plainMethod({
    ...description,
    name: 'is_empty',
    signature: 'list.is_empty()',
    returns: t.bool,
    evaluate: (list) => isList(list) && list.length === 0,
  });
  const lacks = predicateMethod({
    ...description,
    name: 'lacks',
    signature: 'list.lacks(item, predicate)',
    quantifier: 'every',
    returns: toBool,
    conclude: (kept) => kept.length === 0,
  });
  const add = (method: ListMethod) => methods.set(method.name, method);

  afterEach(() => {
    methods.delete(noElement.name);
    methods.delete(lacks.name);
  });

  test.each([
    [noElement, 'approvers.is_empty()', false],
    [lacks, "approvers.lacks(u, u.id == 'u-dave')", true],
    [lacks, "approvers.lacks(u, u.id == 'u-bob')", false],
  ])('it is checked and evaluated by itself', (method, text, expected) => {
    add(method);
    const { expression } = compileExpression(text, 'consensus');
    expect(expression && evaluateExpression(expression, new Map([['approvers', [{ id: 'u-bob' }]]]))).toBe(expected);
  });

  test('it is refused with other arguments, and found under the name that others give it', () => {
    add(noElement);
    const diagnose = (text: string) => compileExpression(text, 'consensus').diagnostics[0];
    expect(diagnose('approvers.is_empty(1)')).toMatchObject({ code: 'WRONG_ARGUMENTS', help: 'write list.is_empty()' });
    expect(diagnose('approvers.isEmpty()')).toMatchObject({ code: 'UNKNOWN_METHOD', help: 'write list.is_empty()' });
    methods.delete(noElement.name);
    expect(diagnose('approvers.is_empty()')).toMatchObject({ code: 'UNKNOWN_METHOD' });
  });

  test('what reasons about policies takes it for unknown, and decides as evaluation does', () => {
    add(noElement);
    const policy = { id: 'p', effect: 'EFFECT_ALLOW', consensus: '!approvers.is_empty()' } as const;
    expect(decide(compilePolicies([policy]), toRequest('wallet-create', ['u-bob'])).outcome).toBe('ALLOW');
    expect(lintPolicies([policy]).map(({ code }) => code)).toEqual(['APPROVAL_CAN_BLOCK', 'ALLOWS_EVERYTHING']);
  });
});
