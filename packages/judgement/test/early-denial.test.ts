import { activities } from '@countersign/contract';
import { authorizeByPolicy, denyEarly } from '@countersign/judgement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgement, organization, type PolicyText, vote } from './support/world.ts';

const people = [{ id: 'root' }, { id: 'a', userTags: ['ops'] }, { id: 'b' }];
const roots = { threshold: 1, userIds: ['root'] };
const definitions = [
  activities.createUsers,
  activities.signRawPayload,
  activities.createApiKeys,
  activities.createWallet,
  activities.updateRootQuorum,
];

function asked(policies: Record<string, PolicyText>, userId: string, definition = definitions[0]) {
  return judgement(organization(people, policies, roots), [vote(userId)], definition && { definition });
}

describe('D160: an activity that nothing could allow is refused before it is planned', () => {
  test.each([
    ['no policy', {}],
    ['a policy for another type', { p: { condition: "activity.type == 'ACTIVITY_TYPE_CREATE_WALLET'" } }],
    ['a policy for transactions', { p: { condition: 'eth.tx.value < 5' } }],
    ['a policy for another user', { p: { consensus: "approvers.any(user, user.id == 'a')" } }],
    ['a policy for a tag that the user has not', { p: { consensus: "approvers.any(user, user.tags.contains('ops'))" } }],
    ['a policy that denies', { p: { effect: 'EFFECT_DENY' as const } }],
    ['a policy that does not compile', { p: { condition: 'nonsense' } }],
  ])('%s', (_, policies) => {
    expect(denyEarly(asked(policies, 'b'))).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
  });

  test.each([
    ['a root user', {}, 'root'],
    ['a policy without conditions', { p: {} }, 'b'],
    ['a policy for this resource', { p: { condition: "activity.resource == 'USER'" } }, 'b'],
    ['a policy for a tag that the user has', { p: { consensus: "approvers.any(user, user.tags.contains('ops'))" } }, 'a'],
    ['a policy that waits for two', { p: { consensus: 'approvers.count() >= 2' } }, 'b'],
    [
      'a policy on parameters',
      { p: { language: 2 as const, condition: "activity.params.users.all(u, u.user_name == 'x')" } },
      'b',
    ],
    ['a policy that is not monotone', { p: { consensus: "!approvers.any(user, user.id == 'a')" } }, 'b'],
  ])('but not %s', (_, policies, userId) => {
    expect(denyEarly(asked(policies, userId))).toBeUndefined();
  });

  test('users may always try to change their own credentials, and only root users the root quorum', () => {
    expect(denyEarly(asked({}, 'b', activities.createApiKeys))).toBeUndefined();
    expect(denyEarly(asked({ p: {} }, 'b', activities.updateRootQuorum))).toMatchObject({ by: 'ROOT_QUORUM_ONLY' });
  });

  test('a one-time key is judged in full', () => {
    const key = { restrictedTo: { activity: 'recoverUser', subjectId: 'b' } } as const;
    const where = organization([{ id: 'b', key }], {}, roots);
    expect(denyEarly(judgement(where, [vote('b')], { definition: activities.recoverUser }))).toBeUndefined();
  });

  test('what it refuses, the full decision refuses as well', () => {
    const condition = fc.constantFrom(
      "activity.resource == 'USER'",
      "activity.action != 'SIGN'",
      "!(activity.kind in ['CREATE_USERS', 'CREATE_WALLET'])",
      "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' || activity.resource == 'WALLET'",
      "wallet.id == 'w'",
      'true',
    );
    const consensus = fc.constantFrom(
      "approvers.any(user, user.id == 'a')",
      "approvers.filter(user, user.tags.contains('ops')).count() >= 2",
      "approvers.count() >= 2 && approvers.any(user, user.alias == 'Name of b')",
      "credentials.any(c, c.user_id == 'b') || approvers.any(user, user.id == 'gone')",
      "approvers.all(user, user.id == 'a')",
      'approvers.count() >= 0',
    );
    const effect = fc.constantFrom('EFFECT_ALLOW' as const, 'EFFECT_ALLOW' as const, 'EFFECT_DENY' as const);
    const policies = fc.array(fc.record({ effect, condition, consensus }, { requiredKeys: ['effect'] }), { maxLength: 4 });
    fc.assert(
      fc.property(policies, fc.constantFrom('a', 'b', 'root'), fc.constantFrom(...definitions), (texts, userId, definition) => {
        const request = asked(Object.fromEntries(texts.map((text, index) => [`p${index}`, text])), userId, definition);
        if (denyEarly(request) !== undefined) expect(authorizeByPolicy.decide(request).outcome).toBe('DENY');
      }),
      { numRuns: 500 },
    );
  });
});
