import { describe, expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, errorOf } from '../../support/world.ts';
import { addKey, ELSEWHERE, from, HERE, OFFICE, only, ownOrganization } from './support.ts';

const shutOut = { status: 400, code: 'PRECONDITION_FAILED' };

describeEngines('D66: nobody shuts themselves out', (subject) => {
  const lists = async (root: Caller) => {
    const snapshot = await subject().service.services.organizations.snapshots.current(root.organizationId);
    return snapshot?.records.ipAllowlist.size;
  };

  test('a list without the caller’s address is refused and leaves nothing behind', async () => {
    const { root } = await ownOrganization(subject().service);
    const before = await countRows(subject().raw);
    const answer = await root.submit('setIpAllowlist', only(OFFICE));
    expect(errorOf(answer)).toEqual(shutOut);
    expect(answer.body.message).toContain(HERE);
    expect(await countRows(subject().raw)).toEqual(before);
    // From an address on the list it is accepted, and so is a list that is off.
    await root.result('setIpAllowlist', { enabled: false, ...only(OFFICE) });
    expect(errorOf(await root.submit('setIpAllowlist', { enabled: true }))).toEqual(shutOut);
    await from(OFFICE, root).result('setIpAllowlist', { enabled: true });
    expect(errorOf(await from(OFFICE, root).submit('setIpAllowlist', only(HERE)))).toEqual(shutOut);
  });

  test('a key that sets its own list must be on it; for other keys any list is accepted', async () => {
    const { root, rootUserId } = await ownOrganization(subject().service);
    const { key, caller } = await addKey(root, rootUserId);
    const own = { publicKey: root.key.publicKey };
    expect(errorOf(await root.submit('setIpAllowlist', { ...own, ...only(OFFICE) }))).toEqual(shutOut);
    await root.result('setIpAllowlist', { publicKey: key.publicKey, ...only(OFFICE) });
    await root.result('setIpAllowlist', { ...own, ...only(HERE) });
    // The key's own list governs its caller.
    await root.result('setIpAllowlist', only(ELSEWHERE));
    expect((await root.query('whoami')).status).toBe(200);
    expect(errorOf(await from(OFFICE, caller).submit('removeIpAllowlist', { publicKey: key.publicKey }))).toEqual(shutOut);
  });

  test('a key cannot remove its own list if only that list allows it', async () => {
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

  describe('with several approvers', () => {
    /** An organization with two root users who both have to approve. */
    async function pair() {
      const { root: spec, rootUserId } = await ownOrganization(subject().service);
      const root = spec.with({ dialect: 'turnkey' });
      const { userId, caller } = await createMember(root);
      await root.result('updateRootQuorum', { threshold: 2, userIds: [rootUserId, userId] });
      return { root, other: caller };
    }

    const statusOf = async (root: Caller, activityId: string): Promise<Json> =>
      (await root.data('getActivity', { activityId })).activity.status;

    test('the submitter’s address is checked at once, before anybody votes', async () => {
      const { root } = await pair();
      expect(errorOf(await root.submit('setIpAllowlist', only(OFFICE)))).toMatchObject({ status: 400 });
      expect(await lists(root)).toBe(0);
    });

    test('a deciding vote from an address that it would shut out is refused, and the activity waits for another', async () => {
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

    test('the same holds for a vote to remove a key’s list', async () => {
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

    test('a rejection shuts nobody out and is accepted from every address', async () => {
      const { root, other } = await pair();
      const { activity } = (await from(OFFICE, root).submit('setIpAllowlist', only(OFFICE))).body;
      const rejected = await from(ELSEWHERE, other).submit('rejectActivity', { fingerprint: activity.fingerprint });
      expect(rejected.body.activity.status).toBe('ACTIVITY_STATUS_REJECTED');
    });
  });
});
