import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { openSqliteFile } from '../../../../test/support/sqlite-file.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { activityRow, bytes, commitOf, createOrganization } from './rows.ts';

const place = () => {
  const directory = makeDataDirectory('reclaim');
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'countersign.db');
};

/** Stores activities and moves all of them. */
async function fillAndMove(store: Store, file: string): Promise<number> {
  const organizationId = await createOrganization(store);
  const activities = Array.from({ length: 400 }, () => activityRow(organizationId, { body: bytes(3_000).toString() }));
  await store.commit(activities.map((activity) => commitOf(organizationId, { activity })));
  const marks = activities.map(({ id: activityId, revision, fingerprint, mac: activityMac }) => {
    return { organizationId, activityId, revision, fingerprint, archive: 'a', activityMac, mac: bytes() };
  });
  expect(await store.archive.move({ name: 'a', body: '{}', mac: bytes() }, { marks, leaves: [], spans: [] })).toBe(true);
  checkpoint(file);
  return statSync(file).size;
}

function checkpoint(file: string): void {
  const db = openSqliteFile(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

test('the file gets smaller after rows have moved, while another process uses it', async () => {
  const file = place();
  const [store, other] = [await openSqlite({ file }), await openSqlite({ file })];
  const before = await fillAndMove(store, file);
  expect(await store.archive.reclaim(false)).toBe(true);
  checkpoint(file);
  expect(statSync(file).size).toBeLessThan(before / 4);
  await createOrganization(other);
  await other.close();
  await store.close();
});

test('a file of an earlier release keeps its size beside a service, and is rebuilt once without one', async () => {
  const file = place();
  const earlier = openSqliteFile(file);
  // A file that was created without the property.
  earlier.exec('PRAGMA journal_mode = WAL; CREATE TABLE x (y); DROP TABLE x; PRAGMA application_id = 1129531214');
  earlier.close();
  const store = await openSqlite({ file });
  const before = await fillAndMove(store, file);
  expect(await store.archive.reclaim(false)).toBe(false);
  expect(statSync(file).size).toBe(before);
  expect(await store.archive.reclaim(true)).toBe(true);
  checkpoint(file);
  expect(statSync(file).size).toBeLessThan(before / 4);
  await fillAndMoveAgain();
  await store.close();

  async function fillAndMoveAgain(): Promise<void> {
    const organizationId = await createOrganization(store);
    await store.commit([commitOf(organizationId, { activity: activityRow(organizationId) })]);
    expect(await store.archive.reclaim(false)).toBe(true);
  }
});
