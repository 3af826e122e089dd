import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { ActivityRow } from '../../../src/store/rows.ts';
import { activityRow, bytes, commitOf, createOrganization, put, recordRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const taken = { taken: true };
const revisionMoved = { taken: false, reason: 'REVISION_MOVED' };
const terminal = ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED'];

function next(row: ActivityRow, fields: Partial<ActivityRow> = {}): ActivityRow {
  return { ...row, revision: row.revision + 1, body: JSON.stringify({ revision: row.revision + 1 }), mac: bytes(), ...fields };
}

/** The revisions of one activity, and what can never change. */
export function revisionSuite(subject: () => Subject): void {
  async function pending(): Promise<{ organizationId: string; row: ActivityRow }> {
    const { store } = subject();
    const organizationId = await createOrganization(store);
    const row = activityRow(organizationId, { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' });
    await store.commit([commitOf(organizationId, { activity: row })]);
    return { organizationId, row };
  }

  describe('revisions', () => {
    test('a revision replaces the one before it, and no other', async () => {
      const { store } = subject();
      const { organizationId, row } = await pending();
      const second = next(row);
      expect(await store.commit([commitOf(organizationId, { activity: second })])).toEqual([taken]);
      const writes = [put.record(recordRow(organizationId))];
      for (const revision of [1, 3, 9]) {
        expect(await store.commit([commitOf(organizationId, { activity: { ...second, revision }, writes })])).toEqual([
          revisionMoved,
        ]);
      }
      expect(await store.activities.get(organizationId, row.id)).toStrictEqual(second);
      expect((await store.organizations.snapshot(organizationId))?.records).toEqual([]);
    });

    test('an activity and its next revisions may share a batch', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const row = activityRow(organizationId, { status: 'ACTIVITY_STATUS_CREATED' });
      const second = next(row, { status: 'ACTIVITY_STATUS_PENDING' });
      const third = next(second, { status: 'ACTIVITY_STATUS_COMPLETED' });
      const batch = [row, second, second, third].map((activity) => commitOf(organizationId, { activity }));
      expect(await store.commit(batch)).toEqual([taken, taken, revisionMoved, taken]);
      expect(await store.activities.get(organizationId, row.id)).toStrictEqual(third);
    });

    test('a revision of an unknown activity is refused', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      expect(await store.commit([commitOf(organizationId, { activity: activityRow(organizationId, { revision: 1 }) })])).toEqual([
        revisionMoved,
      ]);
    });

    test('a revision cannot have another fingerprint or type', async () => {
      const { store } = subject();
      const { organizationId, row } = await pending();
      for (const fields of [{ fingerprint: 'sha256:other' }, { type: 'ACTIVITY_TYPE_OTHER' }]) {
        expect(await store.commit([commitOf(organizationId, { activity: next(row, fields) })])).toEqual([revisionMoved]);
      }
      expect(await store.activities.get(organizationId, row.id)).toStrictEqual(row);
    });

    test.each(terminal)('R4: an activity in %s accepts no further revision', async (status) => {
      const { store } = subject();
      const { organizationId, row } = await pending();
      const last = next(row, { status });
      expect(await store.commit([commitOf(organizationId, { activity: last })])).toEqual([taken]);
      for (const to of ['ACTIVITY_STATUS_PENDING', ...terminal]) {
        const outcome = await store.commit([commitOf(organizationId, { activity: next(last, { status: to }) })]);
        expect(outcome).toEqual([revisionMoved]);
      }
      expect(await store.activities.get(organizationId, row.id)).toStrictEqual(last);
    });

    test.each(terminal)('R4: the database itself protects an activity in %s', async (status) => {
      const { store, installation } = subject();
      const organizationId = await createOrganization(store);
      const row = activityRow(organizationId, { status });
      await store.commit([commitOf(organizationId, { activity: row })]);
      const where = `WHERE organization_id = '${organizationId}' AND id = '${row.id}'`;
      for (const sql of [
        `UPDATE activities SET body = '{}' ${where}`,
        `UPDATE activities SET status = 'ACTIVITY_STATUS_PENDING' ${where}`,
        `UPDATE activities SET revision = revision + 1 ${where}`,
        `DELETE FROM activities ${where}`,
      ]) {
        await expect(installation.execute(sql), sql).rejects.toThrow('terminal activity is final');
      }
      expect(await store.activities.get(organizationId, row.id)).toStrictEqual(row);
    });

    test('R4: the database itself protects id, type, fingerprint and organization of any activity', async () => {
      const { store, installation } = subject();
      const { organizationId, row } = await pending();
      for (const column of ['id', 'type', 'fingerprint', 'organization_id']) {
        const sql = `UPDATE activities SET ${column} = '${uuidv7()}' WHERE organization_id = '${organizationId}' AND id = '${row.id}'`;
        await expect(installation.execute(sql), column).rejects.toThrow('are fixed');
      }
      expect(await store.activities.get(organizationId, row.id)).toStrictEqual(row);
    });

    test('R4: a status never moves back; other entries of the batch are stored', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const row = activityRow(organizationId, { status: 'ACTIVITY_STATUS_PENDING' });
      await store.commit([commitOf(organizationId, { activity: row })]);
      for (const status of ['ACTIVITY_STATUS_CREATED', 'ACTIVITY_STATUS_CONSENSUS_NEEDED']) {
        const back = commitOf(organizationId, {
          activity: next(row, { status }),
          writes: [put.record(recordRow(organizationId))],
        });
        const outcomes = await store.commit([commitOf(organizationId), back, commitOf(organizationId)]);
        expect(outcomes).toMatchObject([
          taken,
          { reason: 'INVALID', detail: expect.stringContaining('only moves forward') },
          taken,
        ]);
      }
      expect(await store.activities.get(organizationId, row.id)).toStrictEqual(row);
      expect((await store.organizations.snapshot(organizationId))?.records).toEqual([]);
    });
  });
}
