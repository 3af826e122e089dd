import { describe, expect, test } from 'vitest';
import type { Caller, Json } from '../support/caller.ts';
import { describeEngines } from '../support/describe-engines.ts';
import { countRows } from '../support/raw-database.ts';
import { createMember, errorOf } from '../support/world.ts';
import { addKey, ELSEWHERE, from, HERE, OFFICE, only, ownOrganization } from './support.ts';

const shutOut = { status: 400, code: 'PRECONDITION_FAILED' };

describeEngines('D66: nobody shuts themselves out', (subject) => {
  const lists = async (root: Caller) => {
    const snapshot = await subject().service.services.snapshots.current(root.organizationId);
    return snapshot?.records.ipAllowlist.size;
  };

  test('a list without the address that sets it is refused, and leaves nothing behind', async () => {
    const { root } = await ownOrganization(subject().service);
    const before = await countRows(subject().raw);
    const answer = await root.submit('setIpAllowlist', only(OFFICE));
    expect(errorOf(answer)).toEqual(shutOut);
    expect(answer.body.message).toContain(HERE);
    expect(await countRows(subject().raw)).toEqual(before);
    // From there, it is as it should be; and what keeps nobody out is no danger.
    await root.result('setIpAllowlist', { enabled: false, ...only(OFFICE) });
    expect(errorOf(await root.submit('setIpAllowlist', { enabled: true }))).toEqual(shutOut);
    await from(OFFICE, root).result('setIpAllowlist', { enabled: true });
    expect(errorOf(await from(OFFICE, root).submit('setIpAllowlist', only(HERE)))).toEqual(shutOut);
  });

  test('a key’s list must have the address where that key sets it, and is free for other keys', async () => {
    const { root, rootUserId } = await ownOrganization(subject().service);
    const { key, caller } = await addKey(root, rootUserId);
    const own = { publicKey: root.key.publicKey };
    expect(errorOf(await root.submit('setIpAllowlist', { ...own, ...only(OFFICE) }))).toEqual(shutOut);
    await root.result('setIpAllowlist', { publicKey: key.publicKey, ...only(OFFICE) });
    await root.result('setIpAllowlist', { ...own, ...only(HERE) });
    // It is the key's own list that governs whoever uses it.
    await root.result('setIpAllowlist', only(ELSEWHERE));
    expect((await root.query('whoami')).status).toBe(200);
    expect(errorOf(await from(OFFICE, caller).submit('removeIpAllowlist', { publicKey: key.publicKey }))).toEqual(shutOut);
  });

  test('a key’s list is not removed by that key where only the list lets it in', async () => {
    const { root } = await ownOrganization(subject().service);
    const own = { publicKey: root.key.publicKey };
    await root.result('setIpAllowlist', { ...own, ...only(HERE) });
    await root.result('setIpAllowlist', only(OFFICE));
    expect(errorOf(await root.submit('removeIpAllowlist', own))).toEqual(shutOut);
    expect(await lists(root)).toBe(2);
    await root.result('removeIpAllowlist', {});
    await root.result('removeIpAllowlist', own);
    expect(await lists(root)).toBe(0);
  });

  describe('where several have to agree', () => {
    /** An organization of two root users, both of whom have to agree. */
    async function pair() {
      const { root: spec, rootUserId } = await ownOrganization(subject().service);
      const root = spec.with({ dialect: 'turnkey' });
      const { userId, caller } = await createMember(root);
      await root.result('updateRootQuorum', { threshold: 2, userIds: [rootUserId, userId] });
      return { root, other: caller };
    }

    const statusOf = async (root: Caller, activityId: string): Promise<Json> =>
      (await root.data('getActivity', { activityId })).activity.status;

    test('the submitter’s address counts at once, before anybody votes', async () => {
      const { root } = await pair();
      expect(errorOf(await root.submit('setIpAllowlist', only(OFFICE)))).toMatchObject({ status: 400 });
      expect(await lists(root)).toBe(0);
    });

    test('the deciding vote is refused from an address that it would shut out, and the activity waits for another', async () => {
      const { root, other } = await pair();
      const { activity } = (await from(OFFICE, root).submit('setIpAllowlist', only(OFFICE))).body;
      expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      const approve = (address: string) => from(address, other).submit('approveActivity', { fingerprint: activity.fingerprint });
      const answer = await approve(ELSEWHERE);
      expect(errorOf(answer)).toMatchObject({ status: 400 });
      expect(answer.body.message).toContain(ELSEWHERE);
      expect(await statusOf(root, activity.id)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      expect((await approve(OFFICE)).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect((await other.query('whoami')).status).toBe(403);
    });

    test('a vote for removing a key’s list too', async () => {
      const { root, other } = await pair();
      const act = async (name: 'setIpAllowlist' | 'removeIpAllowlist', params: object) => {
        const { activity } = (await from(OFFICE, root).submit(name, params)).body;
        return from(OFFICE, other).submit('approveActivity', { fingerprint: activity.fingerprint });
      };
      const { publicKey } = other.key;
      const first = await act('setIpAllowlist', { publicKey, ...only(OFFICE, ELSEWHERE) });
      expect(first.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect((await act('setIpAllowlist', only(OFFICE))).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      const { activity } = (await from(OFFICE, root).submit('removeIpAllowlist', { publicKey })).body;
      const { fingerprint } = activity;
      expect(errorOf(await from(ELSEWHERE, other).submit('approveActivity', { fingerprint }))).toMatchObject({ status: 400 });
      const done = await from(OFFICE, other).submit('approveActivity', { fingerprint });
      expect(done.body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
      expect(await lists(root)).toBe(1);
    });

    test('a rejection shuts nobody out and is taken from everywhere', async () => {
      const { root, other } = await pair();
      const { activity } = (await from(OFFICE, root).submit('setIpAllowlist', only(OFFICE))).body;
      const rejected = await from(ELSEWHERE, other).submit('rejectActivity', { fingerprint: activity.fingerprint });
      expect(rejected.body.activity.status).toBe('ACTIVITY_STATUS_REJECTED');
    });
  });
});
