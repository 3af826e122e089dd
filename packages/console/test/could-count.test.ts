import type { PolicyShape, UserShape } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { countingPolicies } from '../src/pages/people/could-count.ts';

const ANN = '11111111-0000-4000-8000-000000000000';
const BOB = '22222222-0000-4000-8000-000000000000';
const TAG = '33333333-0000-4000-8000-000000000000';
const KEY = `02${'ab'.repeat(32)}`;
const time = { seconds: '0', nanos: '0' };

const ann: UserShape = {
  ...{ userId: ANN, userName: 'Ann', userEmail: 'ann@example.com', userTags: [TAG], oauthProviders: [], mfaPolicies: [] },
  apiKeys: [
    {
      ...{ apiKeyId: 'key', apiKeyName: 'Key', createdAt: time, updatedAt: time },
      credential: { publicKey: KEY, type: 'CREDENTIAL_TYPE_API_KEY_P256' },
    },
  ],
  ...{ authenticators: [], createdAt: time, updatedAt: time },
} as never;

type Given = Partial<Pick<PolicyShape, 'condition' | 'consensus' | 'effect' | 'language' | 'shortened'>>;

const counting = (given: Given, person = ann) => {
  const policy = { policyId: 'p', effect: 'EFFECT_ALLOW', condition: '', consensus: '', ...given } as const;
  return countingPolicies([policy], person).get('p');
};

describe('which policies count an approval of a person', () => {
  test.each([
    ['the id', `approvers.any(user, user.id == '${ANN}')`],
    ['a tag', `approvers.any(user, user.tags.contains('${TAG}'))`],
    ['the email address', "approvers.any(user, user.email == 'ann@example.com')"],
    ['the name', "approvers.any(user, user.alias == 'Ann')"],
    ['a public key', `credentials.any(c, c.public_key == '${KEY}')`],
    ['the owner of a credential', `credentials.filter(c, c.user_id == '${ANN}').count() >= 1`],
    ['one of two', `approvers.any(user, user.id == '${ANN}') && approvers.any(user, user.id == '${BOB}')`],
  ])('by %s', (_, consensus) => {
    expect(counting({ consensus })).toBe('person');
    expect(counting({ consensus, effect: 'EFFECT_DENY' })).toBe('person');
  });

  test.each([
    ['excludes them', { consensus: `approvers.any(user, user.id != '${ANN}')` }],
    ['names another', { consensus: `approvers.any(user, user.id == '${BOB}')` }],
    [
      'is about them, with the consensus of another',
      { condition: `activity.params.user_id == '${ANN}'`, consensus: `approvers.any(user, user.id == '${BOB}')` },
    ],
    ['names a tag that they lack', { consensus: `approvers.any(user, user.tags.contains('${BOB}'))` }],
    ['does not compile', { consensus: 'nonsense' }],
  ])('not if it %s', (_, given) => {
    expect(counting(given)).toBeUndefined();
  });

  test.each([
    ['needs nobody', ''],
    ['needs any two', 'approvers.count() >= 2'],
    ['excludes another', `approvers.any(user, user.id != '${BOB}')`],
    ['needs a type of credential', "credentials.any(c, c.type == 'CREDENTIAL_TYPE_API_KEY_P256')"],
    ['needs a session', "credentials.any(c, c.type == 'CREDENTIAL_TYPE_LOGIN')"],
  ])('among people whom it does not name, if it %s', (_, consensus) => {
    expect(counting({ consensus })).toBe('open');
  });

  test('not by an email address that nobody verified', () => {
    const consensus = "approvers.any(user, user.email == 'ann@example.com')";
    expect(counting({ consensus }, { ...ann, userEmailVerification: { how: 'UNVERIFIED' } as never })).toBeUndefined();
  });

  test('unknown, if the list has not its text', () => {
    expect(counting({ shortened: { fields: ['consensus'], query: 'get_policy' } })).toBe('unknown');
    expect(counting({ shortened: { fields: ['notes'], query: 'get_policy' } })).toBe('open');
  });

  test('a thousand different texts are compiled, and further ones are unknown', () => {
    const policies = Array.from({ length: 1_002 }, (_, at) => ({
      ...{ policyId: `p${at}`, effect: 'EFFECT_ALLOW' as const, consensus: `approvers.any(user, user.id == '${ANN}${at}')` },
    }));
    expect([...countingPolicies(policies, ann)]).toEqual([
      ['p1000', 'unknown'],
      ['p1001', 'unknown'],
    ]);
  });
});
