import { chmod, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { openSqliteFile } from '../../../../test/support/sqlite-file.ts';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { StoreError, StoreUnavailable } from '../../src/store/store-errors.ts';
import { startChild } from './child.ts';
import { activityRow, bytes, commitOf, createOrganization } from './rows.ts';

describe('faults of a SQLite installation', () => {
  let directory: string;
  let file: string;

  beforeEach(async () => {
    directory = makeDataDirectory('faults');
    file = join(directory, 'countersign.db');
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Opening must fail with one line for the cause and one for the fix. */
  async function openError(path = file): Promise<StoreError> {
    const fault = await openSqlite({ file: path, busyTimeoutMs: 100 }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(StoreError);
    const { message, fix } = fault as StoreError;
    expect(message).not.toContain('\n');
    expect(fix).toMatch(/^[A-Z].*\.$/);
    return fault as StoreError;
  }

  test('a file that is not a database is refused and left unchanged', async () => {
    const content = 'not a database at all, but long enough to be looked at '.repeat(50);
    await writeFile(file, content);
    expect((await openError()).message).toMatch(/is not a SQLite database$/);
    expect(await readFile(file, 'utf8')).toBe(content);
  });

  test('another program’s database is refused and left unchanged', async () => {
    const foreign = openSqliteFile(file);
    foreign.exec('CREATE TABLE organizations (id INTEGER); INSERT INTO organizations VALUES (1)');
    foreign.close();
    const before = await readFile(file);
    expect((await openError()).message).toMatch(/is the database of another program$/);
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('a damaged file is refused when it is opened', async () => {
    const store = await openSqlite({ file });
    await createOrganization(store);
    await store.close();
    await truncate(file, 3 * 4096 + 100);
    expect((await openError()).message).toMatch(/is damaged$/);
  });

  test('damage found later is reported as a fault of the installation, not of the request', async () => {
    const store = await openSqlite({ file });
    const organizationId = await createOrganization(store);
    await store.close();
    const inspect = openSqliteFile(file, { readOnly: true });
    const { rootpage: page } = inspect.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'activities'").get();
    inspect.close();
    const content = await readFile(file);
    content.fill(0xa5, (page - 1) * 4096, page * 4096);
    await writeFile(file, content);
    const damaged = await openSqlite({ file });
    await expect(damaged.activities.page(organizationId, {}, { limit: 1 })).rejects.toThrow(StoreError);
    await expect(damaged.commit([commitOf(organizationId)])).rejects.toThrow(StoreError);
    expect((await damaged.organizations.head(organizationId))?.version).toBe(1);
    await damaged.close();
  });

  test('a schema from a newer release is refused and left unchanged', async () => {
    await (await openSqlite({ file })).close();
    const newer = openSqliteFile(file);
    newer.exec("INSERT INTO schema_migrations (id, name, applied_at_ms) VALUES (999, 'future', 0)");
    newer.close();
    const fault = await openError();
    expect(fault.message).toBe(`the database has schema version 999, but this release knows only up to ${migrations.at(-1)?.id}`);
  });

  test('a missing directory, or a file instead of one, is named', async () => {
    expect((await openError(join(directory, 'missing', 'countersign.db'))).message).toMatch(
      /^the directory of .* does not exist$/,
    );
    await writeFile(join(directory, 'plain'), '');
    expect((await openError(join(directory, 'plain', 'countersign.db'))).message).toMatch(/^the directory of .* does not exist$/);
    expect((await openError(directory)).message).toMatch(/is a directory$/);
  });

  test('a file or directory that is not writable is named', async () => {
    await (await openSqlite({ file })).close();
    const before = await readFile(file);
    await chmod(file, 0o444);
    await chmod(directory, 0o555);
    // Permissions do not apply to root, and containers often run tests as root.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65534);
    try {
      for (const path of [file, join(directory, 'new.db')]) {
        expect((await openError(path)).message).toMatch(/cannot be opened for writing$/);
      }
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(directory, 0o755);
    }
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('only the owner can read the file and its log', async () => {
    const store = await openSqlite({ file });
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect((await stat(path)).mode & 0o777, path).toBe(0o600);
    await store.close();
  });

  test('R1: synchronous is FULL at the first and every later opening', async () => {
    for (let opening = 0; opening < 3; opening += 1) {
      const store = await openSqlite({ file });
      expect(await store.describe()).toMatchObject({ durable: true, facts: { synchronous: 'full', journalMode: 'wal' } });
      await store.close();
    }
  });

  test('D267: operations that wait for the lock of another process leave the event loop free', async () => {
    const store = await openSqlite({ file, busyTimeoutMs: 10_000 });
    const organizationId = await createOrganization(store);
    const other = openSqliteFile(file);
    other.exec('BEGIN IMMEDIATE');
    const commits = Array.from({ length: 30 }, () => store.commit([commitOf(organizationId)]));
    await sleep(400);
    const before = performance.eventLoopUtilization();
    await sleep(500);
    const { utilization } = performance.eventLoopUtilization(before);
    other.exec('ROLLBACK');
    other.close();
    await Promise.all(commits);
    // If each attempt waited 5 ms, the event loop would do nothing else.
    expect(utilization).toBeLessThan(0.6);
    await store.close();
  });

  test('fault 7: a lock of another process is waited for, up to a limit', async () => {
    const store = await openSqlite({ file, busyTimeoutMs: 150 });
    const organizationId = await createOrganization(store);
    const other = openSqliteFile(file);
    other.exec('BEGIN IMMEDIATE');
    const refused = await store.commit([commitOf(organizationId)]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreUnavailable);
    expect(refused).toMatchObject({ outcomeUnknown: false, message: expect.stringContaining('locked') });
    expect((await store.organizations.head(organizationId))?.version).toBe(1);
    expect((await openError()).message).toMatch(/is locked by another process$/);
    const waiting = store.commit([commitOf(organizationId)]);
    setTimeout(() => other.exec('ROLLBACK'), 50);
    expect(await waiting).toEqual([{ taken: true }]);
    other.close();
    await store.close();
  });

  test('fault 4: a full disk makes the commit fail, loses nothing acknowledged, and works again with space', async () => {
    const store = await openSqlite({ file });
    const organizationId = await createOrganization(store);
    // The limit is in blocks of 512 bytes. Without the trap, the signal would end the process before the write fails.
    const child = await startChild(
      { location: file, commitTo: { organizationId, count: 10_000, bodyLength: 20_000 } },
      "trap '' XFSZ; ulimit -f 4000;",
    );
    expect(await child.ended()).toBe(0);
    expect(child.lines.at(-1)).toMatch(/^StoreUnavailable: the (disk is full|database file cannot be used now)/);
    const acknowledged = child.lines.slice(0, -1);
    expect(acknowledged.length).toBeGreaterThan(5);
    for (const id of acknowledged) expect(await store.activities.get(organizationId, id), id).toBeDefined();
    expect(await store.commit([commitOf(organizationId)])).toEqual([{ taken: true }]);
    await store.close();
  });

  test('R4: REPLACE does not bypass the triggers that protect ended activities', async () => {
    const store = await openSqlite({ file });
    const organizationId = await createOrganization(store);
    const row = activityRow(organizationId);
    await store.commit([commitOf(organizationId, { activity: row })]);
    const other = openSqliteFile(file);
    const replace = other.prepare(
      "INSERT OR REPLACE INTO activities (organization_id, id, revision, fingerprint, requested_at_ms, type, status, mac, body) VALUES (?, ?, 0, ?, ?, 't', 'ACTIVITY_STATUS_PENDING', ?, '')",
    );
    other.exec('PRAGMA recursive_triggers = ON');
    expect(() => replace.run(organizationId, row.id, row.fingerprint, row.requestedAtMs, bytes())).toThrow(
      'terminal activity is final',
    );
    other.close();
    expect(await store.activities.get(organizationId, row.id)).toStrictEqual(row);
    await store.close();
  });

  test('an operation after close fails and does not hang', async () => {
    const store = await openSqlite({ file });
    await store.close();
    await expect(store.ping()).rejects.toThrow();
    await expect(store.commit([commitOf('o')])).rejects.toThrow();
  });
});
