import { describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { apiKeyParams, createMember, errorOf, uniqueName } from '../../support/world.ts';
import { expectSound } from '../catalogue/support/expect-sound.ts';
import { addKey, ELSEWHERE, from, HERE, OFFICE, only, ownOrganization } from './support.ts';

const shutOut = { status: 400, code: 'PRECONDITION_FAILED' };

describeEngines('D66: nobody shuts themselves out by removing a key', (subject) => {
  /**
   * An organization that only the office may call, except for one key of its root user, which may also call from here. The root
   * user has another key without a list.
   */
  async function exempted(more?: object) {
    const { root, rootUserId } = await ownOrganization(subject().service);
    const added = await addKey(root, rootUserId, more);
    await root.result('setIpAllowlist', { publicKey: added.key.publicKey, ...only(HERE, OFFICE) });
    await added.caller.result('setIpAllowlist', only(OFFICE));
    return { root, rootUserId, ...added };
  }

  /** Expects a refusal that names the address and changes nothing: calls from here still work. */
  async function expectShutOut(caller: Caller, submit: () => Promise<Answer>) {
    const before = await countRows(subject().raw);
    const answer = await submit();
    expect(answer.status, JSON.stringify(answer.body)).toBe(400);
    expect(answer.body.message).toContain(`lock out the credential and address of this request (${HERE})`);
    expect(await countRows(subject().raw)).toEqual(before);
    expect((await caller.query('whoami')).status).toBe(200);
  }

  test.each(['spec', 'turnkey'] as const)('a key that only its own list allows cannot delete itself (%s)', async (dialect) => {
    const { root, rootUserId, apiKeyId, caller } = await exempted();
    const placed = caller.with({ dialect });
    const itself = { userId: rootUserId, apiKeyIds: [apiKeyId] };
    await expectShutOut(placed, () => placed.submit('deleteApiKeys', itself));
    // From an address on the organization's list it can: its user can still call from there.
    await from(OFFICE, placed).result('deleteApiKeys', itself);
    expect((await from(OFFICE, root).query('whoami')).status).toBe(200);
    await expectSound(subject().service, from(OFFICE, root));
  });

  test('nor together with keys without a list', async () => {
    const { rootUserId, apiKeyId, caller } = await exempted();
    const { apiKeyId: plain } = await addKey(caller, rootUserId);
    const both = { userId: rootUserId, apiKeyIds: [plain, apiKeyId] };
    await expectShutOut(caller, () => caller.submit('deleteApiKeys', both));
    await caller.result('deleteApiKeys', { ...both, apiKeyIds: [plain] });
  });

  test('nor with its user', async () => {
    const { caller: exemptedRoot } = await exempted();
    const { userId, caller } = await createMember(exemptedRoot);
    await exemptedRoot.result('createPolicy', {
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW',
      condition: "activity.kind == 'DELETE_USERS'",
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    await exemptedRoot.result('setIpAllowlist', { publicKey: caller.key.publicKey, ...only(HERE, OFFICE) });
    const other = await createMember(exemptedRoot);
    await expectShutOut(caller, () => caller.submit('deleteUsers', { userIds: [other.userId, userId] }));
    await caller.result('deleteUsers', { userIds: [other.userId] });
    await from(OFFICE, caller).result('deleteUsers', { userIds: [userId] });
    await expectSound(subject().service, exemptedRoot);
  });

  test('nor by signing in again', async () => {
    const { root } = await ownOrganization(subject().service);
    const [key, next] = [newApiKey(), newApiKey()];
    await root.result('stampLogin', { publicKey: key.publicKey });
    await root.result('setIpAllowlist', { publicKey: key.publicKey, ...only(HERE, OFFICE) });
    const session = root.with({ key });
    await session.result('setIpAllowlist', only(OFFICE));
    const anew = { publicKey: next.publicKey, invalidateExisting: true };
    await expectShutOut(session, () => session.submit('stampLogin', anew));
    await from(OFFICE, session).result('stampLogin', anew);
    expect((await from(OFFICE, root.with({ key: next })).query('whoami')).status).toBe(200);
  });

  test('nor by making room for newer ones', async () => {
    const { rootUserId, caller } = await exempted({ expirationSeconds: '3600' });
    const create = (count: number) => {
      const apiKeys = Array.from({ length: count }, () => apiKeyParams(newApiKey(), { expirationSeconds: '3600' }));
      return { userId: rootUserId, apiKeys };
    };
    await expectShutOut(caller, () => caller.submit('createApiKeys', create(10)));
    await caller.result('createApiKeys', create(9));
    await expectShutOut(caller, () => caller.submit('createApiKeys', create(1)));
    await from(OFFICE, caller).result('createApiKeys', create(1));
  });

  describe('a removal that does not shut out its caller works', () => {
    test('somebody else removes the key', async () => {
      const { root, rootUserId, apiKeyId, caller } = await exempted();
      await from(OFFICE, root).result('deleteApiKeys', { userId: rootUserId, apiKeyIds: [apiKeyId] });
      expect((await caller.query('whoami')).status).toBe(401);
    });

    test('the key removes others, with lists of their own', async () => {
      const { rootUserId, caller } = await exempted();
      const { userId, caller: member } = await createMember(caller);
      const other = await addKey(caller, rootUserId);
      for (const { publicKey } of [member.key, other.key])
        await caller.result('setIpAllowlist', { publicKey, ...only(ELSEWHERE) });
      await caller.result('deleteApiKeys', { userId: rootUserId, apiKeyIds: [other.apiKeyId] });
      await caller.result('deleteUsers', { userIds: [userId] });
      expect((await caller.query('whoami')).status).toBe(200);
    });

    test('the organization’s list is off, or there is none', async () => {
      const { root, rootUserId, apiKeyId, caller } = await exempted();
      await caller.result('setIpAllowlist', { enabled: false });
      await caller.result('deleteApiKeys', { userId: rootUserId, apiKeyIds: [apiKeyId] });
      const again = await addKey(root, rootUserId);
      await root.result('setIpAllowlist', { publicKey: again.key.publicKey, ...only(HERE) });
      await root.result('removeIpAllowlist', {});
      await again.caller.result('deleteApiKeys', { userId: rootUserId, apiKeyIds: [again.apiKeyId] });
    });

    test('a key without its own list removes itself', async () => {
      const { rootUserId, caller } = await exempted();
      const plain = await addKey(caller, rootUserId);
      await from(OFFICE, plain.caller).result('deleteApiKeys', { userId: rootUserId, apiKeyIds: [plain.apiKeyId] });
    });

    test('a key whose own list is no wider than the organization’s', async () => {
      const { rootUserId, caller } = await exempted();
      const narrow = await addKey(caller, rootUserId);
      await caller.result('setIpAllowlist', { publicKey: narrow.key.publicKey, ...only(OFFICE) });
      await from(OFFICE, narrow.caller).result('deleteApiKeys', { userId: rootUserId, apiKeyIds: [narrow.apiKeyId] });
    });
  });

  describe('with several approvers', () => {
    /** Two root users who both have to approve. One calls from here with a key that has its own list. */
    async function pair() {
      const { root: spec, rootUserId } = await ownOrganization(subject().service);
      const root = spec.with({ dialect: 'turnkey' });
      const { userId, caller: other } = await createMember(root);
      const added = await addKey(root, userId);
      await root.result('setIpAllowlist', { publicKey: added.key.publicKey, ...only(HERE, OFFICE) });
      await from(OFFICE, root).result('setIpAllowlist', only(OFFICE));
      await from(OFFICE, root).result('updateRootQuorum', { threshold: 2, userIds: [rootUserId, userId] });
      const removal = { userId, apiKeyIds: [added.apiKeyId] };
      return { root: from(OFFICE, root), other, exempted: added.caller, removal };
    }

    test('the submitter’s address is checked at once, before anybody votes', async () => {
      const { exempted, removal } = await pair();
      expect(errorOf(await exempted.submit('deleteApiKeys', removal))).toMatchObject({ status: 400 });
      expect((await exempted.query('whoami')).status).toBe(200);
    });

    test('a deciding vote that removes its own credential is refused, and the activity waits for another', async () => {
      const { root, exempted, removal } = await pair();
      const { activity } = (await root.submit('deleteApiKeys', removal)).body;
      expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      const { fingerprint } = activity;
      const answer = await exempted.submit('approveActivity', { fingerprint });
      expect(errorOf(answer)).toMatchObject({ status: 400 });
      expect(answer.body.message).toContain(HERE);
      const { status } = (await root.data('getActivity', { activityId: activity.id })).activity;
      expect(status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      const done = await from(OFFICE, exempted).submit('approveActivity', { fingerprint });
      expect(done.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect((await exempted.query('whoami')).status).toBe(401);
    });

    test('so is a vote that makes its own key give way to newer ones', async () => {
      const { root, exempted } = await pair();
      const { userId } = await exempted.data('whoami');
      const agree = (fingerprint: string, voter = from(OFFICE, exempted)) => voter.submit('approveActivity', { fingerprint });
      const carryOut = async (name: 'createApiKeys' | 'setIpAllowlist', params: object) => {
        const { activity } = (await root.submit(name, params)).body;
        expect((await agree(activity.fingerprint)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      };
      const short = () => apiKeyParams(newApiKey(), { expirationSeconds: '3600' });
      const key = newApiKey();
      await carryOut('createApiKeys', { userId, apiKeys: [apiKeyParams(key, { expirationSeconds: '3600' })] });
      await carryOut('setIpAllowlist', { publicKey: key.publicKey, ...only(HERE, OFFICE) });
      const { activity } = (await root.submit('createApiKeys', { userId, apiKeys: Array.from({ length: 10 }, short) })).body;
      const expiring = exempted.with({ key });
      expect(errorOf(await agree(activity.fingerprint, expiring))).toMatchObject({ status: 400 });
      expect((await expiring.query('whoami')).status).toBe(200);
      expect((await agree(activity.fingerprint)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect((await expiring.query('whoami')).status).toBe(401);
    });

    test('so is a vote that deletes its user', async () => {
      const { caller: root } = await exempted();
      const [submitter, voter] = [await createMember(root), await createMember(root)];
      await root.result('createPolicy', {
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_ALLOW',
        condition: "activity.kind == 'DELETE_USERS'",
        consensus: [submitter, voter].map(({ userId }) => `approvers.any(user, user.id == '${userId}')`).join(' && '),
      });
      await root.result('setIpAllowlist', { publicKey: voter.caller.key.publicKey, ...only(HERE, OFFICE) });
      const compatible = from(OFFICE, submitter.caller.with({ dialect: 'turnkey' }));
      const { activity } = (await compatible.submit('deleteUsers', { userIds: [voter.userId] })).body;
      expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      const { fingerprint } = activity;
      expect(errorOf(await voter.caller.submit('approveActivity', { fingerprint }))).toEqual(shutOut);
      expect((await voter.caller.query('whoami')).status).toBe(200);
      await from(OFFICE, voter.caller).submit('approveActivity', { fingerprint });
      const { status } = (await compatible.data('getActivity', { activityId: activity.id })).activity;
      expect(status).toBe('ACTIVITY_STATUS_COMPLETED');
    });

    test('somebody who stays allowed can decide', async () => {
      const { root, other, removal } = await pair();
      const { activity } = (await root.submit('deleteApiKeys', removal)).body;
      const done = await from(OFFICE, other).submit('approveActivity', { fingerprint: activity.fingerprint });
      expect(done.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    });
  });
});
