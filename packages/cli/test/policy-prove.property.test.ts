import type { Solver } from '@countersign/judgement';
import { compilePolicies, type DecisionRequest, decide, type PolicySource, prove } from '@countersign/policy';
import { policyOptions } from '@countersign/server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRequest } from '../../policy/src/decide/read-request.ts';
import { compileExpression, evaluateExpression } from '../../policy/src/expression.ts';
import { openSolver } from '../src/policy/solver.ts';

const A = '0x00000000000000000000000000000000000000aa';
const B = '0x00000000000000000000000000000000000000bb';
const C = '0x00000000000000000000000000000000000000cc';
const users = [
  { id: 'ann', alias: 'ann', tags: ['ops'] },
  { id: 'bo', alias: 'bo', tags: ['ops', 'night'] },
  { id: 'cy', alias: 'cy', tags: [] },
];
const rootQuorum = { threshold: 1, userIds: [] };
const activity = {
  kind: 'SIGN_TRANSACTION',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  types: ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'],
  selfService: false,
};

const small = fc.integer({ min: 0, max: 4 });
const comparison = fc.constantFrom('<', '<=', '>', '>=', '==', '!=');
const element = fc.oneof(
  fc.constantFrom('TRANSFER', 'FEE', 'UNKNOWN').map((kind) => `e.kind == '${kind}'`),
  fc.tuple(comparison, small).map(([operator, n]) => `e.amount ${operator} ${n}`),
  fc.constantFrom(A, B).map((address) => `e.to == '${address}'`),
  fc.constantFrom("e.to in contacts.tagged('vendors')", '!(e.to in contacts.all)', 'e.to == eth.tx.to', '!e.unlimited'),
);
const predicate = fc.tuple(element, fc.constantFrom(' && ', ' || '), element).map((parts) => parts.join(''));
const clause = fc.oneof(
  fc.tuple(comparison, small).map(([operator, n]) => `eth.tx.value ${operator} ${n}`),
  fc.tuple(small, small).map(([n, m]) => `eth.tx.value * 2 - ${n} <= eth.tx.gas / ${m - 5}`),
  fc.constantFrom(A, B).map((address) => `eth.tx.to == '${address}'`),
  fc.constantFrom('eth.tx.to in contacts.all', 'tx.understood', "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION'"),
  fc.constantFrom('solana.tx.max_fee <= 2', 'wallet.exported', "private_key.tags.contains('hot')"),
  fc.tuple(fc.constantFrom('all', 'any', 'none'), predicate).map(([method, body]) => `effects.${method}(e, ${body})`),
  fc
    .tuple(predicate, fc.constantFrom('all', 'any', 'none'), element)
    .map(([first, method, second]) => `effects.filter(e, ${first}).${method}(e, ${second})`),
  fc.tuple(predicate, comparison, small).map(([body, operator, n]) => `effects.filter(e, ${body}).count() ${operator} ${n}`),
  fc.tuple(predicate, comparison, small).map(([body, op, n]) => `effects.filter(e, ${body}).sum(e, e.amount) ${op} ${n}`),
  fc.tuple(comparison, small).map(([operator, n]) => `effects[1].amount ${operator} ${n}`),
);
const condition = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: clause },
      { weight: 1, arbitrary: clause.map((each) => `!(${each})`) },
      { weight: 1, arbitrary: fc.tuple(clause, clause).map(([left, right]) => `(${left} || ${right})`) },
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map((parts) => parts.join(' && '));
const consensus = fc.constantFrom(
  'approvers.count() >= 2',
  "approvers.any(u, u.id == 'ann')",
  "approvers.filter(u, u.tags.contains('ops')).count() >= 2",
  "!approvers.any(u, u.id == 'cy')",
  "approvers.all(u, u.tags.any(t, t == 'night'))",
);
const policySet = fc
  .array(
    fc.record(
      { effect: fc.constantFrom('EFFECT_ALLOW' as const, 'EFFECT_ALLOW' as const, 'EFFECT_DENY' as const), condition, consensus },
      { requiredKeys: ['effect', 'condition'] },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((policies) => policies.map((policy, index): PolicySource => ({ ...policy, id: `p${index}` })));
const property = fc.record({ forbid: condition, unless: consensus }, { requiredKeys: ['forbid'] });

/** Requests like those of the service: one chain, at least one effect, optional fields. */
const address = fc.constantFrom(A, B, C);
const amount = fc.integer({ min: 0, max: 6 }).map(BigInt);
const effect = fc.record(
  { kind: fc.constantFrom('TRANSFER', 'FEE', 'UNKNOWN'), amount, to: address, unlimited: fc.boolean() },
  { requiredKeys: ['kind'] },
);
const whole = fc.record({ kind: fc.constantFrom('TRANSFER', 'FEE'), amount, to: address, unlimited: fc.boolean() });
const requests = fc.record({
  chain: fc.oneof(
    { weight: 6, arbitrary: fc.record({ value: amount, to: address, gas: amount }).map((tx) => ({ 'eth.tx': tx })) },
    {
      weight: 1,
      arbitrary: fc.record({ value: amount, to: address, gas: amount }, { requiredKeys: [] }).map((tx) => ({ 'eth.tx': tx })),
    },
    { weight: 1, arbitrary: amount.map((fee) => ({ 'solana.tx': { max_fee: fee } })) },
  ),
  holder: fc.constantFrom(
    {},
    { wallet: { exported: true } },
    { wallet: { exported: false } },
    { private_key: { tags: ['hot'] } },
  ),
  effects: fc.oneof(fc.array(whole, { minLength: 1, maxLength: 5 }), fc.array(effect, { minLength: 1, maxLength: 3 })),
  understood: fc.boolean(),
  all: fc.subarray([A, B, C]),
  vendors: fc.subarray([A, B, C]),
  approvers: fc.subarray(users, { minLength: 1 }),
  type: fc.constantFrom(...activity.types),
});

function toRequest(drawn: typeof requests extends fc.Arbitrary<infer Drawn> ? Drawn : never): DecisionRequest {
  const { chain, holder, effects, understood, all, vendors, approvers, type } = drawn;
  const tagged = new Map(vendors.length > 0 ? [['vendors', vendors]] : []);
  return {
    approvers,
    credentials: [],
    activity: { type, kind: activity.kind, resource: activity.resource, action: activity.action },
    namespaces: {
      ...(chain as Record<string, Record<string, string | bigint>>),
      ...(holder as Record<string, Record<string, boolean | string[]>>),
      tx: { understood },
      effects: effects as Record<string, string | bigint | boolean>[],
      contacts: { all: [...new Set([...all, ...vendors])], tagged },
    },
    now: 0,
    rootQuorum,
    organizationUsers: new Map(users.map((user) => [user.id, user])),
  };
}

/** Whether a request violates the property: the policies allow it, `forbid` is true for it, and `unless` is not. */
function judge(policies: readonly PolicySource[], { forbid, unless }: { forbid: string; unless?: string }) {
  const set = compilePolicies(policies, policyOptions);
  const [forbidden, excused] = [compiled(forbid, 'condition'), unless === undefined ? undefined : compiled(unless, 'consensus')];
  return (request: DecisionRequest) => {
    const { values } = readRequest(request);
    if (decide(set, request).outcome !== 'ALLOW' || evaluateExpression(forbidden, values) !== true) return false;
    return excused === undefined || evaluateExpression(excused, values) !== true;
  };
}

const compiled = (text: string, field: 'condition' | 'consensus') => {
  const { expression } = compileExpression(text, field, policyOptions);
  if (expression === undefined) throw new Error(`does not compile: ${text}`);
  return expression;
};

describe('proofs', () => {
  let solver: Solver;
  beforeAll(async () => {
    solver = await openSolver();
  });
  afterAll(() => solver?.close());

  test('D95, D96: no random request violates a proven property, and the engine allows every counterexample', async () => {
    const pool = fc.sample(requests, { numRuns: 2_000, seed: 7 }).map(toRequest);
    const seen = { PROVEN: 0, REFUTED: 0, UNKNOWN: 0 };
    const unconfirmed: string[] = [];
    await fc.assert(
      fc.asyncProperty(policySet, property, async (policies, { forbid, unless }) => {
        const verdict = await prove(
          compilePolicies(policies, policyOptions),
          {
            name: 'random',
            forbid: compiled(forbid, 'condition'),
            ...(unless !== undefined && { unless: compiled(unless, 'consensus') }),
          },
          { activity, users, rootQuorum, options: policyOptions },
          { listSize: 3, includeRoot: false, solve: (script) => solver.solve(script, 5_000) },
        );
        seen[verdict.verdict] += 1;
        const isAgainst = judge(policies, { forbid, ...(unless !== undefined && { unless }) });
        if (verdict.verdict === 'REFUTED') expect(isAgainst(verdict.counterExample.request)).toBe(true);
        if (verdict.verdict === 'UNKNOWN' && verdict.reason === 'NOT_CONFIRMED')
          unconfirmed.push(JSON.stringify({ policies, forbid, unless }));
        // A proof for short lists is tested only with short lists.
        const within = verdict.verdict === 'PROVEN' ? (verdict.upTo ?? Number.POSITIVE_INFINITY) : 0;
        if (verdict.verdict === 'PROVEN' || (verdict.verdict === 'UNKNOWN' && verdict.reason === 'NOTHING_FORBIDDEN')) {
          const small = pool.filter(
            ({ namespaces }) => within === Number.POSITIVE_INFINITY || (namespaces.effects as unknown[]).length <= within,
          );
          expect(small.find(isAgainst)).toBeUndefined();
        }
      }),
      { numRuns: Number(process.env.PROOF_RUNS ?? 30), endOnFailure: true },
    );
    // A proof can model everything here, so the solver and the engine must agree on every request.
    expect(unconfirmed).toEqual([]);
    expect(seen.PROVEN).toBeGreaterThan(3);
    expect(seen.REFUTED).toBeGreaterThan(3);
  });

  test('A57, D95: a proof evaluates the same operands as the engine, in an ALLOW and in a DENY', async () => {
    // The division fails exactly if the comparison next to it decides, or exactly if it does not.
    const guarded = fc
      .tuple(
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom('==', '!='),
        fc.constantFrom(' && ', ' || '),
        fc.boolean(),
        fc.boolean(),
      )
      .map(([n, equality, joint, swapped, negated]) => {
        const parts = [`eth.tx.value ${equality} ${n}`, `6 / (eth.tx.value - ${n}) > 1`];
        const text = (swapped ? parts.toReversed() : parts).join(joint);
        return negated ? `!(${text})` : text;
      });
    const cases = fc.record({
      allow: guarded,
      deny: fc.oneof(fc.constant(undefined), guarded),
      forbid: fc.oneof(
        fc.integer({ min: 1, max: 3 }).map((n) => `eth.tx.value == ${n}`),
        guarded,
      ),
    });
    const requestOf = (value: bigint): DecisionRequest => ({
      approvers: users,
      credentials: [],
      activity: { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', kind: activity.kind, resource: 'PRIVATE_KEY', action: 'SIGN' },
      namespaces: { 'eth.tx': { value } },
      now: 0,
      rootQuorum,
      organizationUsers: new Map(users.map((user) => [user.id, user])),
    });
    // Above 9 every quotient is below 1, so larger values behave the same.
    const all = Array.from({ length: 12 }, (_, value) => requestOf(BigInt(value)));
    const seen = { PROVEN: 0, REFUTED: 0 };
    await fc.assert(
      fc.asyncProperty(cases, async ({ allow, deny, forbid }) => {
        const policies: readonly PolicySource[] = [
          { id: 'allow', effect: 'EFFECT_ALLOW', condition: allow },
          ...(deny === undefined ? [] : [{ id: 'deny', effect: 'EFFECT_DENY' as const, condition: deny }]),
        ];
        const { verdict } = await prove(
          compilePolicies(policies, policyOptions),
          { name: 'random', forbid: compiled(forbid, 'condition') },
          { activity, users, rootQuorum, options: policyOptions },
          { listSize: 1, includeRoot: false, solve: (script) => solver.solve(script, 5_000) },
        );
        const isAgainst = judge(policies, { forbid });
        if (all.some(isAgainst)) expect(verdict).toBe('REFUTED');
        else expect(verdict).not.toBe('REFUTED');
        if (verdict !== 'UNKNOWN') seen[verdict] += 1;
      }),
      { numRuns: Number(process.env.PROOF_RUNS ?? 30) },
    );
    expect(seen.PROVEN).toBeGreaterThan(3);
    expect(seen.REFUTED).toBeGreaterThan(3);
  });
});
