import { describe, expect, test } from 'vitest';
import type { Typed } from '../src/check/typed.ts';
import { compilePolicies, type PolicySet } from '../src/decide/policy-set.ts';
import { type CompiledExpression, compileExpression } from '../src/expression.ts';
import type { CompiledPolicy } from '../src/policy.ts';
import { prove } from '../src/prove/prove.ts';

const compiled = (text: string): CompiledExpression => {
  const { expression } = compileExpression(text, 'condition');
  if (expression === undefined) throw new Error(`does not compile: ${text}`);
  return expression;
};
const activity = {
  kind: 'SIGN_TRANSACTION',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  types: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'],
  selfService: false,
};
const world = { activity, users: [], rootQuorum: { threshold: 1, userIds: [] }, options: {} };
// The property would be proven: the solver finds no counterexample, and a request that satisfies `forbid`.
const answers = ['unsat', 'unsat', 'sat'];

function proveWith(policy: CompiledPolicy, forbid = compiled('eth.tx.value > 1')) {
  const policies = [policy];
  const set: PolicySet = { policies, denyDependsOnPeople: false, candidates: () => policies };
  const left = [...answers].slice(1);
  const settings = { listSize: 1, includeRoot: false, solve: async () => left.shift() ?? 'sat' };
  return prove(set, { name: 'x', forbid }, world, settings);
}

const [policy] = compilePolicies([{ id: 'p', effect: 'EFFECT_ALLOW', condition: 'eth.tx.value <= 1' }]).policies as [
  CompiledPolicy,
];
const condition = policy.condition as CompiledExpression;
const changed = (typed: object): CompiledPolicy => ({ ...policy, condition: { ...condition, typed: typed as Typed } });
const outside = { verdict: 'UNKNOWN', reason: 'OUTSIDE' };

describe('a proof', () => {
  test('is made of constructs that it knows', async () => {
    expect(await proveWith(policy)).toEqual({ verdict: 'PROVEN' });
  });

  test.each([
    ['a construct', changed({ ...condition.typed, kind: 'later' })],
    ['a construct inside another', changed({ ...condition.typed, kind: 'not', operand: { ...condition.typed, kind: 'later' } })],
    ['an operator', changed({ ...condition.typed, operator: '~' })],
    ['a member of a construct', changed({ ...condition.typed, caseless: true })],
    ['a member of an expression', { ...policy, condition: { ...condition, later: true } }],
    ['a member of a policy', { ...policy, later: true }],
  ])('D424: does not exist if a policy has %s that proofs do not know', async (_name, strange) => {
    expect(await proveWith(strange)).toMatchObject(outside);
  });

  test('D424: does not exist if the property has a construct that proofs do not know', async () => {
    const forbid = compiled('eth.tx.value > 1');
    const typed = { ...forbid.typed, kind: 'later' } as unknown as Typed;
    expect(await proveWith(policy, { ...forbid, typed })).toMatchObject(outside);
  });
});
