import { describe, expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, createPrivateKey, createSubOrganization, errorOf, signParams, uniqueName } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey, stampWithPasskey } from '../catalogue/support/passkeys.ts';
import { addKey, ELSEWHERE, from, HERE, notAllowed, OFFICE, only, ownOrganization, postFrom } from './support.ts';

/** The outcomes of a query and a submit by a caller. */
async function statusesOf(caller: Caller): Promise<number[]> {
  const submitted = await caller.submit('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
  return [(await caller.query('whoami')).status, submitted.status];
}

describeEngines('D66: an IP allowlist', (subject) => {
  /** An organization whose root user calls from the office, and whose list has only the office. */
  async function officeOnly() {
    const { root, rootUserId } = await ownOrganization(subject().service);
    const office = from(OFFICE, root);
    await office.result('setIpAllowlist', only(OFFICE));
    return { root, rootUserId, office };
  }

  test.each(['spec', 'turnkey'] as const)('allows the addresses on it and no others, in the dialect %s', async (dialect) => {
    const { root, office } = await officeOnly();
    const privateKeyId = await createPrivateKey(office);
    const before = await countRows(subject().raw);
    const outside = from(ELSEWHERE, root.with({ dialect }));
    for (const answer of [
      await outside.query('whoami'),
      await outside.submit('signRawPayload', signParams(privateKeyId)),
      await outside.submit('createUserTag', {}),
      await outside.submit('setIpAllowlist', only(ELSEWHERE)),
      await outside.submit('approveActivity', { fingerprint: `sha256:${'00'.repeat(32)}` }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 7 });
      expect(dialect === 'spec' ? answer.body.errorCode : answer.body.turnkeyErrorCode).toBe(
        dialect === 'spec' ? 'IP_NOT_ALLOWED' : 'FORBIDDEN',
      );
      // The answer shows the address that the server saw, and nothing of the list.
      expect(answer.body.message).toContain(ELSEWHERE);
      expect(JSON.stringify(answer.body)).not.toContain(OFFICE);
    }
    expect(await countRows(subject().raw)).toEqual(before);
    expect((await from(OFFICE, root.with({ dialect })).submit('signRawPayload', signParams(privateKeyId))).status).toBe(200);
  });

  test('is not an oracle: callers without a valid stamp get the same answer as before', async () => {
    const { root, office } = await officeOnly();
    const path = root.queryPath('whoami');
    const body = Buffer.from(JSON.stringify({ organizationId: root.organizationId }));
    expect(errorOf(await from(ELSEWHERE, root.with({ key: newApiKey() })).query('whoami'))).toMatchObject({
      code: 'PUBLIC_KEY_NOT_FOUND',
    });
    expect(errorOf(await postFrom(ELSEWHERE, root.url + path, body, {}))).toMatchObject({ code: 'STAMP_MISSING' });
    const forged = { ...root.key, sign: (bytes: Uint8Array) => root.key.sign(Buffer.concat([bytes, Buffer.from(' ')])) };
    expect(errorOf(await from(ELSEWHERE, root.with({ key: forged })).query('whoami'))).toMatchObject({
      code: 'SIGNATURE_INVALID',
    });
    const { userId } = await createMember(office);
    const { caller } = await addKey(office, userId, { expirationSeconds: '60' });
    expect(errorOf(await from(ELSEWHERE, caller).query('whoami'))).toEqual(notAllowed);
    subject().service.setAheadMs(120_000);
    // An expired key learns nothing about the list either.
    expect(errorOf(await from(ELSEWHERE, caller).query('whoami'))).toMatchObject({ code: 'API_KEY_EXPIRED' });
    subject().service.setAheadMs(0);
  });

  test('that is not enabled refuses nobody', async () => {
    const { root, office } = await officeOnly();
    await office.result('setIpAllowlist', { enabled: false });
    expect(await statusesOf(from(ELSEWHERE, root))).toEqual([200, 200]);
    await office.result('setIpAllowlist', { enabled: true });
    expect(await statusesOf(from(ELSEWHERE, root))).toEqual([403, 403]);
    await office.result('removeIpAllowlist', {});
    expect(await statusesOf(from(ELSEWHERE, root))).toEqual([200, 200]);
  });

  describe('of a key', () => {
    test('replaces the organization’s list for that key only', async () => {
      const { root, rootUserId, office } = await officeOnly();
      const { key, caller } = await addKey(office, rootUserId);
      await office.result('setIpAllowlist', { publicKey: key.publicKey, ...only(ELSEWHERE) });
      expect(await statusesOf(from(ELSEWHERE, caller))).toEqual([200, 200]);
      expect(await statusesOf(from(OFFICE, caller))).toEqual([403, 403]);
      expect(await statusesOf(from(ELSEWHERE, root))).toEqual([403, 403]);
      expect(await statusesOf(office)).toEqual([200, 200]);
      await office.result('removeIpAllowlist', { publicKey: key.publicKey });
      expect(await statusesOf(from(ELSEWHERE, caller))).toEqual([403, 403]);
      expect(await statusesOf(from(OFFICE, caller))).toEqual([200, 200]);
    });

    test('applies if the organization has no list, and if its list is off', async () => {
      const { root, rootUserId } = await ownOrganization(subject().service);
      const { key, caller } = await addKey(root, rootUserId);
      await root.result('setIpAllowlist', { publicKey: key.publicKey, ...only(OFFICE) });
      expect(await statusesOf(from(ELSEWHERE, caller))).toEqual([403, 403]);
      await root.result('setIpAllowlist', { enabled: false, ...only(ELSEWHERE) });
      expect(await statusesOf(from(ELSEWHERE, caller))).toEqual([403, 403]);
      expect(await statusesOf(from(OFFICE, caller))).toEqual([200, 200]);
      expect(await statusesOf(from(ELSEWHERE, root))).toEqual([200, 200]);
    });

    test('exempts it with a block of all addresses', async () => {
      const { rootUserId, office } = await officeOnly();
      const { key, caller } = await addKey(office, rootUserId);
      await office.result('setIpAllowlist', { publicKey: key.publicKey, rules: [{ cidr: '0.0.0.0/0' }] });
      expect(await statusesOf(from(ELSEWHERE, caller))).toEqual([200, 200]);
    });
  });

  describe('governs every credential of the organization', () => {
    test('passkeys', async () => {
      const { root, rootUserId, office } = await officeOnly();
      const authenticator = new SoftwareAuthenticator();
      await office.result('createAuthenticators', { userId: rootUserId, authenticators: [passkeyParams(authenticator)] });
      const body = JSON.stringify({ organizationId: root.organizationId });
      const ask = () => sendWithPasskey(root, authenticator, root.queryPath('whoami'), body);
      const answer = await ask();
      expect(errorOf(answer)).toEqual(notAllowed);
      expect(answer.body.message).toContain(HERE);
      await office.result('setIpAllowlist', only(OFFICE, HERE));
      expect((await ask()).status).toBe(200);
    });

    test('passkeys that repeat an earlier request', async () => {
      const { root, rootUserId, office } = await officeOnly();
      const authenticator = new SoftwareAuthenticator();
      await office.result('setIpAllowlist', only(OFFICE, HERE));
      const made = await office.result('createAuthenticators', {
        userId: rootUserId,
        authenticators: [passkeyParams(authenticator)],
      });
      const path = root.submitPath('createUserTag');
      const body = Buffer.from(root.submitBody('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] }));
      const stamp = stampWithPasskey(authenticator, body);
      const send = (address: string) => postFrom(address, root.url + path, body, { 'x-stamp-webauthn': stamp });
      const first = await send(HERE);
      expect(first.status, JSON.stringify(first.body)).toBe(200);
      // The stamp's counter is used up: allowed callers get the activity that it led to.
      expect((await send(HERE)).body.activity.id).toBe(first.body.activity.id);
      expect(errorOf(await send(ELSEWHERE))).toEqual(notAllowed);
      await office.result('setIpAllowlist', only(OFFICE));
      expect(errorOf(await send(HERE))).toEqual(notAllowed);
      const snapshot = await subject().service.services.organizations.snapshots.get(root.organizationId);
      expect(snapshot?.authenticators.get(made.authenticatorIds[0])?.counter).toBeGreaterThan(0);
    });

    test('session keys, unless the key that opened the session has a list of its own', async () => {
      const { office, rootUserId } = await officeOnly();
      const { key, caller } = await addKey(office, rootUserId);
      await office.result('setIpAllowlist', { publicKey: key.publicKey, ...only(ELSEWHERE) });
      const session = newApiKey();
      await from(ELSEWHERE, caller).result('stampLogin', { publicKey: session.publicKey });
      expect(await statusesOf(from(ELSEWHERE, caller.with({ key: session })))).toEqual([200, 200]);
      expect(await statusesOf(from(OFFICE, caller.with({ key: session })))).toEqual([403, 403]);
      const plain = newApiKey();
      await office.result('stampLogin', { publicKey: plain.publicKey });
      expect(await statusesOf(from(OFFICE, office.with({ key: plain })))).toEqual([200, 200]);
      expect(await statusesOf(from(ELSEWHERE, office.with({ key: plain })))).toEqual([403, 403]);
    });

    test('read-only sessions', async () => {
      const { root, office } = await officeOnly();
      const { session } = await office.result('createReadOnlySession', {});
      const { organizationId: child } = await createSubOrganization(office);
      for (const organizationId of [root.organizationId, child]) {
        const body = Buffer.from(JSON.stringify({ organizationId }));
        const ask = (address: string) => postFrom(address, root.url + root.queryPath('whoami'), body, { 'x-session': session });
        expect((await ask(OFFICE)).status).toBe(200);
        expect(errorOf(await ask(ELSEWHERE))).toEqual(notAllowed);
        const other = await postFrom(ELSEWHERE, root.url + root.queryPath('whoami'), body, { 'x-session': 'A'.repeat(43) });
        expect(errorOf(other)).toMatchObject({ code: 'SESSION_INVALID' });
      }
    });
  });

  describe('and sub-organizations', () => {
    test('it applies to the parent’s users there, and not to the sub-organization’s own', async () => {
      const { root, office } = await officeOnly();
      const { caller: child, organizationId, userId } = await createSubOrganization(office);
      await child.result('updateUser', { userId, userEmail: 'customer@example.com' });
      const parent = root.with({ organizationId });
      const read = (address: string) => from(address, parent).query('getOrganizationConfigs');
      const signIn = (address: string) =>
        from(address, parent).submit('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: 'customer@example.com' });
      expect([(await read(OFFICE)).status, (await signIn(OFFICE)).status]).toEqual([200, 200]);
      expect([errorOf(await read(ELSEWHERE)), errorOf(await signIn(ELSEWHERE))]).toEqual([notAllowed, notAllowed]);
      expect(await statusesOf(from(ELSEWHERE, child))).toEqual([200, 200]);
      // A key known to both acts as the child's there.
      const { publicKey, curve: curveType } = root.key;
      await child.result('createApiKeys', { userId, apiKeys: [{ apiKeyName: 'Shared', publicKey, curveType }] });
      expect(await statusesOf(from(ELSEWHERE, parent))).toEqual([200, 200]);
    });

    test('organizations do not govern each other', async () => {
      await officeOnly();
      const { root: other } = await ownOrganization(subject().service);
      expect(await statusesOf(from(ELSEWHERE, other))).toEqual([200, 200]);
      expect(await statusesOf(from(ELSEWHERE, subject().service.root))).toEqual([200, 200]);
    });
  });

  test('repeating a request from another address does not show its activity', async () => {
    const { root, office } = await officeOnly();
    const body = root.submitBody('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
    const path = root.submitPath('createUserTag');
    const first = await office.send(path, body);
    expect(first.status).toBe(200);
    expect((await office.send(path, body)).body.activity.id).toBe(first.body.activity.id);
    expect(errorOf(await from(ELSEWHERE, root).send(path, body))).toEqual(notAllowed);
  });

  test('votes need an allowed address, and still count when the address is no longer allowed', async () => {
    const { root: spec, rootUserId } = await ownOrganization(subject().service);
    const root = spec.with({ dialect: 'turnkey' });
    const members = [await createMember(root), await createMember(root)];
    const userIds = [rootUserId, ...members.map(({ userId }) => userId)];
    await root.result('updateRootQuorum', { threshold: 2, userIds });
    const [second, third] = members.map(({ caller }) => caller) as [Caller, Caller];
    const tag = () => ({ userTagName: uniqueName('Tag'), userIds: [] });
    const asked = await from(ELSEWHERE, root).submit('createUserTag', tag());
    const { status, fingerprint } = asked.body.activity;
    expect(status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');

    const pending = await from(OFFICE, second).submit('setIpAllowlist', only(OFFICE));
    const approved = await from(OFFICE, third).submit('approveActivity', { fingerprint: pending.body.activity.fingerprint });
    expect(approved.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');

    for (const vote of ['approveActivity', 'rejectActivity'] as const) {
      expect(errorOf(await from(ELSEWHERE, third).submit(vote, { fingerprint }))).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      });
    }
    const done = await from(OFFICE, third).submit('approveActivity', { fingerprint });
    expect(done.body.activity.status, JSON.stringify(done.body)).toBe('ACTIVITY_STATUS_COMPLETED');
  });

  test('simulations and explanations cover policies, and need an allowed address like all queries', async () => {
    const { root, rootUserId, office } = await officeOnly();
    const fields = {
      type: 'ACTIVITY_TYPE_SET_IP_ALLOWLIST',
      parameters: only(ELSEWHERE),
      approverIds: [rootUserId],
    };
    // The simulated request has no address, so only the policy decision is shown.
    const { decision } = await office.data('simulateActivity', fields);
    expect(decision).toMatchObject({ outcome: 'ALLOW', by: 'ROOT_QUORUM' });
    expect(errorOf(await from(ELSEWHERE, root).query('simulateActivity', fields))).toEqual(notAllowed);
    expect(await statusesOf(office)).toEqual([200, 200]);
  });
});
