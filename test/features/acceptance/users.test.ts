import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey, type StampKind, stampKinds } from '../../support/api-key.ts';
import { resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { shapeOf } from '../../support/shape-of.ts';
import { apiKeyParams, createMember, createSubOrganization, errorOf, uniqueName, userParams } from '../../support/world.ts';

/** A passkey in the long form of first versions, which intents echo too. */
function longPasskey() {
  const challenge = randomBytes(32).toString('base64url');
  const { credentialId, transports, ...response } = new SoftwareAuthenticator().create(challenge);
  return {
    authenticatorName: uniqueName('Passkey'),
    userId: 'none yet',
    challenge,
    attestation: {
      id: credentialId,
      type: 'public-key',
      rawId: credentialId,
      authenticatorAttachment: 'cross-platform',
      response: { ...response, transports, authenticatorAttachment: 'cross-platform' },
      clientExtensionResults: { credProps: { rk: true } },
    },
  };
}

const oldKeys = () => [{ apiKeyName: uniqueName('Key'), publicKey: newApiKey().publicKey, expirationSeconds: '3600' }];

const createUsersVersions = [
  {
    type: 'ACTIVITY_TYPE_CREATE_USERS',
    intentKey: 'createUsersIntent',
    user: () => ({
      userName: uniqueName('User'),
      userEmail: 'someone@example.com',
      accessType: 'ACCESS_TYPE_ALL',
      apiKeys: oldKeys(),
      authenticators: [longPasskey()],
      userTags: [],
    }),
  },
  {
    type: 'ACTIVITY_TYPE_CREATE_USERS_V2',
    intentKey: 'createUsersIntentV2',
    user: () => ({ userName: uniqueName('User'), apiKeys: oldKeys(), authenticators: [], userTags: [] }),
  },
  { type: 'ACTIVITY_TYPE_CREATE_USERS_V3', intentKey: 'createUsersIntentV3', user: () => userParams(newApiKey()) },
];

describeEngines('users and API keys', (subject) => {
  test.each(createUsersVersions)('$type is accepted on the compatible path', async ({ type, intentKey, user }) => {
    const root = subject().service.root.with({ dialect: 'turnkey' });
    const parameters = { users: [user(), user()] };
    const { status, body } = await root.submit('createUsers', parameters, { type });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.activity.intent).toEqual({ [intentKey]: parameters });
    expect(shapeOf(body.activity.result)).toEqual({ createUsersResult: { userIds: ['string'] } });
  });

  test('the specification’s path accepts only the type that it names', async () => {
    const { root } = subject().service;
    const params = { users: [createUsersVersions[1]?.user()] };
    const answer = await root.submit('createUsers', params, { type: 'ACTIVITY_TYPE_CREATE_USERS_V2' });
    expect(errorOf(answer)).toEqual({ status: 400, code: 'TYPE_MISMATCH', fields: ['type'] });
    expect(answer.body.message).toContain('ACTIVITY_TYPE_CREATE_USERS_V3');
  });

  test('the intent echoes users as specified, with passkeys in the long form', async () => {
    const { root } = subject().service;
    const challenge = randomBytes(32).toString('base64url');
    const attestation = new SoftwareAuthenticator().create(challenge);
    const user = { ...userParams(newApiKey()), authenticators: [{ authenticatorName: 'Passkey', challenge, attestation }] };
    const answer = await root.submit('createUsers', { users: [user] });
    const { credentialId, clientDataJson, attestationObject, transports } = attestation;
    expect(answer.body.activity.result.activity.intent.createUsersIntent.users).toEqual([
      {
        userName: user.userName,
        userEmail: '',
        accessType: 'ACCESS_TYPE_ALL',
        apiKeys: user.apiKeys.map(({ apiKeyName, publicKey }) => ({ apiKeyName, publicKey, expirationSeconds: '' })),
        authenticators: [
          {
            authenticatorName: 'Passkey',
            userId: resultOf(answer).userIds[0],
            challenge,
            attestation: {
              id: credentialId,
              type: 'public-key',
              rawId: credentialId,
              authenticatorAttachment: 'cross-platform',
              response: { clientDataJson, attestationObject, transports, authenticatorAttachment: 'cross-platform' },
              clientExtensionResults: { appid: false, appidExclude: false, credProps: { rk: false } },
            },
          },
        ],
        userTags: [],
      },
    ]);
    expect((await root.data('getActivity', { activityId: answer.body.activity.id })).activity.intent).toEqual(
      answer.body.activity.result.activity.intent,
    );
  });

  test.each(Object.keys(stampKinds) as StampKind[])('a user with a key of %s can stamp', async (scheme) => {
    const { caller, userId } = await createMember(subject().service.root, scheme);
    expect(await caller.data('whoami')).toMatchObject({ userId });
  });

  test('the first version of create_api_keys creates P-256 keys, without a curve in the request', async () => {
    const { root } = subject().service;
    const { userId, caller } = await createMember(root);
    const key = newApiKey();
    const params = { userId, apiKeys: [{ apiKeyName: 'Old form', publicKey: key.publicKey }] };
    const type = 'ACTIVITY_TYPE_CREATE_API_KEYS';
    const { body } = await root.with({ dialect: 'turnkey' }).submit('createApiKeys', params, { type });
    expect(body.activity.intent).toEqual({ createApiKeysIntent: params });
    expect(await caller.with({ key }).data('whoami')).toMatchObject({ userId });
    expect(errorOf(await root.submit('createApiKeys', { ...params, apiKeys: [apiKeyParams(key)] }, { type }))).toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  test('user names are unique in the organization and in the request', async () => {
    const { root } = subject().service;
    const [first, second] = [userParams(newApiKey()), userParams(newApiKey())];
    await root.result('createUsers', { users: [first] });
    const taken = (field: string) => ({ status: 400, code: 'NAME_TAKEN', fields: [field] });
    const again = { ...second, userName: first.userName };
    expect(errorOf(await root.submit('createUsers', { users: [second, again] }))).toEqual(taken('users.1.userName'));
    const twins = [second, { ...userParams(newApiKey()), userName: second.userName }];
    expect(errorOf(await root.submit('createUsers', { users: twins }))).toEqual(taken('users.1.userName'));
  });

  test('D08: a public key is one credential of one user, in upper or lower case', async () => {
    const { root } = subject().service;
    const key = newApiKey();
    const { userId } = await createMember(root);
    await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
    const shouted = { ...apiKeyParams(key), publicKey: key.publicKey.toUpperCase() };
    const answer = await root.submit('createUsers', { users: [{ ...userParams(), apiKeys: [shouted] }] });
    expect(errorOf(answer)).toEqual({ status: 400, code: 'CREDENTIAL_TAKEN', fields: ['users.0.apiKeys.0.publicKey'] });
    const stamped = await root.with({ key: { ...key, publicKey: key.publicKey.toUpperCase() } }).data('whoami');
    expect(stamped.userId).toBe(userId);
  });

  test.each([
    ['is off the curve', `02${'ff'.repeat(32)}`, 'API_KEY_CURVE_P256'],
    ['is uncompressed', `04${'11'.repeat(64)}`, 'API_KEY_CURVE_P256'],
    ['is hybrid', `06${'11'.repeat(32)}`, 'API_KEY_CURVE_P256'],
    ['is the point at infinity', '00'.repeat(33), 'API_KEY_CURVE_SECP256K1'],
    ['is of small order', '00'.repeat(32), 'API_KEY_CURVE_ED25519'],
    ['has the length of another curve', `02${'11'.repeat(32)}`, 'API_KEY_CURVE_ED25519'],
  ])('D08: an API key that %s is not registered', async (_what, publicKey, curveType) => {
    const { root, first } = subject().service;
    const params = { userId: first.userId, apiKeys: [{ apiKeyName: 'Key', publicKey, curveType }] };
    expect(errorOf(await root.submit('createApiKeys', params))).toEqual({
      status: 400,
      code: 'REQUEST_INVALID',
      fields: ['apiKeys.0.publicKey'],
    });
  });

  test.each(['0', '-1', '1.5', '1e20', '10000000000', '٣'])('D32: an expiration of %s seconds is refused', async (seconds) => {
    const { root, first } = subject().service;
    const apiKeys = [apiKeyParams(newApiKey(), { expirationSeconds: seconds })];
    const answer = await root.submit('createApiKeys', { userId: first.userId, apiKeys });
    expect(errorOf(answer)).toMatchObject({ status: 400, fields: ['apiKeys.0.expirationSeconds'] });
  });

  test('user tags that do not exist are not found', async () => {
    const { root } = subject().service;
    const answer = await root.submit('createUsers', { users: [{ ...userParams(newApiKey()), userTags: ['nobody made it'] }] });
    expect(errorOf(answer)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['users.0.userTags.0'] });
  });

  test('D12: an API key stops working when it is deleted, and only then', async () => {
    const { root } = subject().service;
    const { userId, caller } = await createMember(root);
    const key = newApiKey();
    const { apiKeyIds } = await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
    expect(await caller.with({ key }).data('whoami')).toMatchObject({ userId });
    await root.result('deleteApiKeys', { userId, apiKeyIds });
    expect(errorOf(await caller.with({ key }).query('whoami'))).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    expect(errorOf(await caller.with({ key }).submit('createApiKeys', { userId, apiKeys: [] }))).toMatchObject({ status: 401 });
    expect(await caller.data('whoami')).toMatchObject({ userId });
  });

  test('delete_api_keys accepts only keys of the named user, each once', async () => {
    const { root, first } = subject().service;
    const { userId } = await createMember(root);
    const { apiKeyIds } = await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
    const refused = async (params: object) => errorOf(await root.submit('deleteApiKeys', params));
    expect(await refused({ userId: first.userId, apiKeyIds })).toMatchObject({ status: 404, fields: ['apiKeyIds.0'] });
    expect(await refused({ userId: 'nobody', apiKeyIds })).toMatchObject({ status: 404, fields: ['userId'] });
    expect(await refused({ userId, apiKeyIds: [...apiKeyIds, ...apiKeyIds] })).toMatchObject({ fields: ['apiKeyIds.1'] });
    expect(await refused({ userId, apiKeyIds: [] })).toMatchObject({ status: 400, fields: ['apiKeyIds'] });
  });

  test('D55: the last credential of the root quorum cannot be deleted, not even beside an expired one', async () => {
    const { root, setAheadMs } = subject().service;
    const { caller, userId } = await createSubOrganization(root);
    const { body } = await caller.with({ dialect: 'turnkey' }).submit('createApiKeys', {
      userId,
      apiKeys: [apiKeyParams(newApiKey(), { expirationSeconds: '10' })],
    });
    const [lasting] = body.activity.votes[0].user.apiKeys;
    try {
      setAheadMs(11_000);
      const refused = await caller.submit('deleteApiKeys', { userId, apiKeyIds: [lasting.apiKeyId] });
      expect(errorOf(refused)).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
    } finally {
      setAheadMs(0);
    }
    await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
    await caller.result('deleteApiKeys', { userId, apiKeyIds: [lasting.apiKeyId] });
    expect(errorOf(await caller.query('whoami'))).toMatchObject({ code: 'PUBLIC_KEY_NOT_FOUND' });
  });

  describe('expiring API keys', () => {
    test('D12: a key is refused from the moment it expires, with the message that clients look for', async () => {
      const { root, setAheadMs } = subject().service;
      const { userId, caller } = await createMember(root);
      const key = newApiKey();
      await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key, { expirationSeconds: '60' })] });
      const expiring = caller.with({ key });
      try {
        setAheadMs(55_000);
        expect(await expiring.data('whoami')).toMatchObject({ userId });
        setAheadMs(61_000);
        expect(errorOf(await expiring.query('whoami'))).toEqual({ status: 401, code: 'API_KEY_EXPIRED' });
        const { status, body } = await expiring.with({ dialect: 'turnkey' }).submit('createApiKeys', { userId, apiKeys: [] });
        expect(status).toBe(401);
        expect(body.message).toMatch(/^Unauthenticated desc = expired api key publicKey: /);
      } finally {
        setAheadMs(0);
      }
    });

    test('expired keys make room first, then the oldest; permanent keys never do', async () => {
      const { root, config, setAheadMs } = subject().service;
      const { userId, caller } = await createMember(root);
      const limit = config.maxCredentials;
      const keys = Array.from({ length: limit }, () => newApiKey());
      for (const [index, key] of keys.entries()) {
        const expirationSeconds = index === 3 ? '30' : '3000';
        await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key, { expirationSeconds })] });
      }
      const works = async (index: number) => (await caller.with({ key: keys[index] as (typeof keys)[0] }).query('whoami')).status;
      const add = async (...added: object[]) => root.submit('createApiKeys', { userId, apiKeys: added });
      const short = () => apiKeyParams(newApiKey(), { expirationSeconds: '3000' });
      try {
        setAheadMs(31_000);
        expect((await add(short())).status).toBe(200);
        expect([await works(3), await works(0)]).toEqual([401, 200]);
        expect((await add(short())).status).toBe(200);
        expect([await works(0), await works(1)]).toEqual([401, 200]);
        expect((await caller.query('whoami')).status).toBe(200);
      } finally {
        setAheadMs(0);
      }
    });
  });
});
