import { describe, expect, test } from 'vitest';
import { activityRow, commitOf, createOrganization, head, put, recordRow, resourceRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';
import { bucket, counting } from './usage-suite.ts';

const taken = { taken: true };
/** Numbers beyond the safe range. Rounded, the first is 2^53. */
const large = ['9007199254740993', '9223372036854775807'];

/** Integers that the service never writes: an intruder did. */
export function largeIntegersSuite(subject: () => Subject): void {
  describe.each(large)('D523: an integer of %s', (number) => {
    test('as version of a head: commits of the organization are refused, and others of the batch are stored', async () => {
      const { store, installation } = subject();
      const [edited, parent, other] = [
        await createOrganization(store),
        await createOrganization(store),
        await createOrganization(store),
      ];
      for (const id of [edited, parent])
        await installation.execute(`UPDATE organizations SET version = ${number} WHERE organization_id = '${id}'`);
      const moved = { taken: false, reason: 'VERSION_MOVED' };
      expect(
        await store.commit([
          commitOf(other),
          commitOf(edited),
          commitOf(other, { alsoExpect: { organizationId: parent, ...head(1) } }),
          commitOf(other, { head: head(2) }),
        ]),
      ).toEqual([taken, moved, moved, taken]);
      expect(await store.organizations.head(other)).toMatchObject({ version: 2 });
      expect(Number.isSafeInteger((await store.organizations.head(edited))?.version)).toBe(false);
      expect((await store.organizations.heads('', 10_000)).length).toBeGreaterThanOrEqual(3);
    });

    test('as revision of a count: commits that count in its bucket are refused, and others of the batch are stored', async () => {
      const { store, installation } = subject();
      const [edited, other] = [await createOrganization(store), await createOrganization(store)];
      const { next: first, commit } = counting(edited, undefined);
      expect(await store.commit([commit])).toEqual([taken]);
      await installation.execute(`UPDATE usage_points SET revision = ${number} WHERE organization_id = '${edited}'`);
      const commits = [counting(edited, first).commit, counting(other, undefined).commit];
      expect(await store.commit(commits)).toEqual([{ taken: false, reason: 'USAGE_MOVED' }, taken]);
      const [point] = await store.usage.newest([{ organizationId: edited, bucket }]);
      expect(point).toMatchObject({ organizationId: edited });
      expect(Number.isSafeInteger(point?.revision)).toBe(false);
    });

    test('in a row with a MAC: the row is read for the check of its MAC, together with others', async () => {
      const { store, installation } = subject();
      const organizationId = await createOrganization(store);
      const [records, resources] = [
        [recordRow(organizationId), recordRow(organizationId)],
        [resourceRow(organizationId), resourceRow(organizationId)],
      ];
      // A stored activity that has ended cannot be edited without removing a trigger first.
      const activities = [
        activityRow(organizationId, { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' }),
        activityRow(organizationId),
      ];
      const commits = activities.map((activity) => commitOf(organizationId, { activity }));
      const writes = [...records.map(put.record), ...resources.map(put.resource)];
      expect(await store.commit([...commits, commitOf(organizationId, { head: head(2), writes })])).toEqual([
        taken,
        taken,
        taken,
      ]);
      for (const table of ['records', 'resources'])
        await installation.execute(
          `UPDATE ${table} SET written_by = ${number} WHERE id IN ('${records[0]?.id}', '${resources[0]?.id}')`,
        );
      await installation.execute(`UPDATE activities SET revision = ${number} WHERE id = '${activities[0]?.id}'`);

      const stored = await store.organizations.snapshot(organizationId);
      const paged = await store.organizations.recordsAfter(organizationId, { kind: '', id: '' }, 10);
      const listed = await store.resources.list(organizationId, 'wallet');
      for (const rows of [stored?.records ?? [], paged, listed]) {
        expect(rows.map(({ writtenBy }) => Number.isSafeInteger(writtenBy))).toEqual([false, true]);
      }
      const page = await store.activities.page(organizationId, {}, { limit: 10 });
      expect(page.filter(({ revision }) => !Number.isSafeInteger(revision)).map(({ id }) => id)).toEqual([activities[0]?.id]);
      expect(page.length).toBeGreaterThan(2);
    });
  });
}
