import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { migrations } from '../../../src/store/migrations/migrations.ts';
import type { ActivityRow } from '../../../src/store/rows.ts';
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

/** Each reader returns what was written, in the same types on every engine. */
export function readingSuite(subject: () => Subject): void {
  describe('reading', () => {
    test('a snapshot holds the head, the records in order of kind and id, and the MACs of resources without a parent', async () => {
      const { store } = subject();
      const records = [
        recordRow('', { kind: 'policy', id: 'b' }),
        recordRow('', { kind: 'user', id: 'B' }),
        recordRow('', { kind: 'policy', id: 'a' }),
        recordRow('', { kind: 'user', id: 'a' }),
        recordRow('', { kind: 'Tag', id: 'z' }),
      ];
      const organizationId = uuidv7();
      const owned = records.map((row) => ({ ...row, organizationId }));
      const wallet = resourceRow(organizationId);
      const key = resourceRow(organizationId, { kind: 'privateKey' });
      const account = resourceRow(organizationId, { kind: 'account', parentId: wallet.id });
      await createOrganization(store, [...owned.map(put.record), ...[wallet, key, account].map(put.resource)], organizationId);
      const snapshot = await store.organizations.snapshot(organizationId);
      expect(snapshot?.head).toStrictEqual(await store.organizations.head(organizationId));
      // Byte order, not that of a language: capitals first.
      expect(snapshot?.records.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
        'Tag z',
        'policy a',
        'policy b',
        'user B',
        'user a',
      ]);
      expect(new Set(snapshot?.records)).toEqual(new Set(owned));
      expect(snapshot?.records[0]).toStrictEqual(owned[4]);
      const hex = (list: readonly Uint8Array[] | undefined) => list?.map((mac) => Buffer.from(mac).toString('hex')).sort();
      expect(hex(snapshot?.keys.map(({ mac }) => mac))).toEqual(hex([wallet.mac, key.mac]));
      expect(snapshot?.keys[0]?.mac).toStrictEqual(new Uint8Array(snapshot?.keys[0]?.mac ?? []));
      expect(snapshot?.more).toBe(false);
    });

    test('what a limit left out of a snapshot follows page by page, in byte order, and nothing of others', async () => {
      const { store } = subject();
      const organizationId = uuidv7();
      const ids = ['b', 'B', 'a', 'é', 'z', '-'];
      const records = ids.map((id, index) => recordRow(organizationId, { kind: index % 2 === 0 ? 'user' : 'policy', id }));
      const keys = ids.map((id, index) => resourceRow(organizationId, { kind: index % 2 === 0 ? 'wallet' : 'privateKey', id }));
      const account = resourceRow(organizationId, { kind: 'walletAccount', parentId: 'b' });
      await createOrganization(store, [...records.map(put.record), ...[...keys, account].map(put.resource)], organizationId);
      await createOrganization(store);
      const whole = await store.organizations.snapshot(organizationId);
      const first = await store.organizations.snapshot(organizationId, 2);
      expect(first).toMatchObject({ head: whole?.head, more: true, records: { length: 2 }, keys: { length: 2 } });
      const [read, found] = [[...(first?.records ?? [])], [...(first?.keys ?? [])]];
      for (let rows = read; rows.length > 0; ) {
        rows = [...(await store.organizations.recordsAfter(organizationId, read.at(-1) as (typeof read)[0], 2))];
        read.push(...rows);
      }
      for (let rows = found; rows.length > 0; ) {
        rows = [...(await store.organizations.keysAfter(organizationId, found.at(-1) as (typeof found)[0], 2))];
        found.push(...rows);
      }
      expect(read).toStrictEqual(whole?.records);
      expect(found).toStrictEqual(whole?.keys);
      expect(found).toHaveLength(keys.length);
    });

    test('the changes after a version are the rows that later versions wrote and removed, and nothing of others', async () => {
      const { store } = subject();
      const organizationId = uuidv7();
      const by = (writtenBy: number) => ({ writtenBy });
      const records = [1, 2, 3].map((version) => recordRow(organizationId, { id: `r${version}`, ...by(version) }));
      const keys = [1, 2, 3].map((version) => resourceRow(organizationId, { id: `k${version}`, ...by(version) }));
      const account = resourceRow(organizationId, { kind: 'walletAccount', parentId: 'k3', ...by(3) });
      const removed = [2, 3].map((version) => ({
        op: 'put' as const,
        table: 'tombstones' as const,
        row: { organizationId, version, kind: 'wallet', id: `t${version}`, mac: Uint8Array.of(version) },
      }));
      const writes = [...records.map(put.record), ...[...keys, account].map(put.resource), ...removed];
      await createOrganization(store, writes, organizationId);
      await createOrganization(store);
      const found = await store.organizations.changes(organizationId, 2, 10);
      expect(found?.head).toStrictEqual(await store.organizations.head(organizationId));
      expect(found).toMatchObject({ more: false, records: [records[2]], keys: [{ id: 'k3', mac: keys[2]?.mac }] });
      expect(found?.tombstones).toStrictEqual([{ kind: 'wallet', id: 't3', mac: Uint8Array.of(3) }]);
      expect(found?.keys).toHaveLength(1);
      expect((await store.organizations.changes(organizationId, 0, 2))?.more).toBe(true);
      expect(await store.organizations.changes(organizationId, 3, 10)).toMatchObject({ records: [], keys: [], tombstones: [] });
      expect(await store.organizations.changes(uuidv7(), 0, 10)).toBeUndefined();
    });

    test('an unknown organization has no head and no snapshot', async () => {
      const { store } = subject();
      expect(await store.organizations.head(uuidv7())).toBeUndefined();
      expect(await store.organizations.snapshot(uuidv7())).toBeUndefined();
    });

    test('rows are read exactly as they were written', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const resource = resourceRow(organizationId, { parentId: uuidv7(), mac: bytes(0) });
      const secret = { organizationId, id: uuidv7(), ciphertext: sealed(3000) };
      const dataKey = { organizationId, rootKeyId: uuidv7(), wrapped: bytes(1), generation: 0, previous: new Uint8Array() };
      const activity = activityRow(organizationId, { body: JSON.stringify({ text: 'x'.repeat(1_000_000) }) });
      await store.commit([
        commitOf(organizationId, {
          activity,
          writes: [
            put.resource(resource),
            { op: 'put', table: 'secrets', row: secret },
            { op: 'put', table: 'data_keys', row: dataKey },
          ],
        }),
      ]);
      expect(await store.resources.get(organizationId, resource.kind, resource.id)).toStrictEqual(resource);
      expect(await store.secrets.get(organizationId, secret.id)).toStrictEqual(secret);
      expect(await store.vault.dataKey(organizationId)).toStrictEqual(dataKey);
      expect(await store.activities.get(organizationId, activity.id)).toStrictEqual(activity);
      expect(await store.activities.byRequest(organizationId, activity)).toStrictEqual(activity);
      expect(await store.activities.page(organizationId, {}, { limit: 1 })).toStrictEqual([activity]);
      expect(await store.activities.page(organizationId, { types: [activity.type] }, { limit: 1 })).toStrictEqual([activity]);
    });

    test('a fingerprint alone names every activity but those that were carried out at once', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const statuses = ['CREATED', 'PENDING', 'CONSENSUS_NEEDED', 'COMPLETED', 'FAILED', 'REJECTED'];
      const rows = statuses.map((status) => activityRow(organizationId, { status: `ACTIVITY_STATUS_${status}` }));
      await store.commit(rows.map((activity) => commitOf(organizationId, { activity })));
      const find = ({ fingerprint }: ActivityRow) => store.activities.byFingerprint(organizationId, fingerprint);
      for (const row of rows)
        expect(await find(row), row.status).toEqual(row.status === 'ACTIVITY_STATUS_COMPLETED' ? undefined : row);

      const [, , waiting] = rows as [ActivityRow, ActivityRow, ActivityRow];
      const approved = { ...waiting, revision: 1, status: 'ACTIVITY_STATUS_COMPLETED' };
      await store.commit([commitOf(organizationId, { activity: approved })]);
      expect(await find(approved)).toEqual(approved);
      expect(await store.activities.byRequest(organizationId, approved)).toEqual(approved);
      const earlier = { ...approved, requestedAtMs: approved.requestedAtMs - 1 };
      expect(await store.activities.byRequest(organizationId, earlier)).toBeUndefined();
    });

    test('versions and revisions beyond 32 bits are exact', async () => {
      const { store } = subject();
      const id = uuidv7();
      const version = Number.MAX_SAFE_INTEGER - 1;
      await store.commit([commitOf(id, { expected: head(0), writes: [put.head(headRow(id, { version }))] })]);
      const next = { version: version + 1, mac: bytes() };
      expect(await store.commit([commitOf(id, { expected: head(version), head: next })])).toEqual([{ taken: true }]);
      expect((await store.organizations.head(id))?.version).toBe(Number.MAX_SAFE_INTEGER);
    });

    test('resources are listed by kind, oldest first, optionally for one parent', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const wallets = [resourceRow(organizationId), resourceRow(organizationId)];
      const [one, two] = wallets.map(({ id }) => id) as [string, string];
      const account = (parentId: string) => resourceRow(organizationId, { kind: 'account', parentId });
      const accounts = [account(one), account(two), account(one), account(two), account(two)];
      await store.commit([commitOf(organizationId, { writes: [...accounts.toReversed(), ...wallets].map(put.resource) })]);
      expect(await store.resources.list(organizationId, 'wallet')).toStrictEqual(wallets);
      expect(await store.resources.list(organizationId, 'account')).toStrictEqual(accounts);
      const ofTwo = accounts.filter(({ parentId }) => parentId === two);
      expect(await store.resources.list(organizationId, 'account', two)).toStrictEqual(ofTwo);
      expect(await store.resources.page(organizationId, 'account', { limit: 2 }, two)).toStrictEqual(
        ofTwo.toReversed().slice(0, 2),
      );
      expect(await store.resources.count(organizationId, 'account')).toBe(5);
      expect(await store.resources.count(organizationId, 'account', one)).toBe(2);
      expect(await store.resources.count(organizationId, 'account', '')).toBe(0);
      expect(await store.resources.count(organizationId, 'wallet', '')).toBe(2);
      expect(await store.resources.list(organizationId, 'unknown')).toEqual([]);
    });

    test('a resource that moves to another parent is listed only there', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const row = resourceRow(organizationId, { kind: 'account', parentId: 'one' });
      await store.commit([commitOf(organizationId, { writes: [put.resource(row)] })]);
      await store.commit([commitOf(organizationId, { writes: [put.resource({ ...row, parentId: 'two' })] })]);
      expect(await store.resources.list(organizationId, 'account', 'one')).toEqual([]);
      expect(await store.resources.count(organizationId, 'account', 'two')).toBe(1);
    });

    test('a look-up finds every id stored with a value', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const rows = [lookupRow(organizationId), lookupRow(organizationId), lookupRow(organizationId)];
      const writes = rows.map(put.lookup);
      await store.commit([commitOf(organizationId, { writes }), commitOf(organizationId, { writes })]);
      expect(await store.lookups.find(organizationId, 'email', 'a@example.com', { limit: 9 })).toStrictEqual(rows.toReversed());
      expect(await store.lookups.find(organizationId, 'name', 'a@example.com', { limit: 9 })).toEqual([]);
      expect(await store.lookups.find(organizationId, 'email', 'A@example.com', { limit: 9 })).toEqual([]);
    });

    test('a scan visits every organization once, in order', async () => {
      const { store } = subject();
      const made = await Promise.all(Array.from({ length: 7 }, () => createOrganization(store)));
      const seen: string[] = [];
      for (let after = ''; ; after = seen.at(-1) as string) {
        const ids = await store.organizations.scan(after, 3);
        seen.push(...ids);
        if (ids.length < 3) break;
      }
      expect(seen).toEqual([...new Set(seen)].sort());
      expect(seen).toEqual(expect.arrayContaining(made));
    });

    test('the description and a ping report a working, durable store', async () => {
      const { store } = subject();
      await store.ping();
      expect(await store.describe()).toMatchObject({
        durable: true,
        schemaVersion: migrations.at(-1)?.id,
        engineVersion: expect.stringMatching(/^\d+\.\d+/),
      });
    });
  });
}
