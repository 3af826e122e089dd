import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Json, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, createSubOrganization, errorOf, madeUpId, userParams } from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';
import { forgedPasskeyParams, longPasskeyParams, passkeyParams, sendWithPasskey } from './support/passkeys.ts';
import { plantOauthProvider } from './support/plant.ts';

describeEngines('credentials of the catalogue', (subject) => {
  test('an added passkey stamps requests until it is removed, and parents find it', async () => {
    const { root: parent } = subject().service;
    const { caller: root, organizationId } = await createSubOrganization(parent);
    const { userId } = await createMember(root);
    const authenticator = new SoftwareAuthenticator();
    const params = passkeyParams(authenticator);
    const { authenticatorIds } = await root.result('createAuthenticators', { userId, authenticators: [params] });
    const [authenticatorId] = authenticatorIds;
    const ask = () => {
      const body = JSON.stringify({ organizationId });
      return sendWithPasskey(root, authenticator, root.queryPath('whoami'), body);
    };
    expect((await ask()).body.activity.result).toMatchObject({ userId });
    const byCredential = { filterType: 'CREDENTIAL_ID', filterValue: params.attestation.credentialId };
    expect(await parent.data('listSuborgs', byCredential)).toEqual({ organizationIds: [organizationId] });
    await root.result('deleteAuthenticators', { userId, authenticatorIds });
    expect(errorOf(await ask())).toMatchObject({ status: 401, code: 'CREDENTIAL_NOT_FOUND' });
    expect(await parent.data('listSuborgs', byCredential)).toEqual({ organizationIds: [] });
    expect(errorOf(await root.query('getAuthenticator', { authenticatorId }))).toMatchObject({ status: 404 });
    await expectSound(subject().service, root);
  });

  test('passkeys are shown individually and by user', async () => {
    const { caller: root, userId: rootUserId } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(root);
    const params = passkeyParams();
    const { authenticatorIds } = await root.result('createAuthenticators', { userId, authenticators: [params] });
    const [authenticatorId] = authenticatorIds;
    const { authenticator } = await root.data('getAuthenticator', { authenticatorId });
    expect(authenticator).toEqual({
      transports: params.attestation.transports,
      attestationType: 'none',
      aaguid: expect.any(String),
      credentialId: params.attestation.credentialId,
      model: expect.any(String),
      credential: { publicKey: expect.any(String), type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' },
      authenticatorId,
      authenticatorName: params.authenticatorName,
      createdAt: authenticator.createdAt,
      updatedAt: authenticator.createdAt,
    });
    expect(await root.data('getAuthenticators', { userId })).toEqual({ authenticators: [authenticator] });
    expect(await root.data('getAuthenticators', { userId: rootUserId })).toEqual({ authenticators: [] });
    expect((await root.data('getUser', { userId })).user.authenticators).toEqual([authenticator]);
  });

  test('the intent echoes passkeys in the long form, whatever form the request used', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const { authenticatorName, challenge, attestation } = passkeyParams();
    const { credentialId, transports, ...response } = attestation;
    const short = { authenticators: [{ authenticatorName, challenge, attestation }], userId };
    const { body } = await root.submit('createAuthenticators', short);
    expect(body.activity.result.activity.intent).toEqual({
      createAuthenticatorsIntent: {
        userId,
        authenticators: [
          {
            authenticatorName,
            userId,
            challenge,
            attestation: {
              id: credentialId,
              type: 'public-key',
              rawId: credentialId,
              authenticatorAttachment: 'cross-platform',
              response: { ...response, transports, authenticatorAttachment: 'cross-platform' },
              clientExtensionResults: { appid: false, appidExclude: false, credProps: { rk: false } },
            },
          },
        ],
      },
    });
    const long = { authenticators: [longPasskeyParams(userId)], userId };
    const first = { type: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS' };
    const compatible = await root.with({ dialect: 'turnkey' }).submit('createAuthenticators', long, first);
    expect(compatible.body.activity.intent).toEqual({ createAuthenticatorsIntent: long });
    expect(errorOf(await root.submit('createAuthenticators', long, first))).toMatchObject({ code: 'TYPE_MISMATCH' });
  });

  test('D21, D22: a passkey is registered once in an organization, and a forged registration is refused', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const authenticator = new SoftwareAuthenticator();
    const refused = async (...authenticators: object[]) =>
      errorOf(await root.submit('createAuthenticators', { userId, authenticators }));
    const invalid = (index: number) => ({
      status: 400,
      code: 'INVALID_ATTESTATION',
      fields: [`authenticators.${index}.attestation`],
    });
    expect(await refused(passkeyParams(authenticator), passkeyParams(authenticator))).toEqual(invalid(1));
    await root.result('createAuthenticators', { userId, authenticators: [passkeyParams(authenticator)] });
    expect(await refused(passkeyParams(authenticator))).toEqual(invalid(0));
    expect(await refused(forgedPasskeyParams())).toEqual(invalid(0));
    expect(await refused()).toMatchObject({ status: 400, fields: ['authenticators'] });
    const other = await createMember(root);
    const taken = await root.submit('createAuthenticators', {
      userId: other.userId,
      authenticators: [passkeyParams(authenticator)],
    });
    expect(errorOf(taken)).toEqual(invalid(0));
  });

  test('D54: users add and remove their own passkeys, and nobody else’s', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const [alice, bob] = [await createMember(root), await createMember(root)];
    const passkey = new SoftwareAuthenticator();
    await root.result('createAuthenticators', { userId: alice.userId, authenticators: [passkeyParams(passkey)] });
    const send = (name: 'createAuthenticators' | 'deleteAuthenticators', params: object) =>
      sendWithPasskey(alice.caller, passkey, alice.caller.submitPath(name), alice.caller.submitBody(name, params));
    const own = { userId: alice.userId, authenticators: [passkeyParams()] };
    const { authenticatorIds } = resultOf(await send('createAuthenticators', own));
    const foreign = { userId: alice.userId, authenticators: [passkeyParams()] };
    expect(errorOf(await bob.caller.submit('createAuthenticators', foreign))).toMatchObject({ status: 403 });
    const removal = { userId: alice.userId, authenticatorIds };
    expect(errorOf(await bob.caller.submit('deleteAuthenticators', removal))).toMatchObject({ status: 403 });
    const claimed = { userId: bob.userId, authenticatorIds };
    expect(errorOf(await bob.caller.submit('deleteAuthenticators', claimed))).toMatchObject({ status: 404 });
    expect((await send('deleteAuthenticators', removal)).status).toBe(200);
  });

  test('a user has at most ten passkeys', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(root);
    const add = (count: number) =>
      root.submit('createAuthenticators', { userId, authenticators: Array.from({ length: count }, () => passkeyParams()) });
    expect(errorOf(await add(11))).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
    expect((await add(9)).status).toBe(200);
    const answer = await add(2);
    expect(errorOf(answer)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
    expect(answer.body.message).toContain('10 authenticators of a user (maxCredentials)');
    expect((await add(1)).status).toBe(200);
  });

  test('D55: the last credential of the root quorum cannot be removed, neither a key nor a passkey', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const { apiKeys } = await root.data('getApiKeys', { userId });
    const removeKey = () => root.submit('deleteApiKeys', { userId, apiKeyIds: apiKeys.map((key: Json) => key.apiKeyId) });
    expect(errorOf(await removeKey())).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
    const authenticator = new SoftwareAuthenticator();
    const params = { userId, authenticators: [passkeyParams(authenticator)] };
    const { authenticatorIds } = await root.result('createAuthenticators', params);
    // The request is stamped with the key that it removes.
    expect((await removeKey()).status).toBe(200);
    expect(errorOf(await root.query('whoami'))).toMatchObject({ status: 401 });
    const body = root.submitBody('deleteAuthenticators', { userId, authenticatorIds });
    const path = root.submitPath('deleteAuthenticators');
    expect(errorOf(await sendWithPasskey(root, authenticator, path, body))).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
  });

  test('identities are shown by user and for the organization, and removed by their user or a root user', async () => {
    const { service } = subject();
    const { caller: root, organizationId, userId: rootUserId } = await createSubOrganization(service.root);
    const member = await createMember(root);
    const [own, other] = [
      await plantOauthProvider(service, organizationId, member.userId),
      await plantOauthProvider(service, organizationId, rootUserId),
    ];
    const idsOf = async (fields?: object) =>
      (await root.data('getOauthProviders', fields)).oauthProviders.map((provider: Json) => provider.providerId);
    expect(await idsOf({ userId: member.userId })).toEqual([own]);
    expect((await idsOf()).sort()).toEqual([own, other].sort());
    const [provider] = (await root.data('getOauthProviders', { userId: member.userId })).oauthProviders;
    expect(provider).toEqual({
      providerId: own,
      providerName: 'Example',
      issuer: 'https://id.example.com',
      audience: 'app',
      subject: own,
      createdAt: provider.createdAt,
      updatedAt: provider.updatedAt,
    });
    expect((await root.data('getUser', { userId: member.userId })).user.oauthProviders).toEqual([provider]);
    const foreign = { userId: rootUserId, providerIds: [other] };
    expect(errorOf(await member.caller.submit('deleteOauthProviders', foreign))).toMatchObject({ status: 403 });
    const twice = { userId: member.userId, providerIds: [own, own] };
    expect(errorOf(await root.submit('deleteOauthProviders', twice))).toMatchObject({ fields: ['providerIds.1'] });
    const stranger = { userId: madeUpId(), providerIds: [own] };
    expect(errorOf(await root.submit('deleteOauthProviders', stranger))).toMatchObject({ status: 404, fields: ['userId'] });
    expect(await member.caller.result('deleteOauthProviders', { userId: member.userId, providerIds: [own] })).toEqual({
      providerIds: [own],
    });
    expect(await idsOf()).toEqual([other]);
    await expectSound(service, root);
  });

  test('no identity can be linked where no issuer is trusted', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const oauthProviders = [{ providerName: 'Example', oidcToken: 'ey.J.x' }];
    expect(errorOf(await root.submit('createOauthProviders', { userId, oauthProviders }))).toEqual({
      status: 501,
      code: 'NOT_OFFERED',
      fields: ['oauthProviders'],
    });
    const user = { ...userParams(newApiKey()), oauthProviders };
    expect(errorOf(await root.submit('createUsers', { users: [user] }))).toMatchObject({
      code: 'NOT_OFFERED',
      fields: ['users.0.oauthProviders'],
    });
    const unknown = await root.submit('createOauthProviders', { userId: madeUpId(), oauthProviders });
    expect(errorOf(unknown)).toMatchObject({ status: 404, fields: ['userId'] });
    expect(errorOf(await root.submit('createApiKeys', { userId, apiKeys: [apiKeyParams(root.key)] }))).toMatchObject({
      code: 'CREDENTIAL_TAKEN',
    });
  });
});
