import { finished } from '@countersign/collections';
import { type ActivityDefinition, activities, activityByType } from '@countersign/contract';
import { authorizeByPolicy, CURRENT_RULES, decideByCredential, denyEarly, surelyDeniedInSteps } from '@countersign/judgement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgement, NOW, organization, type Person, type PolicyText, vote } from './support/world.ts';

const definitions: readonly ActivityDefinition[] = Object.values(activities);
const people: readonly Person[] = [{ id: 'root' }, { id: 'a', userTags: ['ops'] }, { id: 'b', userTags: ['new'] }];
const roots = { threshold: 1, userIds: ['root'] };

const sureDenials = (userId: string, where: Where) => finished(surelyDeniedInSteps(definitions, { organization: where, userId }));

function deniedTo(
  userId: string,
  policies: Record<string, PolicyText>,
  persons = people,
  which: 'always' | 'aboutOthers' = 'always',
) {
  const denied = sureDenials(userId, organization(persons, policies, roots))[which];
  return new Map([...denied].map(([{ name }, by]) => [name, by]));
}

describe('activity types that are surely denied', () => {
  test('are all but self-service and votes for a user without rights, and none for a root user', () => {
    const denied = deniedTo('b', {});
    const others = definitions.filter(({ name }) => !denied.has(name));
    const resources = new Set(others.filter(({ vote: voted }) => voted === undefined).map(({ policy }) => policy.resource));
    expect([...resources].sort()).toEqual(['AUTH', 'CREDENTIAL', 'MFA_POLICY']);
    expect(others.filter(({ vote: voted }) => voted !== undefined)).toHaveLength(2);
    expect(denied.get('createWallet')).toBe('IMPLICIT');
    expect(denied.get('updateRootQuorum')).toBe('ROOT_QUORUM_ONLY');
    expect(deniedTo('root', { p: { effect: 'EFFECT_DENY' } }).size).toBe(0);
  });

  test('D1142: include self-service about other users, unless a policy could allow it', () => {
    const about = (policies: Record<string, PolicyText>, userId = 'b') => deniedTo(userId, policies, people, 'aboutOthers');
    const selfService = definitions.filter(({ name, vote: voted }) => voted === undefined && !deniedTo('b', {}).has(name));
    expect([...about({}).keys()]).toEqual(selfService.map(({ name }) => name));
    expect(about({}).get('createApiKeys')).toBe('IMPLICIT');
    expect(about({ p: { condition: "activity.resource == 'CREDENTIAL'" } }).has('createApiKeys')).toBe(false);
    expect(about({ p: { condition: "activity.resource == 'CREDENTIAL'" } }).get('endSessions')).toBe('IMPLICIT');
    expect(about({}, 'root').size).toBe(0);
  });

  test.each<[string, PolicyText]>([
    ['without conditions', {}],
    ['on the type', { condition: "activity.type == 'ACTIVITY_TYPE_CREATE_API_KEYS_V2'" }],
    ['on words alone', { condition: "activity.action == 'CREATE' && !(activity.kind in ['CREATE_WALLET'])" }],
    [
      'on a tag of the user',
      { consensus: "approvers.any(user, user.tags.contains('new')) && !credentials.any(c, c.type == 'X')" },
    ],
    ['on the user', { consensus: "approvers.any(user, user.id == 'b')" }],
    ['on all but some words', { condition: "activity.action != 'READ' && !(activity.kind in ['STAMP_LOGIN'])" }],
  ])('include self-service if a DENY always applies: %s', (_, text) => {
    const denied = deniedTo('b', { p: { effect: 'EFFECT_DENY', ...text } });
    expect(denied.get('createApiKeys')).toBe('POLICY');
    expect(denied.get('approveActivity')).toBeUndefined();
  });

  test.each<[string, PolicyText]>([
    ['depends on parameters', { condition: "activity.kind == 'CREATE_API_KEYS' && activity.params.user_id == 'b'" }],
    ['reads something that may be absent', { condition: "activity.kind == 'CREATE_API_KEYS' || eth.tx.value > 1" }],
    ['depends on other people', { condition: 'true', consensus: 'approvers.count() >= 2' }],
    ['depends on the credential', { condition: 'true', consensus: "credentials.any(c, c.type == 'X')" }],
    ['depends on the requester', { condition: 'true', consensus: "requester.id == 'b' || approvers.count() >= 1" }],
    ['depends on the time', { condition: 'true', time: "time.now < Timestamp('2030-01-01T00:00:00Z')" }],
    ['does not compile', { condition: 'nonsense' }],
  ])('do not include self-service if a DENY %s', (_, text) => {
    expect(deniedTo('b', { p: { effect: 'EFFECT_DENY', language: 2, ...text } }).get('createApiKeys')).toBeUndefined();
  });

  test('do not include self-service if a DENY applies to one credential of the user, and not to another', () => {
    const where = organization(people, { p: { effect: 'EFFECT_DENY', consensus: "credentials.any(c, c.id == 'b-key')" } }, roots);
    const ask = (organized: Where) => sureDenials('b', organized).always;
    expect(ask(where).get(activities.createApiKeys)).toBe('POLICY');
    const key = where.apiKeys.get('b-key') as NonNullable<ReturnType<Where['apiKeys']['get']>>;
    const apiKeys = where.apiKeys.with('other-key', { ...key, publicKey: '02other' });
    expect(ask({ ...where, apiKeys }).get(activities.createApiKeys)).toBeUndefined();
  });

  test('do not include what a one-time key of the user may do', () => {
    const restrictedTo = { activity: 'acceptInvitation', subjectId: 'i' } as const;
    const persons = [...people, { id: 'c', key: { restrictedTo } }];
    const policy: PolicyText = { effect: 'EFFECT_DENY' };
    expect(deniedTo('b', { p: policy }).get('acceptInvitation')).toBe('IMPLICIT');
    expect(deniedTo('c', { p: policy }, persons).get('acceptInvitation')).toBeUndefined();
    expect(deniedTo('c', { p: policy }, persons).get('exchangeOneTimeKey')).toBeUndefined();
    expect(deniedTo('c', { p: policy }, persons).get('createWallet')).toBe('IMPLICIT');
  });
});

const condition = fc.constantFrom(
  "activity.resource == 'USER'",
  "activity.action != 'SIGN'",
  "activity.action in ['SIGN', 'CREATE']",
  "!(activity.kind in ['CREATE_USERS', 'CREATE_WALLET'])",
  "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' || activity.resource == 'WALLET'",
  "activity.kind == 'CREATE_API_KEYS' || eth.tx.value > 1",
  "activity.kind == 'CREATE_API_KEYS' && activity.params.user_id == 'b'",
  "eth.tx.value > 1 || activity.resource == 'CREDENTIAL'",
  "wallet.id == 'w'",
  'tx.is_payment',
  'true',
  '1 > 2',
  'nonsense',
);
const consensus = fc.constantFrom(
  "approvers.any(user, user.id == 'a')",
  "approvers.filter(user, user.tags.contains('ops')).count() >= 2",
  "approvers.count() >= 2 && approvers.any(user, user.alias == 'Name of b')",
  "credentials.any(c, c.user_id == 'b') || approvers.any(user, user.id == 'gone')",
  "!approvers.any(user, user.id == 'a')",
  "approvers.any(user, user.tags.contains('ops')) && !credentials.any(c, c.type == 'X')",
  "approvers.any(user, user.id == 'b')",
  'approvers.count() >= 0',
);
const time = fc.constantFrom("time.now < Timestamp('2030-01-01T00:00:00Z')", "time.now > Timestamp('2030-01-01T00:00:00Z')");
const effect = fc.constantFrom('EFFECT_ALLOW' as const, 'EFFECT_DENY' as const);
const language = fc.constantFrom(undefined, 2 as const, 3 as const);
const text = fc
  .record({ effect, condition, consensus, time, language }, { requiredKeys: ['effect'] })
  .map(({ language: spoken, ...rest }): PolicyText => ({ ...rest, ...(spoken && { language: spoken }) }));
/** A DENY that often applies to every request. */
const denial = fc.record({ effect: fc.constant('EFFECT_DENY' as const), condition, consensus }, { requiredKeys: ['effect'] });
const policies = fc.array(fc.oneof(text, denial), { maxLength: 4 });
const value = fc.constantFrom<unknown>('b', 'a', 'w', 5, true, [], [{ userName: 'x' }], {}, null, undefined);
const params = fc.dictionary(fc.constantFrom('userId', 'users', 'signWith', 'payload', 'wallets', 'walletName'), value);
const touch = fc.constantFrom(
  { what: 'API_KEY' as const, userId: 'b' },
  { what: 'PASSKEY' as const, userId: 'a' },
  { what: 'SESSION' as const, userId: 'b', proven: true as const },
  { what: 'TAGS' as const, tagIds: ['ops'] },
);
const subject = fc.record({ touches: fc.array(touch, { maxLength: 2 }) }, { requiredKeys: [] });
const freezes = fc.constantFrom<readonly string[]>([], [], ['o'], ['b'], ['root']);

/** A session or a key of another user than the submitter. */
const ofAnother = (userId: string) => ({ what: 'API_KEY' as const, userId: userId === 'a' ? 'b' : 'a' });

describe('D997: the answer about denied types and the decision', () => {
  test('whatever is surely denied, the decision denies, for any parameters', () => {
    const seen = { IMPLICIT: 0, POLICY: 0, ROOT_QUORUM_ONLY: 0, FROZEN: 0, OTHERS: 0 } as Record<string, number>;
    fc.assert(
      fc.property(
        policies,
        freezes,
        fc.constantFrom('a', 'b', 'root'),
        fc.array(fc.tuple(params, subject), { minLength: 1, maxLength: 3 }),
        (texts, frozen, userId, contents) => {
          const where = frozen.reduce(
            (each, id) => freeze(each, id),
            organization(people, Object.fromEntries(texts.map((text, at) => [`p${at}`, text])), roots),
          );
          const { always, aboutOthers } = sureDenials(userId, where);
          seen.OTHERS = (seen.OTHERS ?? 0) + aboutOthers.size;
          for (const [definition, by] of [...always, ...aboutOthers]) {
            if (always.has(definition)) seen[by] = (seen[by] ?? 0) + 1;
            for (const [given, any] of contents) {
              const about = always.has(definition) ? any : { touches: [...(any.touches ?? []), ofAnother(userId)] };
              const change = { definition, params: given, subject: about, rules: CURRENT_RULES };
              const request = judgement(where, [vote(userId)], change);
              const { outcome } = decideByCredential(request) ?? authorizeByPolicy.decide(request);
              expect(outcome, `${definition.type} is denied by ${by}`).toBe('DENY');
            }
          }
        },
      ),
      { numRuns: 200 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  }, 120_000);

  test('a user without any rights learns it of every type that is not self-service', () => {
    const harmless = fc.array(
      fc.record({
        effect: fc.constant('EFFECT_ALLOW' as const),
        condition,
        consensus: fc.constant("approvers.any(user, user.id == 'a')"),
      }),
      { maxLength: 4 },
    );
    const all = deniedTo('b', {});
    fc.assert(
      fc.property(harmless, (texts) => {
        expect(deniedTo('b', Object.fromEntries(texts.map((text, at) => [`p${at}`, text])))).toEqual(all);
      }),
      { numRuns: 50 },
    );
  });
});

type Where = ReturnType<typeof organization>;

function freeze(where: Where, id: string): Where {
  const target = id === 'o' ? ('ORGANIZATION' as const) : ('USER' as const);
  const record = { target, frozenBy: 'root', reason: 'stolen', createdAtMs: NOW, updatedAtMs: NOW };
  return { ...where, records: { ...where.records, freeze: where.records.freeze.with(id, record) } };
}

/** Policies that cost many steps for a user with many tags, and grant nothing. */
function heavy(count: number): { readonly persons: readonly Person[]; readonly texts: Record<string, PolicyText> } {
  const squared = `user.tags.any(x, user.tags.any(y, x == 'none' && y == 'none' && ${'1<2&&'.repeat(5)}1<2))`;
  const userTags = Array.from({ length: 100 }, (_, at) => `t${at}`);
  const kinds = definitions.slice(0, count).map(({ type }) => type);
  return {
    persons: [...people, { id: 'c', userTags }],
    texts: Object.fromEntries(
      kinds.map((type, at) => [
        `p${at}`,
        { condition: `activity.type == '${type}'`, consensus: `approvers.any(user, ${squared})` },
      ]),
    ),
  };
}

describe('D999: the cost of the answer', () => {
  const { persons, texts } = heavy(60);

  test('all types share the steps of one decision, and later calls find the rest', () => {
    const where = organization(persons, texts, roots);
    const ask = () => sureDenials('c', where).always.size;
    const sizes = [ask(), ask()];
    for (let calls = 0; calls < 100 && sizes.at(-1) !== sizes.at(-2); calls++) sizes.push(ask());
    expect(sizes[0]).toBeLessThan(sizes.at(-1) ?? 0);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    const unlimited = denyCount(where);
    expect(sizes.at(-1)).toBe(unlimited);
  });

  function denyCount(where: Where): number {
    const fresh = organization(persons, texts, roots);
    return definitions.filter(({ type, ...definition }) => {
      if (definition.vote !== undefined) return false;
      const votes = [{ userId: 'c', publicKey: '' }];
      const known = activityByType.get(type)?.definition as ActivityDefinition;
      return (
        denyEarly({ organization: { ...where, ...fresh }, definition: known, type, rules: CURRENT_RULES, votes }) !== undefined
      );
    }).length;
  }

  test('D1009: a search that ran out of steps leaves nothing behind that early denials would use', () => {
    const where = organization(persons, texts, roots);
    sureDenials('c', where);
    for (const { type } of definitions.slice(0, 60)) {
      const definition = activityByType.get(type)?.definition as ActivityDefinition;
      const asked = { definition, type, rules: CURRENT_RULES, votes: [{ userId: 'c', publicKey: '' }] };
      const fresh = organization(persons, texts, roots);
      expect(denyEarly({ organization: where, ...asked }), type).toEqual(denyEarly({ organization: fresh, ...asked }));
    }
  });
});
