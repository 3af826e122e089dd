import type { PastStateShape } from '@countersign/contract';
import { compilePolicies, decide } from '@countersign/policy';
import { policyOptions } from '@countersign/server';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PastRequest } from '../src/policy/past-requests.ts';
import { decisionRequestOf, type Suggestion, suggest } from '../src/policy/suggest/suggest.ts';

const address = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
const coin = 'eip155:1/slip44:60';
const stateOf = (tagged: Record<string, string[]> = {}): PastStateShape => ({
  users: [
    { id: 'ann', tags: ['ops'], alias: 'Ann' },
    { id: 'bo', tags: [], alias: 'Bo' },
  ],
  rootQuorum: { threshold: 1, userIds: ['root'] },
  policies: [],
  contacts: { all: Object.values(tagged).flat(), tagged },
});

interface Payment {
  readonly to: number;
  readonly value: bigint;
  readonly fee: bigint;
  readonly chain: bigint;
}

const int = (value: bigint) => ({ $int: `${value}` });

/** Policy view of a payment in ether. */
function paid({ to, value, fee, chain }: Payment, index: number, state = stateOf(), userId = 'ann'): PastRequest {
  const effect = { kind: 'TRANSFER', asset: coin, amount: int(value), from: address(1), to: address(to), owner: address(to) };
  return {
    activityId: `activity-${index}`,
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
    userId,
    createdAt: { seconds: '1', nanos: '0' },
    decidedAtMs: `${1_700_000_000_000 + index}`,
    decided: 'ALLOW',
    by: 'POLICY',
    approvers: [{ userId, credentialType: 'CREDENTIAL_TYPE_API_KEY_P256' }],
    parameters: { type: 'TRANSACTION_TYPE_ETHEREUM' },
    namespaces: {
      wallet: { id: 'wallet-1', imported: false, exported: false, label: 'Wallet' },
      wallet_account: { address: address(1) },
      'eth.tx': { to: address(to), data: '0x', value: int(value), chain_id: int(chain) },
      effects: [effect, { kind: 'FEE', asset: coin, amount: int(fee), from: address(1), to: '' }],
      tx: { fully_parsed: true, understood: true, max_fee: int(fee) },
      'tx.is_payment': value > 0n,
      ...(value > 0n && { 'tx.payments': [{ asset: coin, amount: int(value), from: address(1), to: address(to) }] }),
    },
    state,
  };
}

const payment: fc.Arbitrary<Payment> = fc.record({
  to: fc.integer({ min: 2, max: 15 }),
  value: fc.bigInt({ min: 0n, max: 10n ** 24n }),
  fee: fc.bigInt({ min: 0n, max: 10n ** 18n }),
  chain: fc.constantFrom(1n, 10n),
});

const compiled = new WeakMap<Suggestion, ReturnType<typeof compilePolicies>>();

function outcomeOf(suggestion: Suggestion, request: PastRequest): string {
  const { policyName, effect, condition, consensus } = suggestion;
  const set = compiled.get(suggestion) ?? compilePolicies([{ id: policyName, effect, condition, consensus }], policyOptions);
  compiled.set(suggestion, set);
  return decide(set, decisionRequestOf(request)).outcome;
}

function only(requests: readonly PastRequest[]): Suggestion {
  const { suggestions, left } = suggest(requests, { userId: 'ann' });
  expect(left).toEqual([]);
  expect(suggestions).toHaveLength(1);
  return suggestions[0] as Suggestion;
}

describe('a suggested policy', () => {
  test('allows all its evidence, and no other recipients, amounts, fees and chains', () => {
    fc.assert(
      fc.property(fc.array(payment, { minLength: 1, maxLength: 30 }), (payments) => {
        const requests = payments.map((each, index) => paid(each, index));
        const policy = only(requests);
        for (const request of requests) expect(outcomeOf(policy, request)).toBe('ALLOW');
        const [first] = payments as [Payment];
        const most = (of: (each: Payment) => bigint) => payments.map(of).sort((a, b) => (a < b ? 1 : -1))[0] as bigint;
        const changed: Payment[] = [
          { ...first, to: 99 },
          { ...first, value: most(({ value }) => value) + 1n },
          { ...first, fee: most(({ fee }) => fee) + 1n },
          { ...first, chain: 137n },
        ];
        for (const each of changed) expect(outcomeOf(policy, paid(each, 1000))).toBe('DENY');
        expect(outcomeOf(policy, paid(first, 1001, stateOf(), 'bo'))).toBe('DENY');
      }),
      { numRuns: 30 },
    );
  });

  test('reads payments if all of its evidence are payments', () => {
    const payments = [5n, 7n].map((value, index) => paid({ to: 2, value, fee: 1n, chain: 1n }, index));
    const { condition } = only(payments);
    expect(condition).toContain('tx.is_payment');
    expect(condition).toContain(`tx.payments.total('${coin}') <= 7`);
    expect(condition).not.toContain('effects');
    const nothing = paid({ to: 2, value: 0n, fee: 1n, chain: 1n }, 9);
    expect(only([...payments, nothing]).condition).toContain('effects.filter');
  });

  test('is independent of the order of activities', () => {
    fc.assert(
      fc.property(fc.array(payment, { minLength: 2, maxLength: 10 }), (payments) => {
        const requests = payments.map((each, index) => paid(each, index));
        expect(only(requests.toReversed()).condition).toBe(only(requests).condition);
      }),
      { numRuns: 20 },
    );
  });

  test('uses a contact tag for a long list of recipients, and reports if there is none', () => {
    const many = Array.from({ length: 21 }, (_, index) => ({ to: index + 2, value: 1n, fee: 1n, chain: 1n }));
    const vendors = many.map(({ to }) => address(to));
    const tagged = stateOf({ everybody: [...vendors, address(500)], vendors });
    const policy = only(many.map((each, index) => paid(each, index, tagged)));
    expect(policy.condition).toContain("contacts.tagged('vendors')");
    expect(outcomeOf(policy, paid({ to: 500, value: 1n, fee: 1n, chain: 1n }, 99, tagged))).toBe('DENY');
    const open = only(many.map((each, index) => paid(each, index)));
    expect(open.gaps.join()).toContain('no contact tag covers them');
  });

  test('applies to users with a tag, and requires the minimum number of past approvals', () => {
    const request = paid({ to: 2, value: 1n, fee: 1n, chain: 1n }, 0);
    const both = {
      ...request,
      approvers: [...request.approvers, { userId: 'bo', credentialType: 'CREDENTIAL_TYPE_API_KEY_P256' }],
    };
    const { suggestions } = suggest([both], { tagId: 'ops' });
    const policy = suggestions[0] as Suggestion;
    expect(policy.consensus).toBe("approvers.any(user, user.tags.contains('ops')) && approvers.count() >= 2");
    expect(outcomeOf(policy, both)).toBe('ALLOW');
    expect(outcomeOf(policy, request)).toBe('NEEDS_CONSENSUS');
    expect(suggest([request], { tagId: 'no such tag' }).suggestions).toEqual([]);
  });

  test('ignores denied activities', () => {
    const request = paid({ to: 2, value: 1n, fee: 1n, chain: 1n }, 0);
    expect(suggest([{ ...request, decided: 'DENY' }], { userId: 'ann' })).toEqual({ suggestions: [], left: [] });
  });
});
