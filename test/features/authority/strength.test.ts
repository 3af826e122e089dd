import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, errorOf } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { createOrganization, createPolicy, memberAt, type Organization } from '../policies/support.ts';
import { keysOf, login, readWriteSession } from '../sign-in/sessions-support.ts';

describeEngines('credentials by strength', (subject) => {
  /** A user outside the root quorum with an API key and a passkey. */
  async function createUser(): Promise<{
    organization: Organization;
    caller: Caller;
    userId: string;
    passkey: SoftwareAuthenticator;
    passkeyId: string;
  }> {
    const organization = await createOrganization(subject().service.root, { roots: 2, threshold: 1, members: 1 });
    const { caller, userId } = memberAt(organization, 0);
    const passkey = new SoftwareAuthenticator();
    const params = { userId, authenticators: [passkeyParams(passkey)] };
    const { authenticatorIds } = await organization.root.result('createAuthenticators', params);
    return { organization, caller, userId, passkey, passkeyId: authenticatorIds[0] };
  }

  const refused = { status: 403, code: 'POLICY_DENIED' };

  test('A02: a session can neither register nor remove a passkey, nor create an API key', async () => {
    const { caller, userId, passkeyId } = await createUser();
    for (const stolen of [await readWriteSession(caller), await login(caller)]) {
      const added = await stolen.submit('createAuthenticators', { userId, authenticators: [passkeyParams()] });
      expect(errorOf(added)).toMatchObject(refused);
      expect(added.body.message).toContain('stronger one');
      expect(errorOf(await stolen.submit('deleteAuthenticators', { userId, authenticatorIds: [passkeyId] }))).toMatchObject(
        refused,
      );
      const key = { userId, apiKeys: [apiKeyParams(newApiKey())] };
      expect(errorOf(await stolen.submit('createApiKeys', key))).toMatchObject(refused);
    }
  });

  test('A02: not even with a policy that lets users manage credentials', async () => {
    const { organization, caller, userId } = await createUser();
    await createPolicy(organization.root, 'ALLOW', { condition: "activity.resource == 'CREDENTIAL'" });
    const stolen = await readWriteSession(caller);
    const params = { userId, authenticators: [passkeyParams()] };
    expect(errorOf(await stolen.submit('createAuthenticators', params))).toMatchObject(refused);
  });

  test('A02: an API key cannot add or remove passkeys', async () => {
    const { caller, userId, passkeyId } = await createUser();
    expect(errorOf(await caller.submit('createAuthenticators', { userId, authenticators: [passkeyParams()] }))).toMatchObject(
      refused,
    );
    expect(errorOf(await caller.submit('deleteAuthenticators', { userId, authenticatorIds: [passkeyId] }))).toMatchObject(
      refused,
    );
  });

  test('a passkey adds and removes passkeys and API keys of its user; an API key adds and removes API keys', async () => {
    const { caller, userId, passkey } = await createUser();
    const send = (name: 'createAuthenticators' | 'createApiKeys', parameters: object) =>
      sendWithPasskey(caller, passkey, caller.submitPath(name), caller.submitBody(name, parameters));
    expect((await send('createAuthenticators', { userId, authenticators: [passkeyParams()] })).status).toBe(200);
    expect((await send('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] })).status).toBe(200);
    const { apiKeyIds } = await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
    await caller.result('deleteApiKeys', { userId, apiKeyIds });
  });

  test('a session can end sessions of its user, including itself', async () => {
    const { organization, caller, userId } = await createUser();
    const session = await login(caller);
    const keys = await keysOf(organization.root, userId);
    const apiKeyIds = keys
      .filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_LOGIN')
      .map(({ apiKeyId }) => apiKeyId);
    await session.result('deleteApiKeys', { userId, apiKeyIds });
    expect(errorOf(await session.query('whoami'))).toMatchObject({ status: 401 });
  });

  test('an organization may let sessions change credentials that are not stronger', async () => {
    const { organization, caller, userId } = await createUser();
    const feature = { name: 'FEATURE_NAME_SESSION_SELF_SERVICE', value: '' };
    await organization.root.result('setOrganizationFeature', feature);
    const session = await login(caller);
    const params = { userId, authenticators: [passkeyParams()] };
    expect(errorOf(await session.submit('createAuthenticators', params))).toMatchObject(refused);
    const key = { userId, apiKeys: [apiKeyParams(newApiKey())] };
    expect(errorOf(await session.submit('createApiKeys', key))).toMatchObject(refused);
  });

  test('A02: the approval of another user does not raise the strength', async () => {
    const { organization, caller, userId } = await createUser();
    await createPolicy(organization.root, 'ALLOW', {
      condition: "activity.resource == 'CREDENTIAL'",
      consensus: 'approvers.count() >= 2',
    });
    const stolen = await login(caller);
    const params = { userId, authenticators: [passkeyParams()] };
    expect(errorOf(await stolen.submit('createAuthenticators', params))).toMatchObject(refused);
  });
});
