import { describe, expect, test } from 'vitest';
import { EvaluationError } from '../src/evaluate/evaluation-error.ts';
import { compileExpression, evaluateExpression } from '../src/expression.ts';
import { compilePolicies, decide, type PolicyValue } from '../src/index.ts';
import { toRequest, users } from './support/decisions.ts';

/** Values that a host may pass although the types forbid them. */
const broken = (value: unknown) => value as PolicyValue;

describe('an input that is not of the schema is an error, never a crash and never a match', () => {
  test.each([
    ['null for a namespace', "wallet.id == 'a'", { wallet: broken(null) }],
    ['null for a field', "wallet.id == 'a'", { wallet: { id: broken(null) } }],
    ['a number for a namespace', "wallet.id == 'a'", { wallet: broken(5) }],
    ['a list for a record', "wallet.id == 'a'", { wallet: [] }],
    ['a number for an integer', 'eth.tx.value == 5', { 'eth.tx': { value: broken(5) } }],
    ['a number for an integer, in order', 'eth.tx.value < 5', { 'eth.tx': { value: broken(4) } }],
    ['a text for an integer', 'eth.tx.value < 5', { 'eth.tx': { value: '4' } }],
    ['a text for a boolean', '!wallet.exported', { wallet: { exported: 'false' } }],
    ['a text for a list', "private_key.tags.contains('a')", { private_key: { tags: 'abc' } }],
    ['a record for a map', "eth.tx.contract_call_args['toString'] == 'a'", { 'eth.tx': { contract_call_args: {} } }],
    [
      'null in a map',
      "eth.tx.contract_call_args['a'] == 'a'",
      { 'eth.tx': { contract_call_args: new Map([['a', broken(null)]]) } },
    ],
    ['null in a list', 'solana.tx.transfers.any(t, t.amount == 1)', { 'solana.tx': { transfers: [broken(null)] } }],
    ['inherited fields', "wallet.label == 'a'", { wallet: Object.create({ label: 'a' }) as PolicyValue }],
  ])('%s', (_, text, values) => {
    const { expression } = compileExpression(text, 'condition');
    const result = expression && evaluateExpression(expression, new Map(Object.entries(values)));
    expect(result).toBeInstanceOf(EvaluationError);
    const set = compilePolicies([
      { id: 'deny', effect: 'EFFECT_DENY', condition: text },
      { id: 'allow', effect: 'EFFECT_ALLOW' },
    ]);
    expect(decide(set, toRequest('wallet-create', ['u-bob'], { namespaces: values })).outcome).toBe('DENY');
  });
});

describe('D52: only live users count', () => {
  const consensus = "approvers.filter(user, user.tags.contains('t-ops')).count() >= 2";
  const set = compilePolicies([{ id: 'p', effect: 'EFFECT_ALLOW', consensus }]);

  test('an approver counts with the tags that the organization knows now, not with those of the vote', () => {
    const stale = { id: 'u-dave', tags: ['t-ops'], alias: 'dave' };
    const request = toRequest('eth-transfer', ['u-bob']);
    expect(decide(set, { ...request, approvers: [...request.approvers, stale] }).outcome).toBe('NEEDS_CONSENSUS');
  });

  test('a removed user and their credentials no longer count', () => {
    const request = toRequest('eth-transfer', ['u-bob', 'u-carol']);
    expect(decide(set, request).outcome).toBe('ALLOW');
    const organizationUsers = new Map([...users].filter(([id]) => id !== 'u-carol'));
    expect(decide(set, { ...request, organizationUsers }).outcome).toBe('NEEDS_CONSENSUS');
    const byPasskey = compilePolicies([
      { id: 'p', effect: 'EFFECT_ALLOW', consensus: "credentials.any(c, c.user_id == 'u-bob')" },
    ]);
    expect(decide(byPasskey, request).outcome).toBe('ALLOW');
    expect(
      decide(byPasskey, { ...request, organizationUsers: new Map([...users].filter(([id]) => id !== 'u-bob')) }).outcome,
    ).toBe('DENY');
  });

  test('nobody at all is allowed nothing', () => {
    expect(decide(set, toRequest('eth-transfer', [])).outcome).toBe('DENY');
    expect(decide(compilePolicies([]), toRequest('user-create', [], { selfService: true })).outcome).toBe('DENY');
  });
});
