import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { createDatabase } from '../../../../test/support/postgres-database.ts';
import { openSqliteFile } from '../../../../test/support/sqlite-file.ts';
import { requireCurrent } from '../../src/store/migrations/check-schema.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { migrate as migratePostgres } from '../../src/store/postgres/migrate.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import type { ActivityRow, RecordRow } from '../../src/store/rows.ts';
import { openDatabase } from '../../src/store/sqlite/driver.ts';
import { migrate as migrateSqlite } from '../../src/store/sqlite/migrate.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import {
  activityRow,
  commitOf,
  createOrganization,
  eventRow,
  headRow,
  logEntryOf,
  outboxRow,
  put,
  recordRow,
  resourceRow,
} from './rows.ts';

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

const upTo = (id: number) => migrations.filter((migration) => migration.id <= id);

/** The statement that inserts a row as an earlier release did. */
function insertOf(engine: 'sqlite' | 'postgres', table: string, row: object): string {
  const bytesOf = (hex: string) => (engine === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`);
  const literal = (value: unknown) => {
    if (value instanceof Uint8Array) return bytesOf(Buffer.from(value).toString('hex'));
    return typeof value === 'number' ? `${value}` : `'${value}'`;
  };
  const names = Object.keys(row).map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')})`;
}

/** An activity as it was stored before requests had an order, and as it is read now. */
function earlierActivity(organizationId: string, requestedAtMs: number, fields: Partial<ActivityRow> = {}) {
  const body = JSON.stringify({ timestampMs: String(requestedAtMs), intent: { timestampMs: '1' } });
  const now = activityRow(organizationId, { requestedAtMs, body, ...fields });
  const { requestedAtMs: _, ...before } = now;
  return { now, before };
}

/** A record as an earlier release stored it. */
const withoutVersion = ({ writtenBy: _, ...row }: RecordRow) => row;

test('the numbers of migrations start at 1 and increase', () => {
  const ids = migrations.map(({ id }) => id);
  expect(ids[0]).toBe(1);
  expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => one - other));
});

describe.each(['sqlite', 'postgres'] as const)('migrations of %s', (engine) => {
  let open: (steps?: readonly Migration[]) => Promise<Store>;
  let remove: () => Promise<void>;
  let execute: (...statements: string[]) => Promise<void>;
  let indexes: () => Promise<string[]>;
  /** Makes the schema of an earlier release. */
  let prepare: (steps: readonly Migration[]) => Promise<unknown>;

  beforeEach(async () => {
    if (engine === 'sqlite') {
      const directory = makeDataDirectory('migrations');
      const file = join(directory, 'countersign.db');
      open = (steps = migrations) => openSqlite({ file, migrations: steps });
      execute = async (...statements) => {
        const db = openSqliteFile(file);
        for (const sql of statements) db.exec(sql);
        db.close();
      };
      prepare = async (steps) => {
        const db = openDatabase(file);
        await migrateSqlite(db, steps, 1_000);
        db.close();
      };
      indexes = async () => {
        const db = openSqliteFile(file, { readOnly: true });
        const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name").all();
        db.close();
        return rows.map(({ name }) => name);
      };
      remove = () => rm(directory, { recursive: true });
    } else {
      const database = await createDatabase();
      open = (steps = migrations) => openPostgres({ url: database.url, migrations: steps });
      execute = async (...statements) => {
        for (const sql of statements) await database.query(sql);
      };
      prepare = (steps) => migratePostgres(new pg.Client({ connectionString: database.url }), steps);
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

  test('a step that another release inserted before an applied one is still applied, and missed until then', async () => {
    const [first, second] = [
      step(next, ['CREATE TABLE first (id integer)']),
      step(next + 1, ['CREATE TABLE second (id integer)']),
    ];
    const old = await open([...migrations, second]);
    await old.close();
    const both = [...migrations, first, second];
    await (await open(both)).close();
    await execute('DROP TABLE first', 'DROP TABLE second');
    expect(() => requireCurrent([...migrations.map(({ id }) => id), next + 1], both)).toThrow(`schema version ${next - 1}`);
  });

  /** Stores what an earlier release would have stored. Returns the id of a new organization. */
  async function keepEarlier(
    rows: (organizationId: string) => readonly (readonly [table: string, row: object])[],
    parentId = '',
  ) {
    const organizationId = uuidv7();
    const stored = [['organizations', headRow(organizationId, { parentId })] as const, ...rows(organizationId)];
    await execute(...stored.map(([table, row]) => insertOf(engine, table, row)));
    return organizationId;
  }

  test('a database from before events keeps its data and accepts events', async () => {
    await prepare(upTo(2));
    const activity = (id: string) => earlierActivity(id, 5, { id: 'first', fingerprint: 'f', mac: new Uint8Array(32) });
    const [record, message] = [recordRow(''), outboxRow('')];
    const organizationId = await keepEarlier((id) => [
      ['records', { ...withoutVersion(record), organizationId: id }],
      ['outbox', { ...message, organizationId: id }],
      ['activities', activity(id).before],
    ]);

    const store = await open();
    expect((await store.describe()).schemaVersion).toBe(migrations.at(-1)?.id);
    expect(await store.organizations.snapshot(organizationId)).toMatchObject({
      head: headRow(organizationId),
      records: [{ ...record, organizationId }],
    });
    expect(await store.activities.get(organizationId, 'first')).toEqual(activity(organizationId).now);
    expect(await store.outbox.list('waiting', 10)).toEqual([{ ...message, organizationId }]);
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
    await prepare(upTo(3));
    const parentId = await keepEarlier(() => []);
    const organizationId = await keepEarlier(() => [], parentId);
    const kept = (await indexes()).filter((name) => name !== 'organizations_by_parent');
    expect(await indexes()).toHaveLength(kept.length + 1);
    await execute(...edits);

    await prepare(upTo(4));
    expect(await indexes()).toEqual(kept);
    const store = await open();
    expect(await store.organizations.head(parentId)).toMatchObject({ parentId: '' });
    expect(await store.organizations.head(organizationId)).toMatchObject({ parentId });
    await store.close();
  });

  test('a database from before counters delivers what waits in it, and counts', async () => {
    await prepare(upTo(4));
    const message = outboxRow('');
    const organizationId = await keepEarlier((id) => [['outbox', { ...message, organizationId: id }]]);

    const store = await open();
    expect(await store.outbox.claim(0, 1, 8)).toEqual([{ ...message, organizationId, attempts: 1, dueAtMs: 1 }]);
    const counter = { organizationId, name: 'mails', day: 1 };
    expect(await store.counters.add(counter, 1, 1)).toBe(true);
    expect(await store.counters.add(counter, 1, 1)).toBe(false);
    await store.close();
  });

  test('a database from before the log keeps its activities, and says that they are not in the log', async () => {
    await prepare(upTo(5));
    const organizationId = await keepEarlier((id) => [['activities', earlierActivity(id, 5).before]]);

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

  test('a database whose search index lacks the keys of sent transactions is indexed again', async () => {
    await prepare(upTo(32));
    await execute("INSERT INTO activity_term_state (name, leaves) VALUES ('terms', 5)");
    const store = await open();
    expect(await store.terms.indexed()).toBe(0);
    await store.close();
  });

  test('R2: requests from before they had an order are still carried out once, and their activities are as final as before', async () => {
    await prepare(upTo(12));
    const statuses = ['COMPLETED', 'CONSENSUS_NEEDED', 'FAILED'];
    const all = (id: string) =>
      statuses.map((status, index) =>
        earlierActivity(id, 1_700_000_000_000 + index, {
          id: status,
          fingerprint: `sha256:${status}`,
          status: `ACTIVITY_STATUS_${status}`,
          mac: new Uint8Array(32).fill(index),
        }),
      );
    const odd = [
      ['another order', '{"intent":null,"timestampMs":"7"}', 7],
      ['no time', '{}', 0],
      ['no JSON', 'text', 0],
    ] as const;
    const organizationId = await keepEarlier((id) => [
      ...all(id).map(({ before }) => ['activities', before] as const),
      ...odd.map(([name, body]) => ['activities', earlierActivity(id, 1, { id: name, fingerprint: name, body }).before] as const),
    ]);
    await expect(execute("UPDATE activities SET body = '' WHERE id = 'COMPLETED'")).rejects.toThrow('final');

    const store = await open();
    for (const { now } of all(organizationId)) {
      expect(await store.activities.get(organizationId, now.id)).toEqual(now);
      expect(await store.activities.byRequest(organizationId, now)).toEqual(now);
      const again = activityRow(organizationId, { fingerprint: now.fingerprint, requestedAtMs: now.requestedAtMs });
      const exists = { taken: false, reason: 'FINGERPRINT_EXISTS', activityId: now.id };
      expect(await store.commit([commitOf(organizationId, { activity: again })])).toEqual([exists]);
    }
    for (const [name, , requestedAtMs] of odd)
      expect(await store.activities.get(organizationId, name)).toMatchObject({ requestedAtMs });
    const [, waiting] = all(organizationId).map(({ now }) => now) as [ActivityRow, ActivityRow];
    expect(await store.activities.byFingerprint(organizationId, waiting.fingerprint)).toEqual(waiting);
    expect(await store.activities.page(organizationId, { statuses: ['ACTIVITY_STATUS_FAILED'] }, { limit: 9 })).toHaveLength(1);
    await store.close();
    const where = (id: string) => `WHERE organization_id = '${organizationId}' AND id = '${id}'`;
    await expect(execute(`UPDATE activities SET body = '' ${where('COMPLETED')}`)).rejects.toThrow('final');
    await expect(execute(`DELETE FROM activities ${where('FAILED')}`)).rejects.toThrow('final');
    for (const column of ['requested_at_ms = 1', "fingerprint = 'x'"])
      await expect(execute(`UPDATE activities SET ${column} ${where('CONSENSUS_NEEDED')}`)).rejects.toThrow('fixed');
    const back = `UPDATE activities SET status = 'ACTIVITY_STATUS_CREATED' ${where('CONSENSUS_NEEDED')}`;
    await expect(execute(back)).rejects.toThrow('forward');
  });

  test('a release from before cannot write to a database whose requests are in order', async () => {
    const store = await open();
    const organizationId = await createOrganization(store);
    await store.close();
    await expect(execute(insertOf(engine, 'activities', earlierActivity(organizationId, 1).before))).rejects.toThrow(
      'requested_at_ms',
    );
  });

  test('entries that wait for the log keep their order when the queue loses its counter', async () => {
    await prepare(upTo(13));
    const entry = (organizationId: string, activityId: string) =>
      ({ organizationId, activityId, revision: 0, body: activityId, mac: new Uint8Array(32) }) as const;
    const organizationId = await keepEarlier((id) => ['c', 'a', 'b'].map((name) => ['log_queue', entry(id, name)] as const));

    const store = await open();
    const activity = activityRow(organizationId);
    await store.commit([commitOf(organizationId, { activity, logEntry: logEntryOf(activity) })]);
    const order = (await store.log.queued(10)).map(({ activityId }) => activityId);
    expect(order).toEqual(['c', 'a', 'b', activity.id]);
    await store.close();
  });

  test('a database from before the head map keeps its rows, and the log continues', async () => {
    await prepare(upTo(14));
    const [record, wallet] = [recordRow(''), resourceRow('')];
    const entry = { activityId: 'a', revision: 0, body: '{}', mac: new Uint8Array(32) };
    const state = { name: 'log', size: 1, root: new Uint8Array(32), frontier: new Uint8Array(32), mac: new Uint8Array(32) };
    const { writtenBy: _, ...before } = wallet;
    const organizationId = await keepEarlier((id) => [
      ['records', { ...withoutVersion(record), organizationId: id }],
      ['resources', { ...before, organizationId: id }],
      ['log_state', state],
      ['log_heads', { organizationId: id, sequence: 4, leafHash: new Uint8Array(32), mac: new Uint8Array(32) }],
      ['log_queue', { organizationId: id, ...entry }],
      ['log_refused', { seq: 1, organizationId: id, ...entry }],
    ]);

    const store = await open();
    expect(await store.organizations.snapshot(organizationId)).toMatchObject({ records: [{ ...record, organizationId }] });
    expect(await store.resources.get(organizationId, wallet.kind, wallet.id)).toEqual({ ...wallet, organizationId });
    expect(await store.log.state()).toEqual({ ...state, mapRoot: new Uint8Array() });
    expect(await store.log.heads([organizationId])).toMatchObject([
      { sequence: 4, headVersion: 0, headDigest: new Uint8Array() },
    ]);
    expect(await store.log.queued(10)).toMatchObject([{ organizationId, ...entry, format: 1 }]);
    expect(await store.log.refusedCount()).toBe(1);
    await store.close();
  });

  test('a release from before the head map cannot write to the log', async () => {
    await (await open()).close();
    const entry = { organizationId: 'o', activityId: 'a', revision: 0, body: '{}', mac: new Uint8Array(32) };
    await expect(execute(insertOf(engine, 'log_queue', entry))).rejects.toThrow('format');
  });

  test('D362: undelivered events from before bodies were shared are kept, and delivered beside new ones', async () => {
    await prepare(upTo(16));
    const old = { ...eventRow(''), mac: new Uint8Array(32), body: '{"of":"before"}' };
    const organizationId = await keepEarlier((id) => [['events', { ...old, organizationId: id, listenerId: id }]]);
    const store = await open();
    const endpoint = { listenerId: organizationId, endpointId: old.endpointId };
    const fresh = eventRow(organizationId);
    const writes = [
      put.eventBody({ organizationId, id: fresh.id, body: '{"of":"now"}' }),
      put.event({ ...fresh, body: '' }),
      put.event({ ...fresh, endpointId: 'other', body: '' }),
    ];
    expect(await store.commit([commitOf(organizationId, { writes })])).toEqual([{ taken: true }]);
    const queued = await store.events.oldest(endpoint, 10);
    expect(queued.map(({ id, body }) => [id, body])).toEqual([
      [old.id, '{"of":"before"}'],
      [fresh.id, '{"of":"now"}'],
    ]);
    await store.events.remove(
      endpoint,
      queued.map(({ seq }) => seq),
    );
    expect(await store.events.oldest(endpoint, 10)).toEqual([]);
    expect(await store.events.oldest({ ...endpoint, endpointId: 'other' }, 10)).toMatchObject([{ body: '{"of":"now"}' }]);
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
