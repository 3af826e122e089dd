import { createECDH } from 'node:crypto';
import { expect, test } from 'vitest';
import { createFirstOrganization } from '../../../packages/server/src/commands/initialize.ts';
import { openService } from '../../../packages/server/src/open-service.ts';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { importApiKey, newApiKey } from '../../support/api-key.ts';
import { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { engines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { apiKeyParams, createMember, createPrivateKey, errorOf, madeUpId, signParams } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';

const HOUR_MS = 3_600_000;

function publicKeyOf(privateKeyHex: string): string {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(privateKeyHex, 'hex');
  return pair.getPublicKey('hex', 'compressed');
}

describeEngines('a setup key', (subject) => {
  const root = () => subject().service.root;

  /** A user with a set-up key, and a caller that holds it. */
  async function givenKey(more: object = {}) {
    const { userId } = await createMember(root());
    const key = newApiKey();
    await root().result('createSetupKey', { userId, publicKey: key.publicKey, ...more });
    return { userId, holder: root().with({ key }) };
  }

  test('registers one passkey of its user, then is deleted', async () => {
    const { userId, holder } = await givenKey();
    const authenticator = new SoftwareAuthenticator();
    await holder.result('recoverUser', { userId, authenticator: passkeyParams(authenticator) });
    const body = JSON.stringify({ organizationId: root().organizationId });
    const signedIn = await sendWithPasskey(root(), authenticator, root().queryPath('whoami'), body);
    expect(signedIn.body.activity.result).toMatchObject({ userId });
    const again = await holder.submit('recoverUser', { userId, authenticator: passkeyParams() });
    expect(errorOf(again)).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
  });

  test('D192: the link can be used for nothing else, not for other users and not again', async () => {
    const { userId, holder } = await givenKey({ expirationSeconds: '3600' });
    const { userId: otherId } = await createMember(root());
    const privateKeyId = await createPrivateKey(root());
    await root().result('createPolicy', {
      policyName: 'Anybody',
      effect: 'EFFECT_ALLOW',
      condition: 'true',
      consensus: 'true',
    });
    for (const query of ['listUsers', 'getApiKeys', 'getUser'] as const)
      expect((await holder.query(query)).status, query).toBe(403);
    for (const [name, params] of [
      ['signRawPayload', signParams(privateKeyId)],
      ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
      ['createAuthenticators', { userId, authenticators: [passkeyParams()] }],
      ['createSetupKey', { userId, publicKey: newApiKey().publicKey }],
      ['stampLogin', { publicKey: newApiKey().publicKey }],
      ['approveActivity', { fingerprint: `sha256:${'00'.repeat(32)}` }],
      ['recoverUser', { userId: otherId, authenticator: passkeyParams() }],
    ] as const) {
      expect(errorOf(await holder.submit(name, params)), name).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    }
    subject().service.setAheadMs(2 * HOUR_MS);
    try {
      const params = { userId, authenticator: passkeyParams() };
      const late = await holder.submit('recoverUser', params, { timestampMs: String(Date.now() + 2 * HOUR_MS) });
      expect(errorOf(late).status).toBe(401);
    } finally {
      subject().service.setAheadMs(0);
    }
  });

  test('a new one replaces the earlier one of the same user', async () => {
    const { userId, holder } = await givenKey();
    const second = newApiKey();
    await root().result('createSetupKey', { userId, publicKey: second.publicKey });
    const late = await holder.submit('recoverUser', { userId, authenticator: passkeyParams() });
    expect(errorOf(late)).toEqual({ status: 401, code: 'PUBLIC_KEY_NOT_FOUND' });
    await root().with({ key: second }).result('recoverUser', { userId, authenticator: passkeyParams() });
  });

  test('D193: only the root quorum creates one, not a policy for credentials or an API key of the user', async () => {
    const { caller, userId } = await createMember(root());
    const { userId: otherId } = await createMember(root());
    await root().result('createPolicy', {
      policyName: 'Credentials',
      effect: 'EFFECT_ALLOW',
      condition: "activity.resource == 'CREDENTIAL'",
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    for (const target of [userId, otherId, subject().service.first.userId]) {
      const asked = await caller.submit('createSetupKey', { userId: target, publicKey: newApiKey().publicKey });
      expect(errorOf(asked)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    }
  });

  test.each([
    ['0', 'expirationSeconds'],
    ['86401', 'expirationSeconds'],
    ['1e3', 'expirationSeconds'],
  ])('is refused for %s seconds', async (expirationSeconds, field) => {
    const { userId } = await createMember(root());
    const asked = await root().submit('createSetupKey', { userId, publicKey: newApiKey().publicKey, expirationSeconds });
    expect(errorOf(asked)).toMatchObject({ status: 400, fields: [field] });
  });

  test('needs a user of the organization and an unregistered key', async () => {
    const unknown = await root().submit('createSetupKey', { userId: madeUpId(), publicKey: newApiKey().publicKey });
    expect(errorOf(unknown)).toMatchObject({ status: 404, fields: ['userId'] });
    const { userId } = await createMember(root());
    const { apiPublicKey: publicKey } = subject().service.first;
    expect(errorOf(await root().submit('createSetupKey', { userId, publicKey }))).toMatchObject({ code: 'CREDENTIAL_TAKEN' });
  });
});

test('the first start creates one for the root user', async () => {
  const installation = await engines.sqlite();
  const names = { organizationName: 'First', userName: 'Root' };
  const opened = await openService(installation.config);
  const made = await createFirstOrganization(installation.config, opened.services, names, { withSetupKey: true });
  const again = await createFirstOrganization(installation.config, opened.services, names, { withSetupKey: true });
  await opened.close();
  expect(again).toBeUndefined();
  const service = await startService(installation);
  try {
    const { organizationId, userId } = service.first;
    const token = made?.setupToken ?? '';
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(service.logText()).not.toContain(token);
    const holder = new Caller(
      service.url,
      organizationId,
      importApiKey({ apiPublicKey: publicKeyOf(token), apiPrivateKey: token }),
    );
    expect((await holder.query('listUsers')).status).toBe(403);
    const authenticator = new SoftwareAuthenticator();
    await holder.result('recoverUser', { userId, authenticator: passkeyParams(authenticator) });
    const body = JSON.stringify({ organizationId });
    const signedIn = await sendWithPasskey(service.root, authenticator, service.root.queryPath('whoami'), body);
    expect(signedIn.body.activity.result).toMatchObject({ userId });
  } finally {
    await service.close();
    await installation.remove();
  }
});
