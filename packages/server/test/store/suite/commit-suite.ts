import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import type { Write } from '../../../src/store/rows.ts';
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
} from '../rows.ts';
import type { Subject } from './describe-store.ts';

const taken = { taken: true };
const versionMoved = { taken: false, reason: 'VERSION_MOVED' };

/** One write to every table, and a check whether any of them is stored. */
function everyWrite(organizationId: string): { readonly writes: readonly Write[]; trace(store: Store): Promise<number> } {
  const record = recordRow(organizationId);
  const resource = resourceRow(organizationId);
  const lookup = lookupRow(organizationId, { value: uuidv7() });
  const secret = { organizationId, id: uuidv7(), ciphertext: sealed(60) };
  const dataKey = { organizationId, rootKeyId: uuidv7(), wrapped: bytes(60), generation: 0, previous: new Uint8Array() };
  const child = headRow(uuidv7(), { parentId: organizationId });
  return {
    writes: [
      put.record(record),
      put.resource(resource),
      put.lookup(lookup),
      { op: 'put', table: 'secrets', row: secret },
      { op: 'put', table: 'data_keys', row: dataKey },
      put.head(child),
    ],
    async trace(store) {
      const found = [
        (await store.organizations.snapshot(organizationId))?.records.find(({ id }) => id === record.id),
        await store.resources.get(organizationId, resource.kind, resource.id),
        (await store.lookups.find(organizationId, lookup.kind, lookup.value, { limit: 1 }))[0],
        await store.secrets.get(organizationId, secret.id),
        (await store.vault.dataKey(organizationId))?.rootKeyId === dataKey.rootKeyId || undefined,
        await store.organizations.head(child.organizationId),
      ];
      return found.filter((row) => row !== undefined).length;
    },
  };
}

/** Versions, neighbouring entries, order, and that a refused entry leaves nothing behind. */
export function commitSuite(subject: () => Subject): void {
  describe('commit', () => {
    test('an empty batch does nothing', async () => {
      expect(await subject().store.commit([])).toEqual([]);
    });

    test('a commit writes to every table and moves the head', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const { writes, trace } = everyWrite(organizationId);
      const next = head(2);
      const activity = activityRow(organizationId);
      expect(await store.commit([commitOf(organizationId, { activity, writes, head: next })])).toEqual([taken]);
      expect(await trace(store)).toBe(6);
      expect(await store.organizations.head(organizationId)).toStrictEqual({ organizationId, parentId: '', ...next });
      expect(await store.activities.get(organizationId, activity.id)).toStrictEqual(activity);
    });

    test('a commit without an activity moves the head, on the version that it expects and on no other', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const [stale, fresh] = [everyWrite(organizationId), everyWrite(organizationId)];
      const activity = activityRow(organizationId);
      expect(
        await store.commit([
          { organizationId, expected: head(0), head: head(2), writes: stale.writes },
          { organizationId, expected: head(1), head: head(2), writes: fresh.writes },
          { organizationId, expected: head(1), head: head(3), writes: stale.writes },
          commitOf(organizationId, { activity, expected: head(2) }),
        ]),
      ).toEqual([versionMoved, taken, versionMoved, taken]);
      expect([await stale.trace(store), await fresh.trace(store)]).toEqual([0, 6]);
      expect(await store.organizations.head(organizationId)).toMatchObject({ version: 2 });
      expect(await store.activities.page(organizationId, {}, { limit: 10 })).toHaveLength(2);
    });

    test('a commit without an activity that moves no head is a bug', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const { writes, trace } = everyWrite(organizationId);
      const [outcome] = await store.commit([{ organizationId, expected: head(1), writes }]);
      expect(outcome).toMatchObject({ taken: false, reason: 'INVALID' });
      expect(await trace(store)).toBe(0);
    });

    test('a commit that depends on another organization is refused once that one has changed, also within the batch', async () => {
      const { store } = subject();
      const [child, parent] = [await createOrganization(store), await createOrganization(store)];
      const alsoExpect = { organizationId: parent, ...head(1) };
      const stale = everyWrite(child);
      expect(await store.commit([commitOf(child, { alsoExpect })])).toEqual([taken]);
      expect(
        await store.commit([
          commitOf(child, { alsoExpect }),
          commitOf(parent, { head: head(2) }),
          commitOf(child, { alsoExpect, writes: stale.writes, head: head(2) }),
          commitOf(child, { alsoExpect: { organizationId: uuidv7(), ...head(1) } }),
          commitOf(child, { alsoExpect: { organizationId: parent, ...head(2) } }),
        ]),
      ).toEqual([taken, taken, versionMoved, versionMoved, taken]);
      expect(await stale.trace(store)).toBe(0);
    });

    test('a commit on an old version is refused and leaves nothing behind; other entries are stored', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const stale = everyWrite(organizationId);
      const activity = activityRow(organizationId);
      const outcomes = await store.commit([
        commitOf(organizationId),
        commitOf(organizationId, { expected: head(0), activity, writes: stale.writes, head: head(1) }),
        commitOf(organizationId, { expected: head(2) }),
        commitOf(organizationId),
      ]);
      expect(outcomes).toEqual([taken, versionMoved, versionMoved, taken]);
      expect(await stale.trace(store)).toBe(0);
      expect(await store.activities.get(organizationId, activity.id)).toBeUndefined();
      expect((await store.organizations.head(organizationId))?.version).toBe(1);
    });

    test('a commit in an unknown organization is refused', async () => {
      const { store } = subject();
      for (const version of [0, 1])
        expect(await store.commit([commitOf(uuidv7(), { expected: head(version) })])).toEqual([versionMoved]);
    });

    test('a commit sees the version set by earlier entries of its batch', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const other = await createOrganization(store);
      const outcomes = await store.commit([
        commitOf(organizationId),
        commitOf(organizationId, { head: head(2) }),
        commitOf(other),
        commitOf(organizationId),
        commitOf(organizationId, { expected: head(2), head: head(7) }),
        commitOf(organizationId, { expected: head(7) }),
      ]);
      expect(outcomes).toEqual([taken, taken, taken, versionMoved, taken, taken]);
      expect((await store.organizations.head(organizationId))?.version).toBe(7);
    });

    test('a head refused for its fingerprint does not change the version for later entries', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const first = activityRow(organizationId);
      await store.commit([commitOf(organizationId, { activity: first })]);
      const again = activityRow(organizationId, { fingerprint: first.fingerprint });
      const outcomes = await store.commit([
        commitOf(organizationId, { activity: again, head: head(2) }),
        commitOf(organizationId),
      ]);
      expect(outcomes).toEqual([{ taken: false, reason: 'FINGERPRINT_EXISTS', activityId: first.id }, taken]);
    });

    test('R2: a fingerprint is stored once per organization, across batches and within one', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const other = await createOrganization(store);
      const fingerprint = `sha256:${uuidv7()}`;
      const row = (id: string) => activityRow(id, { fingerprint });
      const [first, second, third, foreign] = [row(organizationId), row(organizationId), row(organizationId), row(other)];
      const exists = { taken: false, reason: 'FINGERPRINT_EXISTS', activityId: first.id };
      const refused = everyWrite(organizationId);
      expect(
        await store.commit([
          commitOf(organizationId, { activity: first }),
          commitOf(organizationId, { activity: second, writes: refused.writes, head: head(2) }),
          commitOf(other, { activity: foreign }),
        ]),
      ).toEqual([taken, exists, taken]);
      expect(await store.commit([commitOf(organizationId, { activity: third }), commitOf(organizationId)])).toEqual([
        exists,
        taken,
      ]);
      expect(await refused.trace(store)).toBe(0);
      expect((await store.organizations.head(organizationId))?.version).toBe(1);
      expect(await store.activities.byRequest(organizationId, first)).toStrictEqual(first);
    });

    test('an activity id stored with another fingerprint is refused', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const activity = activityRow(organizationId);
      const twin = { ...activity, fingerprint: 'sha256:other' };
      const batch = [
        commitOf(organizationId, { activity }),
        commitOf(organizationId, { activity: twin }),
        commitOf(organizationId),
      ];
      expect(await store.commit(batch)).toEqual([taken, { taken: false, reason: 'REVISION_MOVED' }, taken]);
    });

    test('the last write of a row in a batch wins', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const [kept, gone, back] = [recordRow(organizationId), recordRow(organizationId), recordRow(organizationId)];
      const newest = { ...kept, body: '{"name":"newest"}' };
      await store.commit([
        commitOf(organizationId, { writes: [put.record(kept), put.record(gone), { op: 'delete', table: 'records', row: back }] }),
        commitOf(organizationId, {
          writes: [put.record(newest), { op: 'delete', table: 'records', row: gone }, put.record(back)],
        }),
      ]);
      const records = (await store.organizations.snapshot(organizationId))?.records ?? [];
      expect(records).toStrictEqual([newest, back].sort((a, b) => (a.id < b.id ? -1 : 1)));
    });

    test('every kind of row can be deleted, and deleting a missing row does nothing', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const { writes, trace } = everyWrite(organizationId);
      await store.commit([commitOf(organizationId, { writes })]);
      const deletable = new Set(['records', 'resources', 'secrets', 'lookups']);
      const deletes = writes.filter(({ table }) => deletable.has(table)).map((write) => ({ ...write, op: 'delete' }) as Write);
      for (const _ of [1, 2]) expect(await store.commit([commitOf(organizationId, { writes: deletes })])).toEqual([taken]);
      expect(await trace(store)).toBe(2);
    });

    test('a new organization can be used by later entries of its batch', async () => {
      const { store } = subject();
      const parentId = await createOrganization(store);
      const child = uuidv7();
      const user = recordRow(child);
      const outcomes = await store.commit([
        commitOf(child),
        commitOf(parentId, { writes: [put.head(headRow(child, { parentId })), put.record(user)] }),
        commitOf(child, { head: head(2) }),
        commitOf(child, { expected: head(2) }),
      ]);
      expect(outcomes).toEqual([versionMoved, taken, taken, taken]);
      expect(await store.organizations.snapshot(child)).toMatchObject({ head: { version: 2, parentId }, records: [user] });
    });

    test('inserting an existing organization refuses the whole entry', async () => {
      const { store } = subject();
      const parentId = await createOrganization(store);
      const existing = await createOrganization(store);
      const before = await store.organizations.head(existing);
      const [refused, fresh] = [uuidv7(), uuidv7()];
      const insert = (id: string) => put.head(headRow(id, { parentId }));
      const activity = activityRow(parentId);
      const outcomes = await store.commit([
        commitOf(parentId, { activity, writes: [insert(refused), insert(existing), put.record(recordRow(parentId))] }),
        commitOf(parentId, { writes: [insert(fresh)] }),
        commitOf(parentId, { writes: [insert(fresh)] }),
        commitOf(existing, { writes: [insert(existing)] }),
      ]);
      expect(outcomes).toEqual([versionMoved, taken, versionMoved, versionMoved]);
      expect(await store.organizations.head(existing)).toStrictEqual(before);
      expect(await store.organizations.head(refused)).toBeUndefined();
      expect(await store.organizations.head(fresh)).toMatchObject({ parentId });
      expect((await store.organizations.snapshot(parentId))?.records).toEqual([]);
      expect(await store.activities.get(parentId, activity.id)).toBeUndefined();
    });

    test('an entry that violates a constraint is refused and leaves nothing behind; other entries are stored', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const other = await createOrganization(store);
      const trail = everyWrite(organizationId);
      const broken = [
        commitOf(organizationId, { writes: [...trail.writes, put.record(recordRow(other))] }),
        commitOf(organizationId, { writes: [...trail.writes, put.resource(resourceRow(other))] }),
        commitOf(organizationId, { activity: activityRow(other), writes: trail.writes }),
        commitOf(organizationId, {
          activity: activityRow(organizationId, { status: 'DONE' }),
          writes: trail.writes,
          head: head(2),
        }),
        commitOf(organizationId, { activity: activityRow(organizationId, { revision: -1 }), writes: trail.writes }),
        commitOf(organizationId, { activity: activityRow(organizationId, { revision: 0.5 }), writes: trail.writes }),
        commitOf(organizationId, {
          activity: activityRow(organizationId, { body: 'half a pair: \ud800' }),
          writes: trail.writes,
        }),
        commitOf(organizationId, { head: head(1), writes: trail.writes }),
      ];
      const batch = [commitOf(organizationId), ...broken, commitOf(organizationId)];
      const outcomes = await store.commit(batch);
      expect(outcomes.at(0)).toEqual(taken);
      expect(outcomes.at(-1)).toEqual(taken);
      for (const outcome of outcomes.slice(1, -1))
        expect(outcome).toMatchObject({ reason: 'INVALID', detail: expect.stringMatching(/./) });
      expect(await trail.trace(store)).toBe(0);
      expect((await store.organizations.snapshot(other))?.records).toEqual([]);
      for (const { activity } of broken) expect(await store.activities.get(organizationId, activity.id)).toBeUndefined();
    });

    test('lookups may belong to another organization', async () => {
      const { store } = subject();
      const parentId = await createOrganization(store);
      const child = await createOrganization(store, [], uuidv7(), parentId);
      const row = lookupRow(parentId, { id: child });
      expect(await store.commit([commitOf(child, { writes: [put.lookup(row)] })])).toEqual([taken]);
      expect(await store.lookups.find(parentId, row.kind, row.value, { limit: 5 })).toStrictEqual([row]);
    });

    test('a large batch over many organizations keeps its order', async () => {
      const { store } = subject();
      const organizations = await Promise.all(Array.from({ length: 5 }, () => createOrganization(store)));
      const batch = Array.from({ length: 500 }, (_, index) => {
        const version = Math.floor(index / 5) + 1;
        const organizationId = organizations[index % 5] as string;
        return commitOf(organizationId, {
          expected: head(version),
          head: head(version + 1),
          writes: [put.record(recordRow(organizationId))],
        });
      });
      const outcomes = await store.commit(batch);
      expect(outcomes.filter((outcome) => outcome.taken)).toHaveLength(500);
      for (const id of organizations)
        expect(await store.organizations.snapshot(id)).toMatchObject({ head: { version: 101 }, records: { length: 100 } });
    });
  });
}
