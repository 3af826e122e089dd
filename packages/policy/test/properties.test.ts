import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluatePolicy } from '../src/decide/outcome.ts';
import type { NamespaceValues } from '../src/evaluate/evaluation.ts';
import { EvaluationError } from '../src/evaluate/evaluation-error.ts';
import { compileExpression, evaluateExpression } from '../src/expression.ts';
import { renderDiagnostic } from '../src/index.ts';
import { defaultLimits } from '../src/limits.ts';
import { compilePolicy } from '../src/policy.ts';
import { formatExpression } from '../src/syntax/format.ts';
import { parseExpression } from '../src/syntax/parser.ts';
import { arbitraryCondition } from './support/arbitrary-condition.ts';
import { arbitrarySyntax, withoutSpans } from './support/arbitrary-syntax.ts';
import { loadInputs } from './support/corpus.ts';
import { host } from './support/host.ts';
import { referenceEvaluate } from './support/reference-evaluator.ts';

const inputs = loadInputs();
const input = fc.constantFrom(...[...inputs.keys()].filter((name) => /^(eth|solana|raw|wallet|export)/.test(name)));
const anyCondition = fc.oneof(
  arbitraryCondition('dynamic'),
  arbitraryCondition('ethereum'),
  arbitraryCondition('solana'),
  arbitraryCondition('mixed'),
);
const deep = { ...defaultLimits, depth: 1_000 };

describe('properties of the language', () => {
  test('parse after format is the identity', () => {
    fc.assert(
      fc.property(arbitrarySyntax, (tree) => {
        const { expression, diagnostics } = parseExpression(formatExpression(tree), deep);
        expect(diagnostics).toEqual([]);
        expect(withoutSpans(expression)).toEqual(withoutSpans(tree));
      }),
    );
  });

  test('format after parse is idempotent', () => {
    fc.assert(
      fc.property(anyCondition, (text) => {
        const once = formatExpression(parseExpression(text).recovered);
        expect(formatExpression(parseExpression(once).recovered)).toBe(once);
      }),
    );
  });

  test('generated conditions check, and evaluation agrees with the slow evaluator', () => {
    fc.assert(
      fc.property(anyCondition, input, (text, name) => {
        const values = inputs.get(name) as NamespaceValues;
        for (const asks of ['UNTIL_DECIDED', 'EVERY_OPERAND'] as const) {
          const { expression, diagnostics } = compileExpression(text, 'condition', host, asks);
          expect(diagnostics).toEqual([]);
          if (expression === undefined) return;
          const result = evaluateExpression(expression, values);
          const reference = referenceEvaluate(parseExpression(text).recovered, values, asks);
          expect(result instanceof EvaluationError ? { error: result.code } : { value: result }).toEqual(reference);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('A57: a DENY denies whatever it denied when every part was asked, errors included', () => {
    fc.assert(
      fc.property(anyCondition, input, (condition, name) => {
        const values = inputs.get(name) as NamespaceValues;
        const every = referenceEvaluate(parseExpression(condition).recovered, values, 'EVERY_OPERAND');
        const denied = 'value' in every ? every.value === true : every.error !== 'NAMESPACE_ABSENT';
        const policy = compilePolicy({ id: 'p', effect: 'EFFECT_DENY', condition }, host);
        expect(evaluatePolicy(policy, values).denies).toBe(denied);
      }),
      { numRuns: 500 },
    );
  });

  test('A57: stopping early gives values to errors, and changes no value', () => {
    fc.assert(
      fc.property(anyCondition, input, (text, name) => {
        const values = inputs.get(name) as NamespaceValues;
        const [every, decided] = (['EVERY_OPERAND', 'UNTIL_DECIDED'] as const).map((asks) => {
          const { expression } = compileExpression(text, 'condition', host, asks);
          return expression && evaluateExpression(expression, values);
        });
        if (typeof every === 'boolean') expect(decided).toBe(every);
        // A missing namespace is never skipped.
        if (every instanceof EvaluationError && every.notApplicable) expect(decided).toEqual(every);
      }),
      { numRuns: 500 },
    );
  });

  test('a checked expression without dynamic values never meets a wrong type', () => {
    fc.assert(
      fc.property(
        fc.oneof(arbitraryCondition('ethereum'), arbitraryCondition('solana'), arbitraryCondition('mixed')),
        input,
        (text, name) => {
          const { expression } = compileExpression(text, 'condition', host);
          const result = expression && evaluateExpression(expression, inputs.get(name) as NamespaceValues);
          expect(result).toBeDefined();
          expect(result instanceof EvaluationError ? result.code : 'none').not.toBe('TYPE_MISMATCH');
        },
      ),
      { numRuns: 200 },
    );
  });

  test('no text makes the parser or the checker throw, and every diagnostic can be drawn', () => {
    const fragment = fc.constantFrom(
      'eth',
      '.',
      'tx',
      '(',
      ')',
      '[',
      ']',
      "'",
      '"',
      '==',
      '=',
      '&&',
      '||',
      '!',
      'in',
      ',',
      '..',
      '0',
      '-',
      '+',
      '*',
      '/',
      '1.5',
      '_0',
      'ETH',
      'any',
      'x',
      'true',
      ' ',
      '\n',
      '\\',
      '🙂',
      '\ud800',
      'Timestamp',
      'approvers',
    );
    const text = fc.oneof(
      fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('condition' as const, 'consensus' as const, 'time' as const), (source, field) => {
        const { expression, diagnostics } = compileExpression(source, field, host);
        expect(expression === undefined).toBe(diagnostics.length > 0);
        for (const diagnostic of diagnostics) {
          expect(diagnostic.span.start).toBeLessThanOrEqual(diagnostic.span.end);
          expect(diagnostic.span.end).toBeLessThanOrEqual(source.length);
          expect(renderDiagnostic(source, diagnostic)).toContain('^');
        }
      }),
      { numRuns: 200 },
    );
  });
});
