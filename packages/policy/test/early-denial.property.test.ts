import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileCached } from '../src/decide/compile-cache.ts';
import { addToIndex, emptyIndex, type PolicyIndex } from '../src/decide/policy-index.ts';
import type { CompiledExpression } from '../src/expression.ts';
import {
  type ActivityWords,
  compilePolicies,
  couldApply,
  couldCount,
  emptyPolicySet,
  type GrowingPolicySet,
  type PolicySource,
  type PolicyUser,
} from '../src/index.ts';
import { arbitraryPolicies } from './support/arbitrary-policy.ts';
import { users } from './support/decisions.ts';
import { host } from './support/host.ts';

const activities: readonly ActivityWords[] = [
  { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', kind: 'SIGN_TRANSACTION', resource: 'WALLET', action: 'SIGN' },
  { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', kind: 'SIGN_RAW_PAYLOAD', resource: 'WALLET', action: 'SIGN' },
  { type: 'ACTIVITY_TYPE_CREATE_WALLET', kind: 'CREATE_WALLET', resource: 'WALLET', action: 'CREATE' },
  { type: 'ACTIVITY_TYPE_DELETE_USERS', kind: 'DELETE_USERS', resource: 'USER', action: 'DELETE' },
  { type: 'ACTIVITY_TYPE_EXPORT_WALLET', kind: 'EXPORT_WALLET', resource: 'WALLET', action: 'EXPORT' },
];

/** Predicates on approvers: every kind of index key, and similar expressions that are not keys. */
const predicate = fc.constantFrom(
  "user.id == 'u-alice'",
  "user.id in ['u-bob', 'u-carol']",
  "user.id != 'u-alice'",
  "user.tags.contains('t-ops')",
  "'t-ops' in user.tags",
  "(user.id == 'u-dave' || user.tags.contains('t-ops'))",
  "(user.id == 'u-dave' || user.tags.count() > 1)",
  "user.email == ''",
  "user.alias == 'Alice'",
  "user.tags.contains('t-ops') && user.id == 'u-bob'",
  'user.tags.count() > 0 && user.id == approvers[0].id',
  "approvers.any(other, other.id == 'u-bob') && user.id == 'u-carol'",
  'true',
);
const people = fc.oneof(
  predicate.map((body) => `approvers.any(user, ${body})`),
  predicate.map((body) => `approvers.filter(user, ${body}).count() >= 2`),
  fc.tuple(predicate, predicate).map(([a, b]) => `approvers.filter(user, ${a}).any(user, ${b})`),
  fc.constantFrom(
    "credentials.any(c, c.user_id == 'u-bob')",
    "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')",
    'approvers.count() >= 1',
    'approvers.count() >= 0',
    'true',
    'false',
    "approvers.all(user, user.id == 'u-alice')",
  ),
);
const consensus = fc.oneof(
  people,
  fc.tuple(people, fc.constantFrom('&&', '||'), people).map(([a, operator, b]) => `${a} ${operator} ${b}`),
);
const policies = fc
  .tuple(arbitraryPolicies, fc.array(consensus, { maxLength: 12 }))
  .map(([all, texts]) =>
    all.map((policy, at): PolicySource => ({ ...policy, ...(texts[at] !== undefined && { consensus: texts[at] }) })),
  );
const person = fc.constantFrom<PolicyUser>(
  ...users.values(),
  { id: 'u-new', tags: ['t-ops', 't-x'], alias: 'Alice', credentials: [] },
  { id: "u=\n*\n'", tags: ['*'], alias: '*\n*\n', email: '', credentials: [] },
);

const scan = (set: GrowingPolicySet, activity: ActivityWords, user: PolicyUser) =>
  set.policies.some((policy) => couldApply(policy, activity) && couldCount(policy, user));

describe('early denial over the policy index', () => {
  test('D236: the index gives the result of a scan of all policies, after any changes', () => {
    const changes = fc.array(fc.tuple(fc.nat(9), policies), { minLength: 1, maxLength: 4 });
    const seen = { granted: 0, refused: 0 };
    fc.assert(
      fc.property(changes, person, fc.constantFrom(...activities), (steps, user, activity) => {
        let set = emptyPolicySet(host);
        for (const [place, all] of steps) {
          for (const policy of all) set = set.with(policy.id, policy);
          set = set.without(`p${place}`);
          const answer = set.couldGrant(activity, user);
          expect(answer).toBe(scan(set, activity, user));
          seen[answer ? 'granted' : 'refused']++;
        }
      }),
      { numRuns: 400 },
    );
    expect(Math.min(seen.granted, seen.refused)).toBeGreaterThan(50);
  });

  test('D236: skips policies of other approvers and other activities', () => {
    const reads = { conditions: 0 };
    const sources = Array.from({ length: 2_000 }, (_, at): PolicySource => {
      const condition = at % 2 === 0 ? `wallet.id == 'w-${at}'` : `activity.type == 'ACTIVITY_TYPE_${at}'`;
      return {
        id: `p${at}`,
        effect: 'EFFECT_ALLOW',
        condition,
        ...(at % 2 === 0 && { consensus: `approvers.any(user, user.id == 'u-${at}')` }),
      };
    });
    const set = compilePolicies(sources, host) as GrowingPolicySet;
    for (const { condition } of set.policies) {
      const { typed } = condition as CompiledExpression;
      Object.defineProperty(condition, 'typed', {
        get() {
          reads.conditions++;
          return typed;
        },
      });
    }
    const user: PolicyUser = { id: 'u-7', tags: [], alias: 'Seven', credentials: [] };
    for (const activity of activities) expect(set.couldGrant(activity, user)).toBe(false);
    expect(reads.conditions).toBe(0);
    expect(set.couldGrant(activities[0] as ActivityWords, { ...user, id: 'u-8' })).toBe(true);
    expect(set.couldGrant({ ...(activities[0] as ActivityWords), type: 'ACTIVITY_TYPE_9' }, user)).toBe(true);
    expect(reads.conditions).toBe(2);
  });

  test('without a user, a policy for anybody counts', () => {
    const set = compilePolicies(
      [{ id: 'p', effect: 'EFFECT_ALLOW', condition: "wallet.id == 'w'", consensus: "approvers.any(user, user.id == 'u')" }],
      host,
    ) as GrowingPolicySet;
    expect(set.couldGrant(activities[0] as ActivityWords, undefined)).toBe(true);
    expect(set.couldGrant(activities[3] as ActivityWords, undefined)).toBe(false);
  });
});

describe('policies that name thousands of people and activities', () => {
  const several = (count: number, name: string, of: string) => {
    const texts = Array.from({ length: count }, (_, at) => `'${name}${at.toString(36)}'`);
    const lists = Array.from({ length: Math.ceil(count / 1_000) }, (_, at) => texts.slice(at * 1_000, (at + 1) * 1_000));
    return lists.map((list) => `${of} in [${list.join(',')}]`).join(' || ');
  };
  const naming = (people: number, types: number): PolicySource => ({
    id: `${people}/${types}`,
    effect: 'EFFECT_ALLOW',
    condition: several(types, 'ACTIVITY_TYPE_', 'activity.type'),
    consensus: `approvers.any(user, ${several(people, 'u', 'user.id')})`,
  });
  const long: PolicySource = {
    id: 'long',
    effect: 'EFFECT_ALLOW',
    condition: several(100, 'ACTIVITY_TYPE_', 'activity.type'),
    consensus: `approvers.any(user, user.alias == '${'a'.repeat(30_000)}')`,
  };
  const all = [naming(4_000, 900), naming(200, 1), naming(200, 900), naming(1, 900), naming(4_000, 1), naming(300, 2), long];

  test('D240: have at most one index entry for each literal', () => {
    for (const source of all) {
      const { policy, keys } = compileCached(source, host);
      expect(policy.invalid, source.id).toEqual([]);
      const { index } = addToIndex(emptyIndex, 'p', { policy, keys });
      const literals = `${source.condition}${source.consensus}`.split("'").length / 2;
      expect(entriesOf(index), source.id).toBeGreaterThan(0);
      expect(entriesOf(index), source.id).toBeLessThanOrEqual(literals);
    }
  });

  test('D240: are found by every user whom they could grant something', () => {
    const person = (id: string): PolicyUser => ({ id, tags: [], alias: 'a'.repeat(30_000), credentials: [] });
    const activity = (type: string): ActivityWords => ({ type, kind: 'CREATE_WALLET', resource: 'WALLET', action: 'CREATE' });
    for (const source of all) {
      const set = compilePolicies([source], host) as GrowingPolicySet;
      for (const user of ['u0', 'u5j', 'u32z', 'nobody'].map(person))
        for (const type of ['ACTIVITY_TYPE_0', 'ACTIVITY_TYPE_OZ', 'ACTIVITY_TYPE_oz', 'ACTIVITY_TYPE_CREATE_WALLET'])
          expect(set.couldGrant(activity(type), user), source.id).toBe(scan(set, activity(type), user));
    }
  });
});

function entriesOf({ always, byApprover, byNamespace, byPath, byInvalidRead }: PolicyIndex): number {
  const values = [...byPath.values()].reduce((sum, { byValue }) => sum + byValue.size, 0);
  return always.size + byApprover.size + byNamespace.size + values + byInvalidRead.size;
}

describe('policies under controls that change', () => {
  const controls = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('daily', 'weekly', 'first'),
      doc: fc.constantFrom('A limit', 'Another'),
      kinds: fc.constantFrom(['SIGN_TRANSACTION'], ['SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD'], ['CREATE_WALLET']),
    }),
    { selector: ({ name }) => name },
  );
  const condition = fc.constantFrom(
    'controls.daily',
    "activity.kind == 'SIGN_TRANSACTION' && !controls.daily",
    'controls.weekly && controls.daily',
    "controls.first || activity.resource == 'WALLET'",
    "activity.resource == 'WALLET'",
    'controls.dayly',
    'nonsense',
    "wallet.label == 'controls.daily'",
  );
  const effect = fc.constantFrom('EFFECT_ALLOW' as const, 'EFFECT_DENY' as const);

  test('D236: a set that followed changes of controls equals one that is compiled under the last of them', () => {
    const lists = fc.array(controls, { minLength: 1, maxLength: 4 });
    const texts = fc.array(fc.record({ effect, condition }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, lists, fc.boolean(), (all, steps, askBetween) => {
        const sources = all.map((policy, at): PolicySource => ({ ...policy, id: `p${at}` }));
        const grow = (options: typeof host) =>
          sources.reduce((set, source) => set.with(source.id, source), emptyPolicySet(options));
        let options: typeof host = { ...host, controls: [] };
        let set = grow(options);
        let before = new Map<string, string>();
        for (const list of steps) {
          const now = new Map<string, string>(list.map(({ name, kinds }) => [name, kinds.join()]));
          const changed = new Set([...before.keys(), ...now.keys()].filter((name) => before.get(name) !== now.get(name)));
          options = { ...host, controls: list };
          set = set.withControls(options, changed);
          before = now;
          if (askBetween) set.namedControls();
        }
        const fresh = grow(options);
        expect(set.policies.map(essence)).toEqual(fresh.policies.map(essence));
        expect(set.namedControls()).toEqual(fresh.namedControls());
        expect(set.denyDependsOnPeople).toBe(fresh.denyDependsOnPeople);
        for (const kind of ['SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD', 'CREATE_WALLET']) {
          const values = new Map([
            ['activity.kind', kind],
            ['activity.resource', 'WALLET'],
          ]);
          expect(set.candidates(values).map(({ id }) => id)).toEqual(fresh.candidates(values).map(({ id }) => id));
        }
      }),
      { numRuns: 200 },
    );
  });

  function essence({ id, effect, invalid, condition: compiled }: GrowingPolicySet['policies'][number]) {
    const uses = compiled?.uses.map(({ namespace: { path, alwaysIn } }) => [path, [...(alwaysIn ?? [])]]);
    return { id, effect, invalid, uses };
  }
});
