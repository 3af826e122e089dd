import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import {
  activityRow,
  bytes,
  commitOf,
  createOrganization,
  head,
  headRow,
  lookupRow,
  put,
  recordRow,
  resourceRow,
  sealed,
  signType,
} from '../rows.ts';
import type { Subject } from './describe-store.ts';

const shared = {
  kind: 'kind',
  id: 'same-id',
  parentId: 'same-parent',
  value: 'same-value',
  fingerprint: 'sha256:same',
  rootKeyId: 'same-root',
};

/** Fills an organization with rows whose ids other organizations use too. */
async function fill(store: Store, parentId = ''): Promise<string> {
  const organizationId = uuidv7();
  const { kind, id, value } = shared;
  await createOrganization(
    store,
    [
      put.record(recordRow(organizationId, { kind, id })),
      put.resource(resourceRow(organizationId, { kind, id, parentId: shared.parentId })),
      put.lookup(lookupRow(organizationId, { kind, value, id })),
      { op: 'put', table: 'secrets', row: { organizationId, id, ciphertext: sealed() } },
      {
        op: 'put',
        table: 'data_keys',
        row: { organizationId, rootKeyId: shared.rootKeyId, wrapped: bytes(), generation: 0, previous: new Uint8Array() },
      },
    ],
    organizationId,
    parentId,
  );
  const activity = activityRow(organizationId, { id, fingerprint: shared.fingerprint, status: 'ACTIVITY_STATUS_FAILED' });
  await store.commit([commitOf(organizationId, { activity })]);
  return organizationId;
}

/** Everything that all readers return for an organization with the shared ids. */
async function readAll(store: Store, organizationId: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const { kind, id, parentId, value, fingerprint } = shared;
  const some = (row: unknown) => (row === undefined ? [] : [row]);
  // Lists are newest first: every id follows 'zzz' and precedes the empty one.
  const cursor = { limit: 100, before: '', after: 'zzz' };
  return {
    head: some(await store.organizations.head(organizationId)),
    records: (await store.organizations.snapshot(organizationId))?.records ?? [],
    resource: some(await store.resources.get(organizationId, kind, id)),
    list: await store.resources.list(organizationId, kind),
    listOfParent: await store.resources.list(organizationId, kind, parentId),
    page: await store.resources.page(organizationId, kind, cursor),
    pageOfParent: await store.resources.page(organizationId, kind, cursor, parentId),
    secret: some(await store.secrets.get(organizationId, id)),
    lookup: await store.lookups.find(organizationId, kind, value, cursor),
    activity: some(await store.activities.get(organizationId, id)),
    byRequest: some(await store.activities.byRequest(organizationId, activityRow(organizationId, { fingerprint }))),
    byFingerprint: some(await store.activities.byFingerprint(organizationId, fingerprint)),
    activities: (await store.activities.page(organizationId, {}, cursor)).filter((row) => row.id === id),
    byType: (await store.activities.page(organizationId, { types: [signType, 'x'] }, cursor)).filter((row) => row.id === id),
    byStatus: await store.activities.page(
      organizationId,
      { statuses: ['ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED'] },
      cursor,
    ),
    dataKey: some(await store.vault.dataKey(organizationId)),
  };
}

/** One organization never reads the row of another. */
export function isolationSuite(subject: () => Subject): void {
  describe('isolation', () => {
    test('D57: every reader returns only the rows of the requested organization', async () => {
      const { store } = subject();
      const organizations = [await fill(store), await fill(store), await fill(store)];
      for (const organizationId of organizations) {
        for (const [reader, rows] of Object.entries(await readAll(store, organizationId))) {
          expect(rows, reader).toHaveLength(1);
          expect(rows[0], reader).toMatchObject({ organizationId });
        }
      }
    });

    test('D57: with another organization’s ids every reader finds nothing', async () => {
      const { store } = subject();
      await fill(store);
      const empty = await createOrganization(store);
      await fill(store, await fill(store));
      for (const organizationId of [empty, uuidv7()]) {
        for (const [reader, rows] of Object.entries(await readAll(store, organizationId))) {
          expect(rows, reader).toHaveLength(reader === 'head' && organizationId === empty ? 1 : 0);
        }
        expect(await store.resources.count(organizationId, shared.kind)).toBe(0);
        expect(await store.resources.count(organizationId, shared.kind, shared.parentId)).toBe(0);
      }
    });

    test('D57: a delete in one organization does not affect the same ids in another', async () => {
      const { store } = subject();
      const [one, two] = [await fill(store), await fill(store)];
      const before = await readAll(store, two);
      const { kind, id, value } = shared;
      await store.commit([
        commitOf(one, {
          writes: [
            { op: 'delete', table: 'records', row: { organizationId: one, kind, id } },
            { op: 'delete', table: 'resources', row: { organizationId: one, kind, id } },
            { op: 'delete', table: 'secrets', row: { organizationId: one, id } },
            { op: 'delete', table: 'lookups', row: { organizationId: one, kind, value, id } },
          ],
        }),
      ]);
      expect(await readAll(store, two)).toStrictEqual(before);
      const after = await readAll(store, one);
      expect([after.records, after.resource, after.secret, after.lookup]).toEqual([[], [], [], []]);
    });

    test('D57: another organization’s cursor is only a position and reveals nothing', async () => {
      const { store } = subject();
      const [one, two] = [await createOrganization(store), await createOrganization(store)];
      const rows = Array.from({ length: 6 }, (_, index) => activityRow(index % 2 === 0 ? one : two));
      for (const activity of rows) await store.commit([commitOf(activity.organizationId, { activity })]);
      const foreign = rows[3]?.id as string;
      expect((await store.activities.page(one, {}, { limit: 1, before: foreign })).map(({ id }) => id)).toEqual([rows[4]?.id]);
      expect((await store.activities.page(one, {}, { limit: 1, after: foreign })).map(({ id }) => id)).toEqual([rows[2]?.id]);
    });

    test('a commit in one organization never checks the version of another', async () => {
      const { store } = subject();
      const [one, two] = [await createOrganization(store), uuidv7()];
      await store.commit([commitOf(two, { expected: head(0), writes: [put.head(headRow(two, { version: 5 }))] })]);
      const outcomes = await store.commit([commitOf(one, { expected: head(5) }), commitOf(two, { expected: head(5) })]);
      expect(outcomes.map((outcome) => outcome.taken)).toEqual([false, true]);
    });
  });
}
