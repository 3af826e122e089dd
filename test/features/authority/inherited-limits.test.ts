import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Caller, type Json, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, createWallet, errorOf, signParams, uniqueName } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { addKey, ELSEWHERE, from, HERE, only, ownOrganization } from '../ip-allowlists/support.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { approve, createOrganization, outcomeOf, submitPending } from '../policies/support.ts';
import { keysOf, login } from '../sign-in/sessions-support.ts';

/** The lifetime is set, and is at most this long. */
function expectWithin(expirationSeconds: string | undefined, seconds: number) {
  expect(expirationSeconds).toMatch(/^[1-9]\d*$/);
  expect(Number(expirationSeconds)).toBeLessThanOrEqual(seconds);
}

describeEngines('a limited credential', (subject) => {
  const first = () => subject().service.root;

  /** Registers keys with the caller's credential, and returns the last one as users see it. */
  async function register(caller: Caller, userId: string, more: object = {}) {
    const key = newApiKey();
    const answer = await caller.submit('createApiKeys', { userId, apiKeys: [apiKeyParams(key, more)] });
    const { apiKeyIds } = resultOf(answer);
    const shown = (await keysOf(caller, userId)).find(({ apiKeyId }) => apiKeyId === apiKeyIds[0]) as Json;
    const { activity } = await caller.data('getActivity', { activityId: answer.body.activity.id });
    return { caller: caller.with({ key }), shown, warnings: (activity.warnings ?? []) as string[] };
  }

  /** A user without rights, with a key that never expires and one that expires in an hour. */
  async function withExpiringKey(root: Caller) {
    const { userId, caller } = await createMember(root);
    const key = newApiKey();
    await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key, { expirationSeconds: '3600' })] });
    return { userId, lasting: caller, expiring: caller.with({ key }) };
  }

  test('D282: an expiring API key creates no key that outlives it', async () => {
    const { userId, expiring, lasting } = await withExpiringKey(first());
    const created = await Promise.all([{}, { expirationSeconds: '86400' }].map((more) => register(expiring, userId, more)));
    for (const { shown, warnings } of created) {
      expectWithin(shown.expirationSeconds, 3600);
      expect(warnings).toEqual([expect.stringContaining('expires after')]);
    }
    const further = await register(created[0]?.caller as Caller, userId);
    expectWithin(further.shown.expirationSeconds, 3600);
    try {
      subject().service.setAheadMs(3_700_000);
      for (const { caller } of [...created, further])
        expect(errorOf(await caller.query('whoami'))).toMatchObject({ code: 'API_KEY_EXPIRED' });
    } finally {
      subject().service.setAheadMs(0);
    }
    // The key without an end still creates such keys.
    const { shown, warnings } = await register(lasting, userId);
    expect({ end: shown.expirationSeconds ?? '', warnings }).toEqual({ end: '', warnings: [] });
  });

  test('D282: a shorter lifetime stays as requested', async () => {
    const { userId, expiring } = await withExpiringKey(first());
    const { shown, warnings } = await register(expiring, userId, { expirationSeconds: '60' });
    expect({ end: shown.expirationSeconds, warnings }).toEqual({ end: '60', warnings: [] });
  });

  test('D282: a session of an expiring key creates no key that outlives that key, even as the root quorum', async () => {
    const { root, roots } = await createOrganization(first());
    const userId = roots[0]?.userId as string;
    const key = newApiKey();
    await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key, { expirationSeconds: '3600' })] });
    const session = await login(root.with({ key }));
    expectWithin((await register(session, userId)).shown.expirationSeconds, 3600);
    // An ordinary session of the root quorum creates lasting keys, as before.
    expect((await register(await login(root), userId)).shown.expirationSeconds ?? '').toBe('');
    const verdict = await verifyText(await exportAudit(root), await logKey(root.url));
    expect(verdict).toMatchObject({ ok: true });
  });

  test('D282: a key with an IP allowlist passes a copy of it on, which stays when the key is deleted', async () => {
    const { root } = await ownOrganization(subject().service);
    const { userId, caller: lasting } = await createMember(root);
    const { key, apiKeyId } = await addKey(root, userId);
    await root.result('setIpAllowlist', { publicKey: key.publicKey, ...only(HERE) });
    const { caller, warnings } = await register(lasting.with({ key }), userId);
    expect(warnings).toEqual([expect.stringContaining('IP allowlist')]);
    await caller.result('deleteApiKeys', { userId, apiKeyIds: [apiKeyId] });
    expect((await from(HERE, caller).query('whoami')).status).toBe(200);
    expect(errorOf(await from(ELSEWHERE, caller).query('whoami'))).toMatchObject({ code: 'IP_NOT_ALLOWED' });
    const free = await register(lasting, userId);
    expect((await from(ELSEWHERE, free.caller).query('whoami')).status).toBe(200);
  });

  test('D282: a session with a profile passes its scope and its end on', async () => {
    const scope = "activity.action == 'SIGN' || activity.kind == 'CREATE_API_KEYS' || activity.kind == 'STAMP_LOGIN'";
    const params = { sessionProfileName: uniqueName('Profile'), scope };
    const { sessionProfileId } = await first().result('createSessionProfile', params);
    const { root, roots } = await createOrganization(first());
    const userId = roots[0]?.userId as string;
    const { addresses } = await createWallet(root);
    const session = await login(root, { sessionProfileId, expirationSeconds: '600' });
    const { caller, shown } = await register(session, userId);
    expectWithin(shown.expirationSeconds, 600);
    expect((await caller.submit('signRawPayload', signParams(addresses[0] as string))).status).toBe(200);
    const denied = await caller.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    expect(errorOf(denied)).toMatchObject({ code: 'POLICY_DENIED' });
    const opened = await login(caller);
    expect(errorOf(await opened.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] }))).toMatchObject({
      code: 'POLICY_DENIED',
    });
    const verdict = await verifyText(await exportAudit(root), await logKey(root.url));
    expect(verdict).toMatchObject({ ok: true });
  });

  test('D282: a passkey of the user, or the approval of another person, is stronger proof', async () => {
    const { root, roots } = await createOrganization(first(), { roots: 2 });
    const [one, two] = roots as [(typeof roots)[0], (typeof roots)[0]];
    const passkey = new SoftwareAuthenticator();
    await root.result('createAuthenticators', { userId: one.userId, authenticators: [passkeyParams(passkey)] });
    const body = root.submitBody('createApiKeys', { userId: one.userId, apiKeys: [apiKeyParams(newApiKey())] });
    const stamped = await sendWithPasskey(root, passkey, root.submitPath('createApiKeys'), body);
    expect(stamped.status, JSON.stringify(stamped.body)).toBe(200);
    const key = newApiKey();
    const apiKeys = [apiKeyParams(key, { expirationSeconds: '3600' })];
    await two.caller.result('createApiKeys', { userId: two.userId, apiKeys });
    await root.result('updateRootQuorum', { threshold: 2, userIds: roots.map(({ userId }) => userId) });
    // A session may not create API keys of its user, so the root quorum decides.
    const session = await login(two.caller.with({ key }));
    const request = { userId: two.userId, apiKeys: [apiKeyParams(newApiKey())] };
    const pending = await submitPending(session, 'createApiKeys', request);
    expect(outcomeOf(await approve(one, pending))).toBe('200 COMPLETED');
    const ends = async (userId: string) =>
      (await keysOf(root, userId))
        .filter(({ credential }) => credential.type === 'CREDENTIAL_TYPE_API_KEY_P256')
        .map(({ expirationSeconds }) => expirationSeconds ?? '');
    expect([await ends(one.userId), (await ends(two.userId)).sort()]).toEqual([
      ['', ''],
      ['', '', '3600'],
    ]);
    const verdict = await verifyText(await exportAudit(root), await logKey(root.url));
    expect(verdict).toMatchObject({ ok: true });
  });
});
