import { describe, expect, test } from 'vitest';
import { compilePolicies, type ExplainedPart, explain, type PolicySource, renderExplanation } from '../src/index.ts';
import { defaultLimits } from '../src/limits.ts';
import { toRequest } from './support/decisions.ts';
import { host } from './support/host.ts';

const A = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const explained = (policies: readonly PolicySource[], input: string, approvers: readonly string[], rest = {}) =>
  explain(compilePolicies(policies, host), toRequest(input, approvers, rest));

describe('explanations', () => {
  test('a refusal names what the request held and what the policy needs', () => {
    const policy: PolicySource = {
      id: 'treasury',
      effect: 'EFFECT_ALLOW',
      condition: `eth.tx.to == '${A}' && eth.tx.value <= 1000 && eth.tx.chain_id in [1, 10]`,
      consensus: "approvers.any(user, user.id == 'u-bob')",
    };
    const explanation = explained([policy], 'eth-other', ['u-bob']);
    expect(explanation.changes).toEqual([
      'policy treasury would allow this, but `eth.tx.to` was ' +
        "'0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'; it must be '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'; and " +
        '`eth.tx.value` was 115792089237316195423570985008687907853269984665640564039457584007913129639935; it must be at most 1000',
    ]);
  });

  test('computed values, sums and units are shown as they were', () => {
    const policy = (condition: string): PolicySource => ({ id: 'p', effect: 'EFFECT_ALLOW', condition });
    const why = (condition: string) => explained([policy(condition)], 'effects-pay', ['u-bob']).changes[0];
    expect(why('tx.max_fee * 2 + 1 <= 0.001 ETH')).toBe(
      'policy p would allow this, but `tx.max_fee * 2 + 1` was 8000000000000001; it must be at most 0.001 ETH',
    );
    const sum = "effects.filter(e, e.kind == 'TRANSFER').sum(e, e.amount)";
    expect(why(`${sum} <= 1_000 USDC`)).toBe(
      `policy p would allow this, but \`${sum}\` was 24000000000; it must be at most 1_000 USDC`,
    );
    expect(why("effects.none(e, e.kind == 'FEE')")).toBe("policy p would allow this, but e number 2 satisfies `e.kind == 'FEE'`");
    expect(why('7 / (tx.max_fee - tx.max_cost) > 1')).toContain('has no value: this divides by zero');
  });

  test('the tree shows every part with its value', () => {
    const policies: readonly PolicySource[] = [
      {
        id: 'ops',
        effect: 'EFFECT_ALLOW',
        condition: "activity.kind == 'SIGN_TRANSACTION' && eth.tx.data[0..10] == '0xa9059cbb'",
        consensus: "approvers.filter(user, user.tags.contains('t-ops')).count() >= 2",
        time: "time.now < Timestamp('2027-01-01T00:00:00Z')",
      },
      { id: 'bitcoin', effect: 'EFFECT_DENY', condition: 'bitcoin.tx.fee > 5' },
    ];
    expect(renderExplanation(explained(policies, 'eth-token-transfer', ['u-bob']))).toMatchInlineSnapshot(`
      "NEEDS_CONSENSUS (may approve: u-carol, u-root-3)
      approvers: u-bob
      root quorum: 0 of 1
      policy ops (EFFECT_ALLOW): OUTCOME_REQUIRES_CONSENSUS
      ├─ time: time.now < Timestamp('2027-01-01T00:00:00Z') → true
      │  └─ time.now → 2026-03-02T15:00:00.000Z
      ├─ condition: activity.kind == 'SIGN_TRANSACTION' && eth.tx.data[0..10] == '0xa9059cbb' → true
      │  ├─ activity.kind == 'SIGN_TRANSACTION' → true
      │  │  └─ activity.kind → 'SIGN_TRANSACTION'
      │  └─ eth.tx.data[0..10] == '0xa9059cbb' → true
      │     └─ eth.tx.data[0..10] → '0xa9059cbb'
      │        └─ eth.tx.data → '0xa9059cbb00000000000000000000000008d2b0a37f869ff76bacb5bab3278e26ab7067b70000000000000000000000…'
      └─ consensus: approvers.filter(user, user.tags.contains('t-ops')).count() >= 2 → false
         └─ approvers.filter(user, user.tags.contains('t-ops')).count() → 1
            └─ approvers.filter(user, user.tags.contains('t-ops')) → [{id: 'u-bob', tags: ['t-ops'], email: '', alias: 'bob'}]
               ├─ approvers → [{id: 'u-bob', tags: ['t-ops'], email: '', alias: 'bob'}]
               └─ for {id: 'u-bob', tags: ['t-ops'], email: '', alias: 'bob'}: user.tags.contains('t-ops') → true
                  └─ user.tags → ['t-ops']
      policy bitcoin (EFFECT_DENY): OUTCOME_ERROR NAMESPACE_ABSENT
      └─ condition: bitcoin.tx.fee > 5 → NAMESPACE_ABSENT: this request has no \`bitcoin.tx\`
         └─ bitcoin.tx.fee → NAMESPACE_ABSENT: this request has no \`bitcoin.tx\`
      what would change it:
        - one more approval for policy ops (\`approvers.filter(user, user.tags.contains('t-ops')).count() >= 2\`), by: u-carol, u-root-3"
    `);
  });

  test('a part that was not asked is shown with its value, and decides nothing', () => {
    const condition = `eth.tx.value > 0 || eth.tx.data[0..10] == '0xa9059cbb'`;
    const allow: PolicySource = { id: 'allow', effect: 'EFFECT_ALLOW', condition };
    expect(renderExplanation(explained([allow], 'eth-transfer', ['u-bob']))).toMatchInlineSnapshot(`
      "ALLOW (by policy)
      approvers: u-bob
      root quorum: 0 of 1
      policy allow (EFFECT_ALLOW): OUTCOME_ALLOW
      └─ condition: eth.tx.value > 0 || eth.tx.data[0..10] == '0xa9059cbb' → true
         ├─ eth.tx.value > 0 → true
         │  └─ eth.tx.value → 1000000000000000000
         └─ eth.tx.data[0..10] == '0xa9059cbb' → INDEX_OUT_OF_RANGE: there are only 2 elements (not asked)
            └─ eth.tx.data[0..10] → INDEX_OUT_OF_RANGE: there are only 2 elements
               └─ eth.tx.data → '0x'
      what would change it:
        - a policy with EFFECT_DENY that applies would have denied this"
    `);
    const deny: PolicySource = { id: 'deny', effect: 'EFFECT_DENY', condition: `!(${condition})` };
    const both = explained([allow, deny], 'eth-transfer', ['u-bob']);
    expect(both.changes).toEqual([
      'policy deny denies this because its condition could not be evaluated: there are only 2 elements',
    ]);
  });

  test('what is not asked takes no steps from what is', () => {
    const condition = `eth.tx.value > 0 || [1, 2, 3].all(x, [1, 2, 3].all(y, [1, 2, 3].all(z, x + y + z > 0)))`;
    const limits = { ...defaultLimits, steps: 20 };
    const set = compilePolicies([{ id: 'p', effect: 'EFFECT_ALLOW', condition }], { ...host, limits });
    const explanation = explain(set, toRequest('eth-transfer', ['u-bob']));
    expect(explanation.decision.outcome).toBe('ALLOW');
    expect(explanation.policies[0]?.expressions.condition?.parts[1]).toMatchObject({
      unasked: true,
      error: { code: 'LIMIT_EXCEEDED' },
    });
  });

  test('what people typed cannot steer the terminal', () => {
    const wallet = { id: 'w', imported: false, exported: false, label: '\u001b[2J\u202e\nALLOW' };
    const condition = "wallet.label == 'x'";
    const explanation = explained([{ id: 'p', effect: 'EFFECT_ALLOW', condition }], 'eth-transfer', ['u-bob'], {
      namespaces: { wallet },
    });
    for (const character of ['\u001b', '\u202e']) expect(renderExplanation(explanation)).not.toContain(character);
    expect(renderExplanation(explanation)).not.toMatch(/^ALLOW/m);
  });

  test('an element of a list is named', () => {
    const condition = "solana.tx.transfers.all(t, t.to == '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')";
    const { changes } = explained([{ id: 'p', effect: 'EFFECT_ALLOW', condition }], 'solana-two-transfers', ['u-bob']);
    expect(changes).toEqual([
      "policy p would allow this, but t number 1: `t.to` was '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA'; it must be '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'",
    ]);
  });

  test('D49: the two kinds of error are told apart', () => {
    const policies: readonly PolicySource[] = [
      { id: 'about-bitcoin', effect: 'EFFECT_DENY', condition: 'bitcoin.tx.fee > 5' },
      { id: 'about-calls', effect: 'EFFECT_DENY', condition: "eth.tx.data[0..10] == '0xa9059cbb'" },
    ];
    const { decision, changes, policies: seen } = explained(policies, 'eth-transfer', ['u-bob']);
    expect(decision).toMatchObject({ outcome: 'DENY', by: 'POLICY', policyIds: ['about-calls'] });
    expect(seen.map(({ error, denies }) => [error?.code, denies])).toEqual([
      ['NAMESPACE_ABSENT', false],
      ['INDEX_OUT_OF_RANGE', true],
    ]);
    expect(changes).toEqual([
      'policy about-calls denies this because its condition could not be evaluated: there are only 2 elements',
    ]);
  });

  test('waiting says how many approvals are missing, for what, and by whom', () => {
    const consensus = "approvers.filter(user, user.tags.contains('t-ops')).count() >= 3";
    const rootQuorum = { threshold: 2, userIds: ['u-root-1', 'u-root-2', 'u-root-3'] };
    const { changes } = explained([{ id: 'p', effect: 'EFFECT_ALLOW', consensus }], 'eth-transfer', ['u-root-3'], { rootQuorum });
    expect(changes).toEqual([
      'one more approval for the root quorum, by: u-root-1, u-root-2',
      `2 more approvals for policy p (\`${consensus}\`), by: u-bob, u-carol`,
    ]);
  });

  test('policies about the request come before those about something else', () => {
    const policies: readonly PolicySource[] = [
      { id: 'solana', effect: 'EFFECT_ALLOW', condition: 'solana.tx.transfers.count() == 1' },
      { id: 'near', effect: 'EFFECT_ALLOW', condition: 'eth.tx.nonce == 99' },
    ];
    expect(explained(policies, 'eth-transfer', ['u-bob']).changes.map((change) => change.split(' ')[1])).toEqual([
      'near',
      'solana',
    ]);
  });

  test('long lists and texts are cut, and the explanation stays small', () => {
    const transfers = Array.from({ length: 400 }, (_, index) => ({ from: 'a', to: 'b'.repeat(5_000), amount: BigInt(index) }));
    const condition = "solana.tx.transfers.all(t, t.amount < 1000 && t.to != 'ADDRESS_TABLE_LOOKUP')";
    const explanation = explained([{ id: 'p', effect: 'EFFECT_ALLOW', condition }], 'solana-transfer', ['u-bob'], {
      namespaces: { 'solana.tx': { transfers } },
    });
    expect(explanation.decision.outcome).toBe('ALLOW');
    expect(JSON.stringify(explanation).length).toBeLessThan(40_000);
  });
});

test('a part has a value or an error, never both', () => {
  const policies = [
    { id: 'other', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_WALLET' && false && solana.tx.fee_payer == 'x'" },
    { id: 'lost', effect: 'EFFECT_DENY', condition: "activity.resource != 'AUTH' && activity.params.user_id == 'u-bob'" },
    { id: 'plain', effect: 'EFFECT_ALLOW', condition: 'eth.tx.value > 5 || eth.tx.nonce == 1' },
  ] as const;
  const parts = (part: ExplainedPart): readonly ExplainedPart[] => [part, ...part.parts.flatMap(parts)];
  for (const input of ['eth-transfer', 'wallet-create', 'session-lost', 'eth-unprotected']) {
    const explained = explain(compilePolicies(policies, host), toRequest(input, ['u-bob']));
    const all = explained.policies.flatMap(({ expressions }) => Object.values(expressions).flatMap(parts));
    expect(all.length).toBeGreaterThan(0);
    for (const { text, value, error } of all)
      expect([text, value !== undefined, error !== undefined]).not.toEqual([text, true, true]);
  }
});
