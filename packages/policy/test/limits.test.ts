import { describe, expect, test } from 'vitest';
import type { EvaluationError } from '../src/evaluate/evaluation-error.ts';
import { compileExpression, evaluateExpression } from '../src/expression.ts';
import { compilePolicies, decide, type PolicyValue } from '../src/index.ts';
import { defaultLimits } from '../src/limits.ts';
import { parseExpression } from '../src/syntax/parser.ts';
import { toRequest } from './support/decisions.ts';
import { host } from './support/host.ts';

const nested =
  'solana.tx.transfers.all(a, solana.tx.transfers.all(b, solana.tx.transfers.any(c, c.amount == a.amount && b.amount == 1)))';

describe('D48: no policy and no input makes evaluation slow', () => {
  test('a cubic predicate over a long list runs out of steps, quickly', () => {
    const result = quickly(() => evaluate(nested, { 'solana.tx': { transfers: transfers(1_000) } }));
    expect(result).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('the same predicate over a short list does not', () => {
    expect(evaluate(nested, { 'solana.tx': { transfers: transfers(10) } })).toBe(true);
  });

  test('a scan of a huge list runs out of steps', () => {
    const result = evaluate("activity.params.user_ids.contains('x')", {
      'activity.kind': 'DELETE_USERS',
      'activity.params.user_ids': Array.from({ length: 100_000 }, () => 'y'),
    });
    expect(result).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('membership of a field in a huge list runs out of steps', () => {
    const values = {
      'activity.kind': 'DELETE_USERS',
      'activity.params.user_ids': Array.from({ length: 100_000 }, () => 'y'),
      wallet: { id: 'x' },
    };
    expect(evaluate('wallet.id in activity.params.user_ids', values)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('slices of a huge text run out of steps', () => {
    const values = { 'eth.tx': { data: `0x${'00'.repeat(2_000_000)}` } };
    expect(evaluate("eth.tx.data[0..4000000] == '0x'", values)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(evaluate("eth.tx.data[0..10] == '0x00000000'", values)).toBe(true);
  });

  test('an ALLOW that runs out of steps grants nothing, and a DENY denies', () => {
    const request = toRequest('solana-transfer', ['u-bob'], { namespaces: { 'solana.tx': { transfers: transfers(1_000) } } });
    const allow = { id: 'allow', effect: 'EFFECT_ALLOW', condition: nested } as const;
    expect(decide(compilePolicies([allow]), request).outcome).toBe('DENY');
    const both = decide(
      compilePolicies([
        { id: 'deny', effect: 'EFFECT_DENY', condition: nested },
        { id: 'all', effect: 'EFFECT_ALLOW' },
      ]),
      request,
    );
    expect(both).toMatchObject({ outcome: 'DENY', by: 'POLICY', policyIds: ['deny'] });
  });

  test('an expression without list methods never runs out of steps', () => {
    expect(defaultLimits.nodes).toBeLessThan(defaultLimits.steps);
    const text = Array.from({ length: 2_000 }, () => '1 == 1').join(' && ');
    expect(evaluate(text, {})).toBe(true);
  });

  test.each([
    ['a megabyte of text', 'true && '.repeat(131_072)],
    ['a thousand parentheses', `${'('.repeat(1_000)}true${')'.repeat(1_000)}`],
    ['parentheses up to the length limit', '('.repeat(32_768)],
    ['negations up to the length limit', '!'.repeat(32_768)],
    ['calls up to the length limit', 'a('.repeat(16_384)],
    ['fields up to the length limit', `a${'.a'.repeat(16_383)}`],
    ['open quotes up to the length limit', '“'.repeat(32_768)],
    ['escapes up to the length limit', `'${'\\a'.repeat(16_383)}`],
    ['digits up to the length limit', '9'.repeat(32_768)],
    ['groups of digits up to the length limit', `1${'_1'.repeat(16_383)}`],
    ['fractions up to the length limit', `0.${'1'.repeat(32_700)} ETH == 1`],
    ['minus signs up to the length limit', '-'.repeat(32_768)],
    ['D84: factors up to the length limit', `${'9999999999*'.repeat(2_900)}1 > 0`],
    ['unknown words up to the length limit', `${'x'.repeat(32_000)} == 1`],
    ['a long word of a vocabulary', `activity.kind == '${'x'.repeat(32_000)}'`],
  ])('%s is refused at once', (_, text) => {
    const vocabularies = { 'activity.kind': Array.from({ length: 200 }, (__, index) => `KIND_${index}`) };
    const { diagnostics } = quickly(() => compileExpression(text, 'condition', { vocabularies }));
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.length).toBeLessThanOrEqual(defaultLimits.diagnostics);
  });

  test('D84: a long sum and a long product are neither deep nor slow', () => {
    const values = { 'eth.tx': { value: 2n ** 256n - 1n } };
    expect(quickly(() => evaluate(`${'1+'.repeat(4_000)}1 == 4001`, {}))).toBe(true);
    expect(quickly(() => evaluate(`${'eth.tx.value-'.repeat(2_000)}0 < 0`, values))).toBe(true);
    expect(evaluate(`${'eth.tx.value*'.repeat(2_000)}1 > 0`, values)).toMatchObject({ code: 'INTEGER_TOO_LARGE' });
    const squares = 'solana.tx.transfers.sum(t, t.amount * t.amount * t.amount * t.amount) > 0';
    const large = Array.from({ length: 2_000 }, () => ({ from: 'a', to: 'b', amount: 2n ** 250n }));
    expect(quickly(() => evaluate(squares, { 'solana.tx': { transfers: large } }))).toBe(true);
    const many = Array.from({ length: 10_000 }, () => ({ from: 'a', to: 'b', amount: 1n }));
    expect(evaluate(squares, { 'solana.tx': { transfers: many } })).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('what is at the limit is accepted', () => {
    const depth = defaultLimits.depth;
    expect(parseExpression(`${'('.repeat(depth)}true${')'.repeat(depth)}`).diagnostics).toEqual([]);
    expect(
      compileExpression(`1 in [${Array.from({ length: 1_000 }, (_, index) => index).join(', ')}]`, 'condition').diagnostics,
    ).toEqual([]);
    expect(parseExpression(`${' '.repeat(defaultLimits.textLength - 4)}true`).diagnostics).toEqual([]);
  });
});

function evaluate(text: string, values: Record<string, PolicyValue>): boolean | EvaluationError {
  const { expression, diagnostics } = compileExpression(text, 'condition', host);
  if (expression === undefined) throw new Error(diagnostics.map(({ message }) => message).join('; '));
  return evaluateExpression(expression, new Map(Object.entries(values)));
}

function transfers(count: number): readonly PolicyValue[] {
  return Array.from({ length: count }, () => ({ from: 'a', to: 'b', amount: 1n }));
}

/** The limit is generous for busy machines. A regression takes minutes. */
function quickly<T>(run: () => T): T {
  const start = performance.now();
  const result = run();
  expect(performance.now() - start).toBeLessThan(20_000);
  return result;
}
