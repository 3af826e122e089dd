import type { Steps } from '@countersign/collections';
import { activities } from '@countersign/contract';
import {
  authorizeByPolicy,
  CURRENT_RULES,
  denyEarly,
  mayRead,
  mayReadInSteps,
  sameDecision,
  showDecision,
} from '@countersign/judgement';
import { type CompiledPolicy, decisionLimits } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { counting } from '../src/authorize-by-policy.ts';
import { policySetOf } from '../src/compiled-policies.ts';
import type { MustBeNamed } from '../src/named-in-policy.ts';
import { judgement, NOW, organization, type Person, type PolicyText, vote } from './support/world.ts';

const people = [{ id: 'a' }, { id: 'b' }, { id: 'root1' }, { id: 'root2' }];
const quorum = { threshold: 2, userIds: ['root1', 'root2'] };
/** Almost as many nodes as an expression may have. */
const long = Array.from({ length: 2_700 }, () => '1<2').join('&&');
const stepLimit = { outcome: 'DENY', by: 'STEP_LIMIT', policyIds: [], evaluations: [] };

type Policies = Readonly<Record<string, PolicyText>>;

function many(count: number, policy: PolicyText, prefix = 'p'): Policies {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${String(at).padStart(5, '0')}`, policy]));
}

function judged(
  policies: Policies,
  voters = ['a'],
  rules: number | undefined = CURRENT_RULES,
  users: readonly Person[] = people,
) {
  const votes = voters.map((id) => vote(id));
  return judgement(organization(users, policies, quorum), votes, { rules });
}

describe('D350: one step budget for all policies of a decision', () => {
  test('denies if the policies exceed it together, whatever their order', () => {
    const heavy = many(70, { condition: long });
    expect(authorizeByPolicy.decide(judged(heavy))).toEqual(stepLimit);
    const denyFirst = { ...many(1, { effect: 'EFFECT_DENY' }, 'a'), ...heavy };
    expect(authorizeByPolicy.decide(judged(denyFirst))).toEqual(stepLimit);
    const denyLast = { ...heavy, ...many(1, { effect: 'EFFECT_DENY' }, 'z') };
    expect(authorizeByPolicy.decide(judged(denyLast))).toEqual(stepLimit);
    // Half as many policies are within the budget.
    expect(authorizeByPolicy.decide(judged(many(35, { condition: long })))).toMatchObject({ outcome: 'ALLOW', by: 'POLICY' });
  });

  test('is a rule of decisions from this version on', () => {
    const heavy = many(70, { condition: long });
    expect(authorizeByPolicy.decide(judged(heavy, ['a'], 1))).toMatchObject({ outcome: 'ALLOW', by: 'POLICY' });
  });

  test('does not restrict the root quorum, which can remove the policies', () => {
    const heavy = many(70, { effect: 'EFFECT_DENY', condition: long });
    expect(authorizeByPolicy.decide(judged(heavy, ['root1']))).toMatchObject({
      outcome: 'NEEDS_CONSENSUS',
      mayApprove: ['root2'],
      evaluations: [],
    });
    expect(authorizeByPolicy.decide(judged(heavy, ['root1', 'root2']))).toMatchObject({ outcome: 'ALLOW', by: 'ROOT_QUORUM' });
  });

  test('includes the search for users who may still approve', () => {
    const users = Array.from({ length: 1_000 }, (_, at) => ({ id: `u${String(at).padStart(4, '0')}` }));
    const unmet = { consensus: 'approvers.count() == 2' };
    const perUser = { effect: 'EFFECT_DENY' as const, consensus: `approvers.any(user, user.id == 'x') && ${long}` };
    expect(authorizeByPolicy.decide(judged({ p: unmet, q: perUser }, ['u0000'], CURRENT_RULES, users))).toEqual(stepLimit);
    const short = { effect: 'EFFECT_DENY' as const, consensus: "approvers.any(user, user.id == 'x')" };
    const pending = authorizeByPolicy.decide(judged({ p: unmet, q: short }, ['u0000'], CURRENT_RULES, users));
    expect(pending).toMatchObject({ outcome: 'NEEDS_CONSENSUS' });
  });

  test('suffices for ten thousand policies that all apply to a request', () => {
    const condition =
      "activity.action != 'EXPORT' && activity.resource in ['PRIVATE_KEY', 'WALLET'] && activity.type != 'ACTIVITY_TYPE_X' && !(activity.kind == 'SIGN_TRANSACTION')";
    const policies = many(10_000, { condition, consensus: 'approvers.count() >= 1' });
    const decision = authorizeByPolicy.decide(judged(policies));
    expect(decision).toMatchObject({ outcome: 'ALLOW', by: 'POLICY' });
    expect(decision.policyIds).toHaveLength(10_000);
  });

  test('an early denial does not evaluate more than that', () => {
    const tags = Array.from({ length: 100 }, (_, at) => `t${at}`);
    const squared = `user.tags.any(x, user.tags.any(y, x == 'none' && y == 'none' && ${'1<2&&'.repeat(500)}1<2))`;
    const consensus = `approvers.any(user, ${squared})`;
    const voter = [{ id: 'a', userTags: tags }];
    const activity = (count: number) => {
      const { definition, type, votes, organization: where } = judged(many(count, { consensus }), ['a'], CURRENT_RULES, voter);
      return { organization: where, votes, definition, type };
    };
    expect(denyEarly({ ...activity(3), rules: CURRENT_RULES })).toBeUndefined();
    expect(denyEarly({ ...activity(0), rules: CURRENT_RULES })).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
  });
});

/** The number of pauses of work in steps, and its result. */
function pausesOf<T>(steps: Steps<T>): { readonly pauses: number; readonly value: T } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done === true) return { pauses, value };
  }
}

describe('D433: finding out which policies name what a request must name', () => {
  const COST = 100_000;

  /** A set of policies that counts how often each is asked. */
  function asked(count: number) {
    const set = policySetOf(organization(people, many(count, {})));
    const calls = new Map<string, number>();
    const required: MustBeNamed = {
      isNamedIn({ id }, budget) {
        calls.set(id, (calls.get(id) ?? 0) + 1);
        budget.spend(COST);
        return id !== 'p00001';
      },
      why: '',
    };
    return { set: counting(set, [required], decisionLimits), calls };
  }
  const noValues = { get: () => undefined, has: () => false };

  test('asks each policy once per decision, however many users may approve', () => {
    const { set, calls } = asked(4);
    const { value, pauses } = pausesOf(set.candidatesInSteps?.(noValues) as Steps<readonly CompiledPolicy[]>);
    expect(value.map(({ id }) => id)).toEqual(['p00000', 'p00002', 'p00003']);
    expect(pauses).toBeGreaterThanOrEqual(4);
    for (let user = 0; user < 50; user++) expect(set.candidates(noValues)).toEqual(value);
    expect([...calls.values()]).toEqual([1, 1, 1, 1]);
  });

  test('stops after the steps of a decision, and then no ALLOW counts', () => {
    const { set, calls } = asked(100);
    expect(set.candidates(noValues)).toEqual([]);
    expect(calls.size).toBe(decisionLimits.steps / COST + 1);
    for (let user = 0; user < 50; user++) expect(set.candidates(noValues)).toEqual([]);
    expect(Math.max(...calls.values())).toBe(1);
  });

  test('a DENY counts all the same, and the root quorum still approves', () => {
    const tags = Array.from({ length: 20 }, (_, at) => `11111111-1111-4111-8111-1111111111${10 + at}`);
    const trusting = { consensus: `approvers.any(user, ${tags.map((tag) => `user.tags.contains('${tag}')`).join(' || ')})` };
    const params = { userId: 'b', userTagIds: tags };
    const request = {
      definition: activities.updateUser as never,
      params,
      subject: { touches: [{ what: 'TAGS', userId: 'b', tagIds: tags } as const], parameters: () => params },
    };
    const decided = (policies: Policies, voters: readonly string[]) =>
      authorizeByPolicy.decide(
        judgement(
          organization(people, { trusting, ...policies }, quorum),
          voters.map((id) => vote(id)),
          {
            rules: CURRENT_RULES,
            ...request,
          },
        ),
      );
    const kind = "activity.kind == 'UPDATE_USER'";
    const named = tags.map((tag) => `activity.params.user_tag_ids.contains('${tag}')`);
    const exact = many(1, { language: 3, condition: `${kind} && ${named.join(' && ')}` }, 'z');
    // Each is evaluated for every tag but the last.
    const short = Array.from({ length: 2_000 }, () => '1<2').join('&&');
    const wide = many(5, { language: 3, condition: `${kind} && ${named.slice(0, -1).join(' && ')} && ${short}` });
    const deny = many(1, { language: 3, effect: 'EFFECT_DENY', condition: kind }, 'deny');
    expect(decided(exact, ['a'])).toMatchObject({ outcome: 'ALLOW', by: 'POLICY' });
    expect(decided({ ...wide, ...exact }, ['a'])).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
    expect(decided({ ...deny, ...wide, ...exact }, ['a'])).toMatchObject({ outcome: 'DENY', by: 'POLICY' });
    expect(decided({ ...deny, ...wide }, ['root1', 'root2'])).toMatchObject({ outcome: 'ALLOW', by: 'ROOT_QUORUM' });
  });
});

describe('D434: policies for queries', () => {
  const reads = { path: 'get_organization', reads: { resources: ['ORGANIZATION', 'USER', 'POLICY', 'WALLET'] } } as const;
  const readingOf = (policies: Policies) => {
    const where = organization(people, policies, quorum);
    const restricted = { ...where, profile: { ...where.profile, features: [{ name: 'FEATURE_NAME_READ_POLICIES' }] } };
    return {
      organization: restricted as unknown as typeof where,
      target: restricted as unknown as typeof where,
      query: reads as never,
      userId: 'a',
      credentialId: 'a-key',
      nowMs: NOW,
    };
  };

  test('are evaluated in steps, for each resource', () => {
    const { pauses, value } = pausesOf(
      mayReadInSteps(readingOf(many(10, { condition: `activity.action == 'READ' && ${long}` }))),
    );
    expect(value).toBe(true);
    expect(pauses).toBeGreaterThan(20);
  });

  test('deny beyond the steps of a decision, except to the root quorum', () => {
    const heavy = readingOf(many(70, { condition: `activity.action == 'READ' && ${long}` }));
    expect(mayRead(heavy)).toBe(false);
    expect(mayRead({ ...heavy, userId: 'root1', credentialId: 'root1-key' })).toBe(true);
    expect(mayRead(readingOf(many(2, { condition: "activity.action == 'READ'" })))).toBe(true);
  });
});

describe('D350: the size of a stored decision', () => {
  const storedLength = (policies: Policies) => {
    const asked = judged(policies);
    const decision = authorizeByPolicy.decide(asked);
    const stored = showDecision(decision, asked);
    return JSON.stringify({ ...stored, values: authorizeByPolicy.reads(asked, decision) }).length;
  };

  test('does not grow with the policies', () => {
    const read = Array.from({ length: 20 }, (_, at) => `activity.params.payload != '${'x'.repeat(40)}${at}'`).join(' && ');
    for (const policy of [{}, { effect: 'EFFECT_DENY' as const }, { condition: read, language: 2 as const }])
      expect(storedLength(many(5_000, policy))).toBeLessThan(6_000);
    expect(storedLength(many(5_000, { consensus: 'approvers.count() >= 2' }))).toBeLessThan(6_000);
  });

  test('counts the policies that it does not list, and lists those that determine the outcome', () => {
    const asked = judged({
      ...many(100, { condition: "activity.action != 'SIGN'" }),
      ...many(40, { effect: 'EFFECT_DENY' }, 'z'),
    });
    const stored = showDecision(authorizeByPolicy.decide(asked), asked);
    expect(stored).toMatchObject({ outcome: 'DENY', by: 'POLICY', policyCount: 40, evaluatedCount: 140 });
    expect(stored.policyIds).toHaveLength(20);
    expect(stored.evaluations).toHaveLength(20);
    expect(stored.evaluations.every(({ outcome }) => outcome === 'OUTCOME_DENY_EXPLICIT')).toBe(true);
    expect(sameDecision(asked, stored, showDecision(authorizeByPolicy.decide(asked), asked))).toBe(true);
    const edited = { ...stored, evaluations: [{ ...stored.evaluations[0], outcome: 'OUTCOME_ALLOW' as const }] };
    expect(sameDecision(asked, edited as typeof stored, stored)).toBe(false);
  });

  test('lists everything of an ordinary decision, and of decisions of before', () => {
    const few = judged(many(20, { effect: 'EFFECT_DENY' }));
    const stored = showDecision(authorizeByPolicy.decide(few), few);
    expect(stored.policyIds).toHaveLength(20);
    expect(stored).not.toHaveProperty('policyCount');
    expect(stored).not.toHaveProperty('evaluatedCount');
    const before = judged(many(100, { effect: 'EFFECT_DENY' }), ['a'], 1);
    expect(showDecision(authorizeByPolicy.decide(before), before).evaluations).toHaveLength(100);
  });
});

describe('D351: the size of an explanation', () => {
  test('does not grow with the policies, and a shortened one says so', () => {
    const policies = many(60, { effect: 'EFFECT_DENY', condition: long });
    for (const rules of [1, CURRENT_RULES]) {
      const explanation = authorizeByPolicy.explain(judged(policies, ['a'], rules));
      expect(explanation.decision).toMatchObject({ outcome: 'DENY', by: 'POLICY' });
      expect(explanation.shortened).toBe(true);
      expect(JSON.stringify(explanation).length).toBeLessThan(500_000);
    }
  });

  test('a decision that exceeds the steps is explained', () => {
    const explanation = authorizeByPolicy.explain(judged(many(70, { condition: long })));
    expect(explanation.decision).toMatchObject({ outcome: 'DENY', by: 'STEP_LIMIT' });
    expect(explanation.changes[0]).toContain(`more than ${decisionLimits.steps} steps`);
  });

  test('an ordinary explanation is complete', () => {
    const condition = "activity.action == 'SIGN' && activity.resource == 'WALLET'";
    const explanation = authorizeByPolicy.explain(judged(many(50, { condition })));
    expect(explanation).not.toHaveProperty('shortened');
    expect(explanation.policies.every(({ expressions }) => (expressions.condition?.parts.length ?? 0) > 0)).toBe(true);
  });
});
