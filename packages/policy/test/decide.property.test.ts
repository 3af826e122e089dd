import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkPolicy,
  compilePolicies,
  couldApply,
  couldCount,
  type Decision,
  decide,
  emptyPolicySet,
  explain,
  type PolicySource,
} from '../src/index.ts';
import { arbitraryApprovers, arbitraryPolicies, arbitraryValues } from './support/arbitrary-policy.ts';
import { loadInputs } from './support/corpus.ts';
import { fromValues, toRequest, users } from './support/decisions.ts';
import { host } from './support/host.ts';
import { arbitrarySpelling } from './support/respell.ts';

const values = arbitraryValues(loadInputs());
const rest = fc.record({
  rootQuorum: fc.constantFrom({ threshold: 2, userIds: ['u-root-1', 'u-root-2'] }, { threshold: 1, userIds: [] }),
  selfService: fc.boolean(),
});

describe('properties of decisions', () => {
  test('the index never changes a decision', () => {
    fc.assert(
      fc.property(arbitraryPolicies, values, arbitraryApprovers, rest, (policies, request, approvers, more) => {
        const set = compilePolicies(policies, host);
        const { policies: every, denyDependsOnPeople } = set;
        const all = { policies: every, denyDependsOnPeople, candidates: () => every };
        const wanted = fromValues(request, approvers, more);
        expect(essence(decide(set, wanted))).toEqual(essence(decide(all, wanted)));
      }),
      { numRuns: 300 },
    );
  });

  test('a set that policies came to and left, in any order, asks and decides as one that is compiled afresh', () => {
    const changes = fc.array(fc.tuple(fc.integer({ min: 0, max: 7 }), arbitraryPolicies), { maxLength: 12 });
    fc.assert(
      fc.property(changes, values, arbitraryApprovers, rest, (steps, request, approvers, more) => {
        let grown = emptyPolicySet(host);
        const kept = new Map<string, PolicySource>();
        for (const [place, [policy]] of steps) {
          const id = `p${place}`;
          grown = policy === undefined ? grown.without(id) : grown.with(id, { ...policy, id });
          if (policy === undefined) kept.delete(id);
          else kept.set(id, { ...policy, id });
        }
        const fresh = compilePolicies(
          [...kept.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
          host,
        );
        const wanted = fromValues(request, approvers, more);
        expect(decide(grown, wanted)).toEqual(decide(fresh, wanted));
        expect(grown.policies.map(({ id }) => id)).toEqual(fresh.policies.map(({ id }) => id));
        expect(grown.denyDependsOnPeople).toBe(fresh.denyDependsOnPeople);
      }),
      { numRuns: 200 },
    );
  });

  test('D160: what is refused before it is planned would be refused in full too, whatever it holds', () => {
    let refused = 0;
    fc.assert(
      fc.property(arbitraryPolicies, values, arbitraryApprovers, (policies, request, approvers) => {
        const set = compilePolicies(policies, host);
        const wanted = fromValues(request, approvers, { rootQuorum: { threshold: 1, userIds: [] } });
        const { type = '', kind, resource, action } = wanted.activity;
        // The service derives these three, so they are texts. In a damaged input they may have any type.
        if (typeof kind !== 'string' || typeof resource !== 'string' || typeof action !== 'string') return;
        const people = approvers.map((id) => users.get(id)).filter((each) => each !== undefined);
        fc.pre(people.length > 0);
        const might = set.policies.some(
          (policy) => couldApply(policy, { type, kind, resource, action }) && people.some((each) => couldCount(policy, each)),
        );
        if (might) return;
        refused++;
        expect(decide(set, wanted).outcome).toBe('DENY');
      }),
      { numRuns: 400 },
    );
    // A check that denies nothing would be safe but useless.
    expect(refused).toBeGreaterThan(5);
  });

  test('formatting, spacing and comments never change a decision', () => {
    let respelled = 0;
    fc.assert(
      fc.property(arbitraryPolicies, values, arbitraryApprovers, arbitrarySpelling, (policies, request, approvers, spell) => {
        // What does not compile has no other spelling.
        const valid = policies.filter((policy) => checkPolicy(policy, host).length === 0);
        const others = valid.map(({ condition, consensus, ...policy }) => ({
          ...policy,
          ...(condition !== undefined && { condition: spell(condition) }),
          ...(consensus !== undefined && { consensus: spell(consensus) }),
        }));
        respelled += others.filter(({ condition }, index) => condition !== valid[index]?.condition).length;
        const wanted = fromValues(request, approvers);
        // What is missing is quoted as it is written.
        const decisions = [valid, others].map((each) => {
          const { waiting: _, ...decision } = { waiting: [], ...essence(decide(compilePolicies(each, host), wanted)) };
          return decision;
        });
        expect(decisions[1]).toEqual(decisions[0]);
      }),
      { numRuns: 200 },
    );
    expect(respelled).toBeGreaterThan(100);
  });

  test('D50: the order of policies never changes a decision', () => {
    const shuffled = arbitraryPolicies.chain((policies) =>
      fc.tuple(fc.constant(policies), fc.shuffledSubarray([...policies], { minLength: policies.length })),
    );
    fc.assert(
      fc.property(shuffled, values, arbitraryApprovers, rest, ([policies, others], request, approvers, more) => {
        const wanted = fromValues(request, approvers, more);
        const decisions = [policies, others].map((each) => essence(decide(compilePolicies(each, host), wanted)));
        expect(decisions[0]).toEqual(decisions[1]);
      }),
      { numRuns: 100 },
    );
  });

  test('D50: one more DENY never opens anything', () => {
    fc.assert(
      fc.property(arbitraryPolicies, arbitraryPolicies, values, arbitraryApprovers, (policies, extra, request, approvers) => {
        const denies = extra.map((policy, index) => ({ ...policy, id: `d${index}`, effect: 'EFFECT_DENY' as const }));
        const wanted = fromValues(request, approvers);
        const before = decide(compilePolicies(policies, host), wanted).outcome;
        const after = decide(compilePolicies([...policies, ...denies], host), wanted).outcome;
        if (before !== 'ALLOW') expect(after).not.toBe('ALLOW');
        if (before === 'DENY') expect(after).toBe('DENY');
      }),
      { numRuns: 100 },
    );
  });

  test('an explanation reaches the same decision and says what each policy gave', () => {
    fc.assert(
      fc.property(arbitraryPolicies, values, arbitraryApprovers, rest, (policies, request, approvers, more) => {
        const set = compilePolicies(policies, host);
        const wanted = fromValues(request, approvers, more);
        const decision = decide(set, wanted);
        const explanation = explain(set, wanted);
        expect(essence(explanation.decision)).toEqual(essence(decision));
        for (const { policyId, outcome } of decision.evaluations) {
          const explained = explanation.policies.find((policy) => policy.policyId === policyId);
          expect(explained?.outcome).toBe(outcome);
          const holds = outcome === 'OUTCOME_ALLOW' || outcome === 'OUTCOME_DENY_EXPLICIT';
          // One that the explanation had no room for has no parts either.
          const isDetailed = explanation.shortened !== true || Object.keys(explained?.expressions ?? {}).length > 0;
          if (holds || isDetailed) expect(explained?.reasons.length === 0).toBe(holds);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('an explanation that ran out of room says so, and still gives reasons for the policies in detail', () => {
    // The part that is false comes last, so that there is room for the parts before it only.
    const long = [
      ...Array.from({ length: 200 }, (_, index) => `eth.tx.nonce != ${9_000 + index}`),
      'eth.tx.nonce == 1_000_000',
    ].join(' && ');
    const policies = ['p0', 'p1', 'p2', 'p3', 'p4'].map((id): PolicySource => ({ id, effect: 'EFFECT_ALLOW', condition: long }));
    const explanation = explain(compilePolicies(policies, host), toRequest('eth-transfer', ['u-alice']));
    const detailed = explanation.policies.filter(({ expressions }) => expressions.condition !== undefined);
    expect(explanation.shortened).toBe(true);
    expect(detailed.length).toBeGreaterThan(0);
    expect(detailed.length).toBeLessThan(policies.length);
    for (const { reasons } of detailed) expect(reasons).not.toEqual([]);
  });

  test('waiting is worth it: when all who may approve have done so, the request is allowed', () => {
    const monotone = fc
      .array(
        fc.constantFrom(
          "approvers.any(u, u.id == 'u-bob')",
          "approvers.filter(u, u.tags.contains('t-ops')).count() > 1",
          'approvers.count() >= 3',
          "2 <= approvers.filter(u, u.tags.contains('t-security')).count()",
          'approvers.any(u, credentials.any(c, c.user_id == u.id))',
          "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
        ),
        { minLength: 1, maxLength: 3 },
      )
      .chain((parts) => fc.constantFrom(' && ', ' || ').map((joint) => parts.join(joint)));
    const people = fc.uniqueArray(fc.constantFrom('u-alice', 'u-bob', 'u-carol', 'u-dave'), { minLength: 1, maxLength: 2 });
    fc.assert(
      fc.property(monotone, people, (consensus, approvers) => {
        const set = compilePolicies([{ id: 'p', effect: 'EFFECT_ALLOW', consensus }]);
        const decision = decide(set, toRequest('eth-transfer', approvers));
        if (decision.outcome !== 'NEEDS_CONSENSUS') return;
        expect(decision.mayApprove.some((id) => approvers.some((approver) => approver === id))).toBe(false);
        expect(decide(set, toRequest('eth-transfer', [...approvers, ...decision.mayApprove])).outcome).toBe('ALLOW');
      }),
      { numRuns: 100 },
    );
  });
});

/** A decision without the list of evaluated policies. */
function essence({ evaluations: _, ...decision }: Decision) {
  return {
    ...decision,
    policyIds: [...decision.policyIds].sort(),
    ...('waiting' in decision ? { waiting: [...decision.waiting].map((each) => JSON.stringify(each)).sort() } : {}),
  };
}
