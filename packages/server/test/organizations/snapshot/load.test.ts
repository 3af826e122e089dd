import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PersistentMap } from '@countersign/collections';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../../test/support/data-directory.ts';
import { openSqliteFile } from '../../../../../test/support/sqlite-file.ts';
import { applyNewOrganization } from '../../../src/organizations/snapshot/apply-changes.ts';
import type { LocalChange } from '../../../src/organizations/snapshot/changes.ts';
import { loadChecked } from '../../../src/organizations/snapshot/load.ts';
import { macText, type Snapshot } from '../../../src/organizations/snapshot/snapshot.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { openVault } from '../../../src/vault/open-vault.ts';
import { fileRootKey } from '../../../src/vault/root-key/providers/file.ts';
import type { Vault } from '../../../src/vault/vault.ts';

// An organization of several pages of records and of keys. Each test alters the database, looks, and puts it back.
const USERS = 2_300;
const KEYS = 1_700;
const dates = { createdAtMs: 1, updatedAtMs: 1 };
const organizationId = 'organization';
const userId = (at: number) => `user-${String(at).padStart(6, '0')}`;

let directory: string;
let store: Store;
let vault: Vault;
let file: string;

beforeAll(async () => {
  directory = makeDataDirectory('load');
  file = join(directory, 'database.sqlite');
  store = await openSqlite({ file });
  vault = await openVault({ store, rootKeys: fileRootKey(join(directory, 'root.key')), create: true });
  const dataKey = await vault.service.createDataKey(organizationId);
  const profile = { name: 'Acme', parentId: null, rootQuorum: { threshold: 1, userIds: [] }, features: [], ...dates };
  const changes: LocalChange[] = [
    { op: 'putRecord', kind: 'organization', id: organizationId, body: profile },
    ...Array.from({ length: USERS }, (_, at): LocalChange => {
      const body = { userName: `Zoë ${at} 😀`, userTags: [], ...dates };
      return { op: 'putRecord', kind: 'user', id: userId(at), body };
    }),
    ...Array.from({ length: KEYS }, (_, at): LocalChange => {
      const body = { walletName: `Wallet ${at}`, exported: false, imported: false, ...dates };
      return { op: 'putResource', kind: 'wallet', id: `wallet-${at}`, body };
    }),
  ];
  const writes = applyNewOrganization(vault.integrity, '', { op: 'createOrganization', organizationId, dataKey, changes });
  const kind = { type: 'T', status: 'ACTIVITY_STATUS_COMPLETED' };
  const activity = { organizationId, id: 'a', revision: 0, fingerprint: 'a', requestedAtMs: 0, ...kind };
  const [outcome] = await store.commit([
    {
      organizationId,
      expected: { version: 0, mac: new Uint8Array() },
      writes,
      activity: { ...activity, body: '{}', mac: new Uint8Array(32) },
    },
  ]);
  expect(outcome).toEqual({ taken: true });
});
afterAll(async () => {
  vault?.close();
  await store?.close();
  rmSync(directory, { recursive: true });
});

const load = () => loadChecked(store.organizations, vault.integrity, () => {}, organizationId) as Promise<Snapshot>;

/** Loads while the database is altered, and puts it back. */
async function loadAltered(...statements: readonly string[]): Promise<unknown> {
  const db = openSqliteFile(file);
  const copies = ['records', 'resources'].map((table) => ({ table, rows: db.prepare(`SELECT * FROM ${table}`).all() }));
  try {
    for (const sql of statements) expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
    return await load().catch((error: unknown) => error);
  } finally {
    for (const { table, rows } of copies) {
      db.prepare(`DELETE FROM ${table}`).run();
      const marks = Object.keys(rows[0])
        .map(() => '?')
        .join(', ');
      const insert = db.prepare(`INSERT INTO ${table} VALUES (${marks})`);
      db.exec('BEGIN');
      for (const row of rows) insert.run(...Object.values(row));
      db.exec('COMMIT');
    }
    db.close();
  }
}

describe('reading an organization of many pages', () => {
  test('finds every record, its MAC and every key', async () => {
    const snapshot = await load();
    expect(snapshot.users.size).toBe(USERS);
    expect([...snapshot.users.keys()]).toEqual(Array.from({ length: USERS }, (_, at) => userId(at)));
    expect(snapshot.users.get(userId(1_500))?.userName).toBe('Zoë 1500 😀');
    const body = JSON.stringify(snapshot.users.get(userId(2_299)));
    const mac = vault.integrity.row('records', organizationId, 'user', userId(2_299), 1, body);
    expect((snapshot.macs.user as PersistentMap<string>).get(userId(2_299))).toBe(macText(mac));
    expect([snapshot.keys.size, snapshot.keyCounts.wallet]).toEqual([KEYS, KEYS]);
    const [row] = await store.resources.many(organizationId, 'wallet', ['wallet-1699']);
    expect(snapshot.keys.has(macText(row?.mac as Uint8Array))).toBe(true);
  });

  const where = (at: number) => `WHERE kind = 'user' AND id = '${userId(at)}'`;
  const [one, other] = [userId(2_000), userId(2_001)];
  test.each([
    ['altered', [`UPDATE records SET body = replace(body, 'Zoë', 'Eve') ${where(1_234)}`], userId(1_234)],
    ['of another kind', [`UPDATE records SET kind = 'userTag' ${where(2_200)}`], userId(2_200)],
    ['of a kind that is not known', [`UPDATE records SET kind = 'zzz' ${where(2_200)}`], `zzz record ${userId(2_200)}`],
    ['with a shorter MAC', [`UPDATE records SET mac = substr(mac, 1, 31) ${where(1_700)}`], userId(1_700)],
    [
      'with bytes moved from its MAC to the next',
      [
        `UPDATE records SET mac = CAST((SELECT substr(mac, 32, 1) FROM records ${where(2_000)}) || mac AS BLOB) ${where(2_001)}`,
        `UPDATE records SET mac = substr(mac, 1, 31) ${where(2_000)}`,
      ],
      one,
    ],
    [
      'with the MAC of its neighbour',
      [`UPDATE records SET mac = (SELECT mac FROM records ${where(2_000)}) ${where(2_001)}`],
      other,
    ],
    ['removed', [`DELETE FROM records ${where(2_299)}`], 'was removed, added or rolled back'],
    ['a wallet that is gone', ["DELETE FROM resources WHERE id = 'wallet-1500'"], 'was removed, added or rolled back'],
    ['a wallet’s MAC', ["UPDATE resources SET mac = zeroblob(32) WHERE id = 'wallet-1500'"], 'was removed, added or rolled back'],
    ['a wallet’s MAC of another length', ["UPDATE resources SET mac = zeroblob(33) WHERE id = 'wallet-1500'"], 'another length'],
  ])('D235: one row of thousands: %s', async (_, statements, named) => {
    const error = await loadAltered(...statements);
    expect(error).toMatchObject({ code: 'STATE_TAMPERED', message: expect.stringContaining(named) });
    expect((await load()).users.size).toBe(USERS);
  });
});
