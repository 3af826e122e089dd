import { activities, builtInProfiles } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { requireNoted, requirePlausible } from '../src/judging/touched.ts';
import { ruleOf } from '../src/rules/rules.ts';
import { State } from '../src/state/state.ts';

const dates = { createdAtMs: 0, updatedAtMs: 0 };
const userBody = { userName: 'Root', userTags: ['old'], ...dates };
const invitationBody = { receiverUserId: 'guest', status: 'INVITATION_STATUS_CREATED', ...dates };

function stateOf(...records: readonly (readonly [kind: string, id: string, body: object])[]): State {
  const state = new State('o');
  state.apply(records.map(([put, id, body]) => ({ put, id, body: { ...body } })));
  return state;
}

const explains = (name: string, change: object, done: object) =>
  ruleOf(name)?.(change as never, { by: 'POLICY', atMs: 0, changes: [], result: {}, ...done } as never);

describe('rules', () => {
  test.each(Object.keys(activities))('%s has a rule, and explains nothing that it was not asked for', (name) => {
    const rule = ruleOf(name);
    if (rule === undefined) throw new Error(`no rule says what ${name} may change`);
    const params = new Proxy({}, { get: (_, member) => (member === 'email' ? 'intruder@example.com' : []) });
    const done = { state: new State('o'), params, result: params, submitterId: 'u', by: 'POLICY', atMs: 0, changes: [] };
    const quorum = { name: 'x', parentId: null, rootQuorum: { threshold: 0, userIds: ['intruder'] }, features: [] };
    const dates = { createdAtMs: 0, updatedAtMs: 0 };
    for (const change of [
      {
        kind: 'organization',
        id: 'o',
        before: { ...quorum, rootQuorum: { threshold: 1, userIds: [] }, ...dates },
        after: { ...quorum, ...dates },
      },
      { kind: 'policy', id: 'p', before: undefined, after: { effect: 'EFFECT_ALLOW', condition: 'true', ...dates } },
      { kind: 'user', id: 'intruder', before: undefined, after: { userName: 'intruder', userTags: [], ...dates } },
    ] as const)
      expect(rule(change as never, done as never)).toBe(false);
  });

  test('a type that this release does not know has none', () => {
    expect(ruleOf('toString')).toBeUndefined();
    expect(ruleOf('makeCoffee')).toBeUndefined();
  });

  test('D868: an export or a deletion explains changes of the secrets that it names only, and an export no others', () => {
    const body = { staticProperties: [{ key: 'environment', value: 'staging' }], exported: false, ...dates };
    const exported = { ...body, exported: true };
    const change = (after: object | undefined, id = 's') => ({ kind: 'secret', id, before: body, after });
    const exports = (...given: Parameters<typeof change>) =>
      explains('exportSecrets', change(...given), { params: { secrets: [{ secretId: 's' }] } });
    expect(exports(exported)).toBe(true);
    expect(exports(exported, 'other')).toBe(false);
    expect(exports(body)).toBe(false);
    expect(exports({ ...exported, staticProperties: [] })).toBe(false);
    expect(exports(undefined)).toBe(false);
    const deletes = (...given: Parameters<typeof change>) =>
      explains('deleteSecrets', change(...given), { params: { secretIds: ['s'] } });
    expect([deletes(undefined), deletes(undefined, 'other'), deletes(exported)]).toEqual([true, false, false]);
  });

  test('an exchange explains the first use of a key that was sent by mail, and no other change of it', () => {
    const restrictedTo = { activity: 'acceptInvitation', subjectId: 'i' };
    const key = { userId: 'u', publicKey: '02aa', restrictedTo, ...dates };
    const exchanged = { ...key, publicKey: '03bb', exchanged: true, updatedAtMs: 1 };
    const exchange = (before: object, after: object) =>
      explains(
        'exchangeOneTimeKey',
        { kind: 'apiKey', id: 'k', before, after },
        { params: { userId: 'u', invitationId: 'i', publicKey: '03BB' }, result: { apiKeyId: 'k' } },
      );
    const sent = { ...key, messageId: 'm', endsOthers: true };
    expect(exchange(key, exchanged)).toBe(true);
    expect(exchange(sent, exchanged)).toBe(true);
    expect(exchange(sent, { ...exchanged, restrictedTo: undefined })).toBe(false);
    expect(exchange(sent, { ...exchanged, messageId: 'other' })).toBe(false);
    expect(exchange(key, { ...exchanged, messageId: 'm' })).toBe(false);
    expect(exchange({ ...sent, exchanged: true }, exchanged)).toBe(false);
  });

  test('D129: an invitation makes nobody act as a user who is there', () => {
    const state = stateOf(['user', 'root', userBody], ['user', 'guest', userBody], ['invitation', 'i', invitationBody]);
    // The attested credential: the length of its id, the id, the public key.
    const authenticator = {
      authenticatorName: 'a',
      attestation: { attestationObject: Buffer.from([0, 1, 7, 9]).toString('base64url') },
    };
    const passkey = (userId: string) => ({
      kind: 'authenticator',
      id: 'k',
      before: undefined,
      after: { userId, credentialId: Buffer.from([7]).toString('base64url'), publicKey: Buffer.from([9]).toString('base64url') },
    });
    const accepted = (userId: string) =>
      explains('acceptInvitation', passkey(userId), { state, params: { invitationId: 'i', userId, authenticator } });
    expect(accepted('guest')).toBe(true);
    expect(accepted('root')).toBe(false);
    const given = { receiverUserName: 'n', receiverUserEmail: 'n@example.com', receiverUserTags: [] };
    const invited = (receiverUserId: string, keyOf: string) => {
      const { receiverUserEmail: receiverEmail, ...rest } = given;
      const body = { ...invitationBody, ...rest, receiverEmail, receiverUserId };
      const changes = [{ put: 'invitation', id: 'j', body }];
      const done = { state, params: { invitations: [given] }, result: { invitationIds: ['j'] }, changes };
      const restrictedTo = { activity: 'acceptInvitation', subjectId: 'j' };
      const key = { kind: 'apiKey', id: 'k', before: undefined, after: { userId: keyOf, restrictedTo } };
      return [
        explains('createInvitations', { kind: 'invitation', id: 'j', before: undefined, after: body }, done),
        explains('createInvitations', key, done),
      ];
    };
    expect(invited('new', 'new')).toEqual([true, true]);
    expect(invited('root', 'root')).toEqual([false, true]);
    expect(invited('new', 'root')).toEqual([true, false]);
  });

  test('D292: a session has the scope of its profile, and a profile if the organization requires one', () => {
    const { sessionProfileId, sessionProfileName, scope } = builtInProfiles.console;
    const opened = (limitedTo: object | undefined, features: object[] = [], asked?: string) => {
      const body = { name: 'O', parentId: null, rootQuorum: { threshold: 1, userIds: ['u'] }, features, ...dates };
      const profile = { sessionProfileName: 'P', scope: "activity.action == 'SIGN'", ...dates };
      const state = stateOf(['organization', 'o', body], ['user', 'u', userBody], ['sessionProfile', 'p', profile]);
      const key = { userId: 'u', type: 'CREDENTIAL_TYPE_LOGIN', publicKey: '02aa', expirationSeconds: '900', ...dates };
      const change = { kind: 'apiKey', id: 'k', before: undefined, after: { ...key, ...(limitedTo && { limitedTo }) } };
      const params = { publicKey: '02aa', ...(asked !== undefined && { sessionProfileId: asked }) };
      return explains('stampLogin', change, { state, params, submitterId: 'u' });
    };
    const required = [{ name: 'FEATURE_NAME_SESSION_PROFILES_REQUIRED' }];
    const builtIn = { sessionProfileId, sessionProfileName, scope };
    const own = { sessionProfileId: 'p', sessionProfileName: 'P', scope: "activity.action == 'SIGN'" };
    expect([opened(undefined), opened(undefined, required)]).toEqual([true, false]);
    for (const limitedTo of [builtIn, own]) {
      expect(opened(limitedTo, required, limitedTo.sessionProfileId)).toBe(true);
      expect(opened({ ...limitedTo, scope: 'true' }, required, limitedTo.sessionProfileId)).toBe(false);
    }
  });

  test('D129: who is to lose a tag does not get it, and no contact is proven from the start', () => {
    const state = stateOf(['user', 'u', userBody]);
    const retagged = (userTags: readonly string[]) =>
      explains(
        'updateUserTag',
        { kind: 'user', id: 'u', before: userBody, after: { ...userBody, userTags } },
        { state, params: { userTagId: userTags.length > 1 ? 'new' : 'old', addUserIds: [], removeUserIds: ['u'] } },
      );
    expect(retagged([])).toBe(true);
    expect(retagged(['old', 'new'])).toBe(false);
    const params = {
      users: [{ userName: 'n', userEmail: 'n@example.com', apiKeys: [], authenticators: [], oauthProviders: [] }],
    };
    const made = (more: object) =>
      explains(
        'createUsers',
        { kind: 'user', id: 'n', before: undefined, after: { userName: 'n', userEmail: 'n@example.com', userTags: [], ...more } },
        { state, params, result: { userIds: ['n'] } },
      );
    expect(made({})).toBe(true);
    expect(made({ userEmailState: { how: 'CODE', atMs: 0 } })).toBe(false);
  });
});

describe('information that the service stored', () => {
  const state = stateOf(
    ['user', 'root', userBody],
    ['userTag', 'trusted', { tagName: 't', ...dates }],
    ['apiKey', 'k', { userId: 'root', type: 'CREDENTIAL_TYPE_API_KEY_P256', ...dates }],
  );
  const session = (method: string) => ({
    put: 'apiKey',
    id: 's',
    body: { userId: 'root', type: 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256', origin: { method } },
  });

  test('D129: a session for somebody else is noted as one, however it is said to be opened', () => {
    const opened = (name: string, what: 'SESSION' | 'CONTACT' | undefined) => () =>
      requireNoted(name, [session('EMAIL')], state, what && { touches: [{ what, userId: 'root' }] });
    expect(opened('createReadWriteSession', 'SESSION')).not.toThrow();
    expect(opened('createReadWriteSession', undefined)).toThrow(/does not list/);
    expect(opened('createReadWriteSession', 'CONTACT')).toThrow(/does not list/);
    expect(opened('otpLogin', undefined)).not.toThrow();
  });

  test('D129: the end of a key, and a tag that policies know, are noted', () => {
    expect(() => requireNoted('deleteApiKeys', [{ drop: 'apiKey', id: 'k' }], state, undefined)).toThrow(/does not list/);
    const tagged = (tag: string) => [{ put: 'user', id: 'root', body: { ...userBody, userTags: ['old', tag] } }];
    expect(() => requireNoted('updateUserTag', tagged('trusted'), state, undefined)).toThrow(/does not list/);
    expect(() => requireNoted('createUserTag', tagged('made'), state, undefined)).not.toThrow();
  });

  test('D129: a proof that no such request holds, and a one-time key for another object, are refused', () => {
    const touches = [{ what: 'SESSION', userId: 'root', proven: true }] as const;
    expect(() => requirePlausible('createReadWriteSession', {}, { touches })).toThrow(/does not contain/);
    expect(() => requirePlausible('oauthLogin', {}, { touches })).not.toThrow();
    expect(() => requirePlausible('recoverUser', { userId: 'root' }, { oneTimeSubjectId: 'guest' })).toThrow(/another object/);
    expect(() => requirePlausible('recoverUser', { userId: 'root' }, { oneTimeSubjectId: 'root' })).not.toThrow();
  });
});
