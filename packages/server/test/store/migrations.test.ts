import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { createDatabase } from '../../../../test/support/postgres-database.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { activityRow, commitOf, createOrganization, eventRow, logEntryOf, outboxRow, put, recordRow } from './rows.ts';

const next = (migrations.at(-1)?.id ?? 0) + 1;
const step = (id: number, statements: readonly string[]): Migration => ({
  id,
  name: `step-${id}`,
  common: () => statements,
  sqlite: [],
  postgres: [],
});
const good = step(next, ['CREATE TABLE extra (id INTEGER PRIMARY KEY)', 'INSERT INTO extra (id) VALUES (1)']);
const bad = step(next, ['CREATE TABLE extra (id INTEGER PRIMARY KEY)', 'INSERT INTO no_such_table (id) VALUES (1)']);

const archiveTables = ['archived', 'archives'];
const logTables = ['log_queue', 'log_refused', 'log_leaves', 'log_tiles', 'log_heads', 'log_state'];

test('migrations are numbered from 1 without gaps', () => {
  expect(migrations.map(({ id }) => id)).toEqual(migrations.map((_, index) => index + 1));
});

describe.each(['sqlite', 'postgres'] as const)('migrations of %s', (engine) => {
  let open: (steps?: readonly Migration[]) => Promise<Store>;
  let remove: () => Promise<void>;
  let execute: (...statements: string[]) => Promise<void>;
  let indexes: () => Promise<string[]>;

  beforeEach(async () => {
    if (engine === 'sqlite') {
      const directory = makeDataDirectory('migrations');
      const file = join(directory, 'countersign.db');
      open = (steps = migrations) => openSqlite({ file, migrations: steps });
      execute = async (...statements) => {
        const db = new Database(file);
        for (const sql of statements) db.exec(sql);
        db.close();
      };
      indexes = async () => {
        const db = new Database(file, { readonly: true });
        const names = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name").pluck().all();
        db.close();
        return names;
      };
      remove = () => rm(directory, { recursive: true });
    } else {
      const database = await createDatabase();
      open = (steps = migrations) => openPostgres({ url: database.url, migrations: steps });
      execute = async (...statements) => {
        for (const sql of statements) await database.query(sql);
      };
      indexes = async () => {
        const sql = 'SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() ORDER BY indexname COLLATE "C"';
        return (await database.query(sql)).rows.map(({ indexname }) => indexname);
      };
      remove = () => database.drop();
    }
  });
  afterEach(() => remove());

  test('fault 12: a failed step keeps the earlier ones intact and runs again once it is fixed', async () => {
    await expect(open([...migrations, bad])).rejects.toThrow(/no_such_table/);
    const old = await open();
    expect((await old.describe()).schemaVersion).toBe(migrations.at(-1)?.id);
    const organizationId = await createOrganization(old);
    await expect(open([...migrations, bad])).rejects.toThrow(/no_such_table/);
    // The fixed step creates the same table: nothing of the failed one may be left.
    const mended = await open([...migrations, good, step(next + 1, ['DROP TABLE extra'])]);
    expect((await mended.describe()).schemaVersion).toBe(next + 1);
    expect(await mended.organizations.head(organizationId)).toBeDefined();
    // A node of the old release that already runs keeps working. One that starts now is refused.
    await createOrganization(old);
    await expect(open()).rejects.toThrow(`the database has schema version ${next + 1}`);
    await mended.close();
    await old.close();
  });

  test('a database from before events keeps its data and accepts events', async () => {
    const before = await open();
    const organizationId = await createOrganization(before);
    const [record, message, commit] = [recordRow(organizationId), outboxRow(organizationId), commitOf(organizationId)];
    expect(await before.commit([{ ...commit, writes: [put.record(record), put.outbox(message)] }])).toEqual([{ taken: true }]);
    const head = await before.organizations.head(organizationId);
    await before.close();
    const later = [
      'DROP TABLE activity_counts',
      'DROP TABLE activity_count_state',
      'DROP TABLE approval_notices',
      'DROP TABLE counters',
      'DROP TABLE usage_points',
      'DROP INDEX outbox_by_organization',
      ...[...archiveTables, ...logTables].map((name) => `DROP TABLE ${name}`),
    ];
    await execute(
      ...later,
      'DROP TABLE event_receivers',
      'DROP TABLE events',
      'DROP TABLE event_leases',
      'DELETE FROM schema_migrations WHERE id >= 3',
    );

    const store = await open();
    expect((await store.describe()).schemaVersion).toBe(migrations.at(-1)?.id);
    expect(await store.organizations.snapshot(organizationId)).toMatchObject({ head, records: [record] });
    expect(await store.activities.get(organizationId, commit.activity.id)).toEqual(commit.activity);
    expect(await store.outbox.list('waiting', 10)).toEqual([message]);
    expect((await store.events.due(0, 1)).endpoints).toEqual([]);
    const event = eventRow(organizationId);
    expect(await store.commit([commitOf(organizationId, { writes: [put.event(event)] })])).toEqual([{ taken: true }]);
    expect(await store.events.oldest(event, 10)).toMatchObject([{ id: event.id }]);
    expect(await store.events.lease(event, 'holder', 0, 1)).toBe(true);
    await store.close();
  });

  test.each([
    ['as created', []],
    ['dropped before by an operator', ['DROP INDEX organizations_by_parent']],
  ])('only the index of organizations by parent is removed: %s', async (_case, edits) => {
    const upTo = (id: number) => migrations.filter((migration) => migration.id <= id);
    const before = await open(upTo(3));
    const parentId = await createOrganization(before);
    const organizationId = await createOrganization(before, [], undefined, parentId);
    const kept = (await indexes()).filter((name) => name !== 'organizations_by_parent');
    expect(await indexes()).toHaveLength(kept.length + 1);
    const heads = await Promise.all([parentId, organizationId].map((id) => before.organizations.head(id)));
    await before.close();
    await execute(...edits);

    const store = await open(upTo(4));
    expect((await store.describe()).schemaVersion).toBe(4);
    expect(await indexes()).toEqual(kept);
    expect(await Promise.all([parentId, organizationId].map((id) => store.organizations.head(id)))).toEqual(heads);
    expect(await store.organizations.head(await createOrganization(store, [], undefined, parentId))).toMatchObject({ parentId });
    await store.close();
  });

  test('a database from before counters delivers what waits in it, and counts', async () => {
    const before = await open(migrations.filter(({ id }) => id <= 4));
    const organizationId = await createOrganization(before);
    const message = outboxRow(organizationId);
    await before.commit([commitOf(organizationId, { writes: [put.outbox(message)] })]);
    await before.close();

    const store = await open();
    expect(await store.outbox.claim(0, 1, 8)).toEqual([{ ...message, attempts: 1, dueAtMs: 1 }]);
    const counter = { organizationId, name: 'mails', day: 1 };
    expect(await store.counters.add(counter, 1, 1)).toBe(true);
    expect(await store.counters.add(counter, 1, 1)).toBe(false);
    await store.close();
  });

  test('a database from before the log keeps its activities, and says that they are not in the log', async () => {
    const before = await open(migrations.filter(({ id }) => id <= 5));
    const organizationId = await createOrganization(before);
    await before.close();

    const store = await open();
    expect(await store.activities.page(organizationId, {}, { limit: 10 })).toHaveLength(1);
    expect(await store.log.state()).toBeUndefined();
    expect(await store.log.queued(10)).toEqual([]);
    expect(await store.log.hasUnlogged()).toBe(true);
    const activity = activityRow(organizationId);
    expect(await store.commit([commitOf(organizationId, { activity, logEntry: logEntryOf(activity) })])).toEqual([
      { taken: true },
    ]);
    expect(await store.log.queued(10)).toMatchObject([{ activityId: activity.id }]);
    await store.close();
  });

  test('stores that start concurrently on an empty database migrate it once', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => open([...migrations, good])));
    for (const store of stores) {
      expect((await store.describe()).schemaVersion).toBe(next);
      await createOrganization(store);
    }
    await Promise.all(stores.map((store) => store.close()));
  });
});
