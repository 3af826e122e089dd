import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createMember,
  createSubOrganization,
  errorOf,
  madeUpId,
  uniqueName,
  userParams,
} from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';
import { passkeyParams } from './support/passkeys.ts';
import { plantOauthProvider } from './support/plant.ts';

/** The sub-organizations that the parent finds by a filter. */
async function found(parent: Caller, filterType: string, filterValue: string): Promise<string[]> {
  return (await parent.data('listSuborgs', { filterType, filterValue })).organizationIds;
}

describeEngines('users of the catalogue', (subject) => {
  test('API-only users can stamp, and are listed with their keys', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const key = newApiKey();
    const user = {
      userName: uniqueName('Machine'),
      userEmail: 'machine@example.com',
      userTags: [],
      apiKeys: [{ apiKeyName: 'Build', publicKey: key.publicKey, expirationSeconds: '60' }],
    };
    const { userIds } = await root.result('createApiOnlyUsers', { apiOnlyUsers: [user] });
    expect(await root.with({ key }).data('whoami')).toMatchObject({ userId: userIds[0], username: user.userName });
    const { user: shown } = await root.data('getUser', { userId: userIds[0] });
    expect(shown).toMatchObject({
      userId: userIds[0],
      userName: user.userName,
      userEmail: user.userEmail,
      authenticators: [],
      userTags: [],
      oauthProviders: [],
      apiKeys: [
        {
          credential: { publicKey: key.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' },
          apiKeyName: 'Build',
          expirationSeconds: '60',
        },
      ],
    });
    expect((await root.data('listUsers')).users).toContainEqual(shown);
    await expectSound(subject().service, root);
  });

  test('names and public keys of API-only users are unique, and the limits apply to them too', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const fresh = () => ({ userName: uniqueName('Machine'), userTags: [], apiKeys: [] });
    const twin = fresh();
    const refused = async (...apiOnlyUsers: object[]) => errorOf(await root.submit('createApiOnlyUsers', { apiOnlyUsers }));
    expect(await refused(twin, twin)).toEqual({ status: 400, code: 'NAME_TAKEN', fields: ['apiOnlyUsers.1.userName'] });
    const apiKeys = [{ apiKeyName: 'Stolen', publicKey: root.key.publicKey }];
    expect(await refused({ ...fresh(), apiKeys })).toMatchObject({
      code: 'CREDENTIAL_TAKEN',
      fields: ['apiOnlyUsers.0.apiKeys.0.publicKey'],
    });
    const many = Array.from({ length: 100 }, fresh);
    const answer = await root.submit('createApiOnlyUsers', { apiOnlyUsers: many });
    expect(errorOf(answer)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
    expect(answer.body.message).toMatch(/100 users \(maxUsers\)/);
  });

  test('update_user changes what it names and nothing else, and parents find the sub-organization by the new values', async () => {
    const parent = subject().service.root;
    const { caller: root, organizationId } = await createSubOrganization(parent);
    const { userTagId } = await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    const before = { userName: uniqueName('Before'), userEmail: 'Before@Example.com', userPhoneNumber: '+15555550101' };
    const { userIds } = await root.result('createUsers', { users: [{ ...userParams(newApiKey()), ...before }] });
    const [userId] = userIds;
    const after = { userName: uniqueName('After'), userEmail: 'after@example.com', userPhoneNumber: '+15555550102' };
    const filters: [string, keyof typeof after][] = [
      ['USERNAME', 'userName'],
      ['EMAIL', 'userEmail'],
      ['PHONE_NUMBER', 'userPhoneNumber'],
    ];
    for (const [filter, field] of filters) expect(await found(parent, filter, before[field])).toEqual([organizationId]);
    for (const [filter, field] of filters) {
      await root.result('updateUser', { userId, [field]: after[field] });
      expect(await found(parent, filter, after[field])).toEqual([organizationId]);
      expect(await found(parent, filter, before[field])).toEqual([]);
    }
    await root.result('updateUser', { userId, userTagIds: [userTagId] });
    expect((await root.data('getUser', { userId })).user).toMatchObject({ ...after, userTags: [userTagId] });
    await root.result('updateUser', { userId, userTagIds: [], userName: after.userName });
    expect((await root.data('getUser', { userId })).user).toMatchObject({ ...after, userTags: [] });
    await expectSound(subject().service, root);
  });

  test('a look-up stays while another user of the sub-organization has the same e-mail address', async () => {
    const parent = subject().service.root;
    const { caller: root, organizationId } = await createSubOrganization(parent);
    const shared = 'shared@example.com';
    const users = [userParams(newApiKey()), userParams(newApiKey())].map((user) => ({ ...user, userEmail: shared }));
    const { userIds } = await root.result('createUsers', { users });
    await root.result('updateUser', { userId: userIds[0], userEmail: 'other@example.com' });
    expect(await found(parent, 'EMAIL', shared)).toEqual([organizationId]);
    await root.result('deleteUsers', { userIds: [userIds[1]] });
    expect(await found(parent, 'EMAIL', shared)).toEqual([]);
  });

  test('update_user refuses a name in use, unknown tags and users, and repeated tags', async () => {
    const { caller: root, userId: rootUserId } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(root);
    const { userTagId } = await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    const { user } = await root.data('getUser', { userId: rootUserId });
    const refused = async (params: object) => errorOf(await root.submit('updateUser', params));
    expect(await refused({ userId, userName: user.userName })).toEqual({ status: 400, code: 'NAME_TAKEN', fields: ['userName'] });
    expect(await refused({ userId, userTagIds: [userTagId, madeUpId()] })).toMatchObject({
      status: 404,
      fields: ['userTagIds.1'],
    });
    expect(await refused({ userId, userTagIds: [userTagId, userTagId] })).toMatchObject({ fields: ['userTagIds.1'] });
    expect(await refused({ userId: madeUpId() })).toMatchObject({ status: 404, fields: ['userId'] });
    expect(await refused({ userId, userEmail: 'nowhere' })).toMatchObject({ status: 400, fields: ['userEmail'] });
    expect(await refused({ userId, userPhoneNumber: '5550100' })).toMatchObject({ fields: ['userPhoneNumber'] });
  });

  test('D54: users can neither rename nor tag themselves', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    const { userTagId } = await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    for (const params of [
      { userId, userTagIds: [userTagId] },
      { userId, userEmail: 'me@example.com' },
    ]) {
      expect(errorOf(await caller.submit('updateUser', params))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    }
    const tag = { userTagId, addUserIds: [userId], removeUserIds: [] };
    expect(errorOf(await caller.submit('updateUserTag', tag))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
  });

  test('a deleted user’s credentials are gone, and parents find nothing by them', async () => {
    const { service } = subject();
    const { caller: root, organizationId } = await createSubOrganization(service.root);
    const key = newApiKey();
    const contact = { userName: uniqueName('Leaver'), userEmail: 'leaver@example.com' };
    const { userIds } = await root.result('createUsers', { users: [{ ...userParams(key), ...contact }] });
    const [userId] = userIds;
    const passkey = passkeyParams();
    await root.result('createAuthenticators', { userId, authenticators: [passkey] });
    await plantOauthProvider(service, organizationId, userId);
    const { credentialId } = passkey.attestation;
    const filters: [string, string][] = [
      ['PUBLIC_KEY', key.publicKey],
      ['CREDENTIAL_ID', credentialId],
      ['EMAIL', contact.userEmail],
      ['USERNAME', contact.userName],
    ];
    for (const [filter, value] of filters) expect(await found(service.root, filter, value)).toEqual([organizationId]);
    expect(await root.result('deleteUsers', { userIds })).toEqual({ userIds });
    for (const [filter, value] of filters) expect(await found(service.root, filter, value), filter).toEqual([]);
    expect(errorOf(await root.with({ key }).query('whoami'))).toMatchObject({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    expect(errorOf(await root.query('getUser', { userId }))).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['userId'] });
    const owners = async (name: 'getApiKeys' | 'getOauthProviders', list: string) => (await root.data(name))[list];
    expect((await owners('getApiKeys', 'apiKeys')).map((each: Json) => each.credential.publicKey)).toEqual([root.key.publicKey]);
    expect(await owners('getOauthProviders', 'oauthProviders')).toEqual([]);
    // Another user may register the same key.
    await root.result('createUsers', { users: [{ ...userParams(key), ...contact }] });
    await expectSound(service, root);
  });

  test('D55: a member of the root quorum cannot be deleted, not even together with others', async () => {
    const { caller: root, userId: rootUserId } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(root);
    const answer = await root.submit('deleteUsers', { userIds: [userId, rootUserId] });
    expect(errorOf(answer)).toEqual({ status: 400, code: 'PRECONDITION_FAILED', fields: ['userIds.1'] });
    expect(answer.body.message).toContain('quorum users missing');
    expect(await root.data('getUser', { userId })).toBeDefined();
    expect(errorOf(await root.submit('deleteUsers', { userIds: [userId, userId] }))).toMatchObject({ fields: ['userIds.1'] });
    expect(errorOf(await root.submit('deleteUsers', { userIds: [madeUpId()] }))).toMatchObject({ status: 404 });
  });

  test('API keys are shown individually, by user and for the organization', async () => {
    const { caller: root, userId: rootUserId } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    const expiring = apiKeyParams(newApiKey('SIGNATURE_SCHEME_TK_API_ED25519'), { expirationSeconds: '900' });
    const { apiKeyIds } = await root.result('createApiKeys', { userId, apiKeys: [expiring] });
    const { apiKey } = await root.data('getApiKey', { apiKeyId: apiKeyIds[0] });
    expect(apiKey).toEqual({
      credential: { publicKey: expiring.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_ED25519' },
      apiKeyId: apiKeyIds[0],
      apiKeyName: expiring.apiKeyName,
      createdAt: { seconds: expect.stringMatching(/^\d+$/), nanos: '0' },
      updatedAt: apiKey.createdAt,
      expirationSeconds: '900',
    });
    const keysOf = async (fields?: object) =>
      (await root.data('getApiKeys', fields)).apiKeys.map((key: Json) => key.credential.publicKey).sort();
    expect(await keysOf({ userId })).toEqual([caller.key.publicKey, expiring.publicKey].sort());
    expect(await keysOf({ userId: rootUserId })).toEqual([root.key.publicKey]);
    expect(await keysOf()).toEqual([caller.key.publicKey, expiring.publicKey, root.key.publicKey].sort());
  });

  test('D57: another organization’s objects look unknown', async () => {
    const { root: first, first: own } = subject().service;
    const { caller: root } = await createSubOrganization(first);
    const { apiKeys } = await first.data('getApiKeys', { userId: own.userId });
    const same = async (name: Parameters<Caller['query']>[0], field: string, foreignId: string) => {
      const [foreign, madeUp] = [await root.query(name, { [field]: foreignId }), await root.query(name, { [field]: madeUpId() })];
      expect(foreign.body).toEqual(madeUp.body);
      expect(errorOf(foreign)).toEqual({ status: 404, code: 'NOT_FOUND', fields: [field] });
    };
    await same('getUser', 'userId', own.userId);
    await same('getApiKeys', 'userId', own.userId);
    await same('getAuthenticators', 'userId', own.userId);
    await same('getOauthProviders', 'userId', own.userId);
    await same('getApiKey', 'apiKeyId', apiKeys[0].apiKeyId);
    await same('getAuthenticator', 'authenticatorId', apiKeys[0].apiKeyId);
  });
});
