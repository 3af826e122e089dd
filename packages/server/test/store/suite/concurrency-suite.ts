import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { activityRow, commitOf, createOrganization, head, headRow, put, recordRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';

/** Two stores on one database, like two processes or machines. */
export function concurrencySuite(subject: () => Subject): void {
  describe('concurrency', () => {
    let stores: readonly [Store, Store];

    beforeAll(async () => {
      stores = [subject().store, await subject().installation.open()];
    });
    afterAll(() => stores[1].close());

    test('P6: of two head changes on the same version exactly one is stored, fifty times', async () => {
      const organizationId = await createOrganization(stores[0]);
      for (let version = 1; version <= 50; version += 1) {
        const attempts = stores.map((store, node) => {
          const writes = [put.record(recordRow(organizationId, { id: `${version}-${node}` }))];
          return store.commit([commitOf(organizationId, { expected: head(version), head: head(version + 1), writes })]);
        });
        const outcomes = (await Promise.all(attempts)).flat();
        expect(outcomes.filter(({ taken }) => taken)).toHaveLength(1);
        expect(outcomes).toContainEqual({ taken: false, reason: 'VERSION_MOVED' });
      }
      expect(await stores[1].organizations.snapshot(organizationId)).toMatchObject({
        head: { version: 51 },
        records: { length: 50 },
      });
    });

    test('R2: of many commits with one fingerprint exactly one is stored, and all others name it', async () => {
      const organizationId = await createOrganization(stores[0]);
      for (let round = 0; round < 10; round += 1) {
        const fingerprint = `sha256:${uuidv7()}`;
        const commits = Array.from({ length: 8 }, () =>
          commitOf(organizationId, { activity: activityRow(organizationId, { fingerprint }) }),
        );
        const outcomes = (
          await Promise.all(commits.map((commit, index) => stores[index % 2 === 0 ? 0 : 1].commit([commit])))
        ).flat();
        const winner = commits[outcomes.findIndex(({ taken }) => taken)]?.activity.id;
        expect(outcomes.filter(({ taken }) => taken)).toHaveLength(1);
        const lost = outcomes.filter(({ taken }) => !taken);
        expect(lost).toEqual(lost.map(() => ({ taken: false, reason: 'FINGERPRINT_EXISTS', activityId: winner })));
      }
    });

    test('R4: of two revisions of one activity exactly one is stored', async () => {
      const organizationId = await createOrganization(stores[0]);
      for (let round = 0; round < 20; round += 1) {
        const row = activityRow(organizationId, { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' });
        await stores[0].commit([commitOf(organizationId, { activity: row })]);
        const ends = ['ACTIVITY_STATUS_COMPLETED', 'ACTIVITY_STATUS_REJECTED'].map((status) => ({ ...row, status, revision: 1 }));
        const attempts = ends.map((activity, node) =>
          stores[node === 0 ? 0 : 1].commit([commitOf(organizationId, { activity })]),
        );
        const outcomes = (await Promise.all(attempts)).flat();
        expect(outcomes.map(({ taken }) => taken).toSorted()).toEqual([false, true]);
        const winner = ends[outcomes.findIndex(({ taken }) => taken)];
        expect(await stores[1].activities.get(organizationId, row.id)).toStrictEqual(winner);
      }
    });

    test('commits that only sign are all stored, from both stores at once', async () => {
      const organizationId = await createOrganization(stores[0]);
      const batches = Array.from({ length: 20 }, () => Array.from({ length: 10 }, () => commitOf(organizationId)));
      const outcomes = await Promise.all(batches.map((batch, index) => stores[index % 2 === 0 ? 0 : 1].commit(batch)));
      expect(outcomes.flat().every(({ taken }) => taken)).toBe(true);
      const ids = new Set(batches.flat().map(({ activity }) => activity.id));
      const stored = await stores[0].activities.page(organizationId, {}, { limit: 1000 });
      expect(stored.filter(({ id }) => ids.has(id))).toHaveLength(200);
    });

    test('P6: a signature decided before a head change is refused after it, also on the other store', async () => {
      const organizationId = await createOrganization(stores[0]);
      for (let version = 1; version <= 20; version += 1) {
        const sign = () => commitOf(organizationId, { expected: head(version) });
        const during = Promise.all([stores[1].commit([sign()]), stores[1].commit([sign(), sign()])]);
        expect(await stores[0].commit([commitOf(organizationId, { expected: head(version), head: head(version + 1) })])).toEqual([
          { taken: true },
        ]);
        expect(await stores[1].commit([sign()])).toEqual([{ taken: false, reason: 'VERSION_MOVED' }]);
        for (const outcome of (await during).flat())
          expect([undefined, 'VERSION_MOVED']).toContain('reason' in outcome ? outcome.reason : undefined);
      }
    });

    test('batches over the same organizations in opposite order both succeed', async () => {
      const organizations = await Promise.all(Array.from({ length: 6 }, () => createOrganization(stores[0])));
      for (let round = 1; round <= 20; round += 1) {
        const batch = organizations.map((id, index) =>
          commitOf(id, { expected: head(round), ...(index % 2 ? {} : { head: head(round + 1) }) }),
        );
        const signs = organizations.map((id, index) => commitOf(id, { expected: head(index % 2 ? round : round + 1) }));
        const [changes] = await Promise.all([
          stores[0].commit(batch),
          stores[1].commit(batch.toReversed()),
          stores[1].commit(signs.toReversed()),
        ]);
        expect(changes).toHaveLength(6);
        for (const id of organizations) {
          const { version } = (await stores[0].organizations.head(id)) ?? { version: 0 };
          if (version === round) await stores[0].commit([commitOf(id, { expected: head(round), head: head(round + 1) })]);
        }
      }
    });

    test('two stores that insert the same organization agree on one', async () => {
      for (let round = 0; round < 10; round += 1) {
        const id = uuidv7();
        const attempts = stores.map((store) =>
          store.commit([commitOf(id, { expected: head(0), writes: [put.head(headRow(id))] })]),
        );
        const outcomes = (await Promise.all(attempts)).flat();
        expect(outcomes).toContainEqual({ taken: true });
        expect(outcomes).toContainEqual({ taken: false, reason: 'VERSION_MOVED' });
      }
    });

    test('the other store and a store opened later read what one has committed', async () => {
      const organizationId = await createOrganization(stores[0]);
      const activity = activityRow(organizationId);
      await stores[0].commit([commitOf(organizationId, { activity, head: head(2) })]);
      expect(await stores[1].activities.get(organizationId, activity.id)).toStrictEqual(activity);
      const later = await subject().installation.open();
      expect(await later.activities.get(organizationId, activity.id)).toStrictEqual(activity);
      expect((await later.organizations.head(organizationId))?.version).toBe(2);
      await later.close();
    });
  });
}
