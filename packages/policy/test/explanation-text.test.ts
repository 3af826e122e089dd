import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePolicies, explain, explanationText, type PolicySource } from '../src/index.ts';
import { arbitraryApprovers, arbitraryPolicies, arbitraryValues } from './support/arbitrary-policy.ts';
import { loadInputs } from './support/corpus.ts';
import { decisionCases, fromValues, toRequest } from './support/decisions.ts';
import { host } from './support/host.ts';

/** Options of their own have caches of their own, so nothing that was explained before can be given again. */
const explainedAfresh = (policies: readonly PolicySource[], request: Parameters<typeof explain>[1]) =>
  JSON.stringify(explain(compilePolicies(policies, { ...host }), request));

const spending: PolicySource = {
  id: 'p',
  effect: 'EFFECT_ALLOW',
  condition: 'eth.tx.chain_id == 1 && eth.tx.value < 5000000000000000000',
  consensus: "approvers.any(user, user.tags.contains('t-ops'))",
};

const transfer = (value: bigint) => ({ namespaces: { 'eth.tx': { chain_id: 1n, value } } });

describe('explanations that are given again', () => {
  test('are those of a policy that was never explained, and their JSON is that of JSON.stringify', () => {
    const requests = fc.array(fc.tuple(arbitraryValues(loadInputs()), arbitraryApprovers), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(arbitraryPolicies, requests, (policies, all) => {
        const set = compilePolicies(policies, { ...host });
        for (const [values, approvers] of [...all, ...all]) {
          const request = fromValues(values, approvers);
          const explanation = explain(set, request);
          const text = JSON.stringify(explanation);
          expect(explanationText(explanation)).toBe(text);
          expect(explanationText(explanation)).toBe(text);
          expect(text).toBe(explainedAfresh(policies, request));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('of every decision of the corpus', () => {
    for (const { policies, input, approvers } of decisionCases) {
      const set = compilePolicies(policies, { ...host });
      for (const people of [approvers, [], approvers]) {
        const request = toRequest(input, people);
        const explanation = explain(set, request);
        expect(explanationText(explanation)).toBe(explainedAfresh(policies, request));
      }
    }
  });

  test('are the same objects as long as what they show is the same, part by part', () => {
    const set = compilePolicies([spending], { ...host });
    const of = (value: bigint) => explain(set, toRequest('eth-transfer', ['u-bob'], transfer(value))).policies[0]?.expressions;
    const [first, same, other, back] = [of(1n), of(1n), of(2n), of(1n)];
    expect(same?.condition).toBe(first?.condition);
    expect(same?.consensus).toBe(first?.consensus);
    expect(other?.condition).not.toBe(first?.condition);
    expect(other?.condition?.parts[0]).toBe(first?.condition?.parts[0]);
    expect(other?.condition?.parts[1]?.parts[0]?.value).toBe('2');
    expect(other?.consensus).toBe(first?.consensus);
    expect(back).toEqual(first);
  });

  test('of a refusal are made anew: whoever is refused makes nobody else forget', () => {
    const set = compilePolicies([spending], { ...host });
    const of = (value: bigint) => explain(set, toRequest('eth-transfer', ['u-bob'], transfer(value))).policies[0]?.expressions;
    const first = of(1n);
    const [refused, again] = [of(10n ** 20n), of(10n ** 20n)];
    expect(refused?.condition?.value).toBe('false');
    expect(again?.condition).not.toBe(refused?.condition);
    expect(of(1n)?.condition).toBe(first?.condition);
  });

  test('names and values with every kind of character are written as JSON.stringify writes them', () => {
    const label = '"\\\u0000\u001f\u007f\u2028\ud800 é 😀\n';
    const condition = `wallet.label == '${label.replace(/[\\']/g, '\\$&')}'`;
    const set = compilePolicies([{ id: label, effect: 'EFFECT_ALLOW', condition: "wallet.id == 'w'" }], { ...host });
    const wallet = { id: 'w', imported: false, exported: false, label };
    for (let round = 0; round < 3; round++) {
      const explanation = explain(set, toRequest('eth-transfer', ['u-bob'], { namespaces: { wallet } }));
      expect(explanationText(explanation)).toBe(JSON.stringify(explanation));
    }
    const named = compilePolicies([{ id: 'p', effect: 'EFFECT_ALLOW', condition }], { ...host });
    for (let round = 0; round < 3; round++) {
      const explanation = explain(named, toRequest('eth-transfer', ['u-bob'], { namespaces: { wallet } }));
      expect(explanationText(explanation)).toBe(JSON.stringify(explanation));
    }
  });

  test('a long expression, or one with a long explanation, is not kept', () => {
    const addresses = Array.from({ length: 40 }, (_, at) => `'0x${String(at).padStart(40, '1')}'`);
    const long = `eth.tx.value < 5000000000000000000 || eth.tx.to in [${addresses.join(', ')}]`;
    const transfers = Array.from({ length: 12 }, () => ({ from: 'a'.repeat(90), to: 'b'.repeat(90), amount: 1n }));
    const wide = 'solana.tx.transfers.all(t, t.amount < 1000 && t.amount + 1 < 1000)';
    const cases: readonly (readonly [string, string, object])[] = [
      [long, 'eth-transfer', transfer(1n)],
      [wide, 'solana-transfer', { namespaces: { 'solana.tx': { transfers } } }],
    ];
    for (const [condition, input, rest] of cases) {
      const set = compilePolicies([{ id: 'p', effect: 'EFFECT_ALLOW', condition }], { ...host });
      const [first, second] = [0, 1].map(() => explain(set, toRequest(input, ['u-bob'], rest)));
      expect(first?.decision.outcome).toBe('ALLOW');
      expect(second).toEqual(first);
      expect(second?.policies[0]?.expressions.condition).not.toBe(first?.policies[0]?.expressions.condition);
    }
  });

  test('of many short parts are forgotten sooner: the memory that all of them take has a bound', () => {
    const conditionOf = (at: number) => `${'1==1&&'.repeat(150)}${at}==${at}`;
    const request = toRequest('eth-transfer', ['u-bob'], transfer(1n));
    const sets = Array.from({ length: 400 }, (_, at) =>
      compilePolicies([{ id: 'p', effect: 'EFFECT_ALLOW', condition: conditionOf(at) }], { ...host }),
    );
    const explained = () => sets.map((set) => explain(set, request).policies[0]?.expressions.condition);
    const [first, second] = [explained(), explained()];
    expect(second).toEqual(first);
    expect(second.filter((condition, at) => condition === first[at])).toEqual([]);
    const again = explain(sets.at(-1) as (typeof sets)[number], request).policies[0]?.expressions.condition;
    expect(again).toBe(second.at(-1));
  });
});
