import { describe, expect, test } from 'vitest';
import { diagnosticCodes } from '../src/diagnostic.ts';
import type { NamespaceValues } from '../src/evaluate/evaluation.ts';
import { EvaluationError, evaluationErrorCodes } from '../src/evaluate/evaluation-error.ts';
import { compileExpression, evaluateExpression } from '../src/expression.ts';
import { type CorpusCase, expressionOf, loadCorpus, loadInputs } from './support/corpus.ts';
import { host } from './support/host.ts';
import { vocabularies } from './support/vocabularies.ts';

const files = [
  'language.json',
  'reference.json',
  'addresses.json',
  'time.json',
  'effects.json',
  'payments.json',
  'arithmetic.json',
  'integers.json',
  'controls.json',
  'additions.json',
  'diagnostics.json',
];
const inputs = loadInputs();
const corpus = new Map(files.map((file) => [file, loadCorpus<CorpusCase>(file)]));

describe.each(files)('conformance/policy/%s', (file) => {
  test.each(corpus.get(file) ?? [])('$name', (entry) => {
    const { field, text } = expressionOf(entry);
    const { expression, diagnostics } = compileExpression(
      text,
      field,
      { ...host, vocabularies, ...(entry.language !== undefined && { language: entry.language }) },
      entry.effect === 'EFFECT_DENY' ? 'EVERY_OPERAND' : 'UNTIL_DECIDED',
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(entry.diagnostics ?? []);
    if (entry.outcome === 'REFUSED') {
      for (const { span } of diagnostics) expect(text.length).toBeGreaterThanOrEqual(span.end);
      return;
    }
    if (expression === undefined) throw new Error('no expression and no diagnostic');
    const result = evaluateExpression(expression, valuesOf(entry));
    if (entry.outcome === 'ERROR') expect(result instanceof EvaluationError ? result.code : result).toBe(entry.error);
    else expect(result).toBe(entry.outcome === 'TRUE');
  });
});

describe('the corpus is complete', () => {
  const cases = [...corpus.values()].flat();

  test('every diagnostic has a case', () => {
    const seen = new Set(cases.flatMap(({ diagnostics }) => diagnostics ?? []));
    expect(Object.keys(diagnosticCodes).filter((code) => !seen.has(code))).toEqual([]);
  });

  test('every evaluation error that a single expression can give has a case', () => {
    const seen = new Set(cases.flatMap(({ error }) => (error === undefined ? [] : [error])));
    // These two need more than an expression: an input of thousands of elements, and a stored policy that no longer compiles.
    const elsewhere = ['LIMIT_EXCEEDED', 'INVALID_POLICY'];
    expect(Object.keys(evaluationErrorCodes).filter((code) => !seen.has(code) && !elsewhere.includes(code))).toEqual([]);
  });

  test('all 42 expressions of the reference are true, false and in error', () => {
    const names = (corpus.get('reference.json') ?? []).map(({ name }) => name);
    // 32 compares with the word that other services use for an account from a lookup table. Here such an account has no key.
    const neverTrue = [32];
    for (let number = 1; number <= 42; number += 1) {
      for (const outcome of neverTrue.includes(number) ? ['false', 'error'] : ['true', 'false', 'error']) {
        expect(names.some((name) => name.startsWith(`${number} `) && name.endsWith(outcome))).toBe(true);
      }
    }
  });

  test('names are unique within a file', () => {
    for (const entries of corpus.values()) expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length);
  });
});

function valuesOf(entry: CorpusCase): NamespaceValues {
  if (entry.now !== undefined) return new Map([['time.now', BigInt(Date.parse(entry.now))]]);
  const values = inputs.get(entry.input ?? '');
  if (values === undefined) throw new Error(`no input named ${entry.input}`);
  return values;
}
