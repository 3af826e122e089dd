import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import type { ActivityRow } from '../../src/store/rows.ts';
import type { Store } from '../../src/store/store.ts';
import { activityRow, bytes, commitOf, createOrganization } from './rows.ts';

const ROWS = 2_000;
/** The oldest ones. The others are at the end of the file, so that VACUUM alone cuts off nothing. */
const ARCHIVED = 1_600;

describe('space of archived rows on PostgreSQL', () => {
  let database: TestDatabase;
  let store: Store;
  let organizationId: string;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    store = await openPostgres({ url: database.url });
    organizationId = await createOrganization(store);
  });
  afterAll(() => store?.close());

  async function sizeOf(table: string, what = 'pg_relation_size'): Promise<number> {
    const { rows } = await database.query(`SELECT ${what}('${table}') AS bytes`);
    return Number(rows[0].bytes);
  }

  /** All rows in one text. */
  async function content(table: string): Promise<string> {
    const { rows } = await database.query(
      `SELECT count(*) || md5(string_agg(t::text, '' ORDER BY t::text)) AS all FROM ${table} t`,
    );
    return rows[0].all;
  }

  /** Stores activities, archives most of them, and returns the others. */
  async function fillAndArchive(archive: string): Promise<readonly ActivityRow[]> {
    const made = Array.from({ length: ROWS }, () => activityRow(organizationId, { body: bytes(500).join('') }));
    for (let at = 0; at < ROWS; at += 250)
      await store.commit(made.slice(at, at + 250).map((activity) => commitOf(organizationId, { activity })));
    for (let at = 0; at < ARCHIVED; at += 400) {
      const marks = made.slice(at, at + 400).map(({ id: activityId, revision, fingerprint, mac: activityMac }) => {
        return { organizationId, activityId, revision, fingerprint, archive, activityMac, mac: bytes() };
      });
      const file = { name: `${archive}-${at}`, body: '{}', mac: bytes() };
      expect(await store.archive.move(file, { marks, leaves: [], spans: [] })).toBe(true);
    }
    return made.slice(ARCHIVED);
  }

  test('D561: the files of a table get smaller after archiving, and no row changes', async () => {
    const kept = await fillAndArchive('a');
    await database.query('VACUUM activities');
    const [before, rows] = [await sizeOf('activities'), await content('activities')];
    const indexes = await sizeOf('activities', 'pg_indexes_size');
    expect(await store.archive.reclaim(false)).toBe(true);
    expect(await content('activities')).toBe(rows);
    expect(await sizeOf('activities')).toBeLessThan(before / 3);
    expect(await sizeOf('activities', 'pg_indexes_size')).toBeLessThan(indexes / 2);
    for (const activity of [kept[0], kept.at(-1)] as ActivityRow[])
      expect(await store.activities.get(organizationId, activity.id)).toStrictEqual(activity);
    // A table without free space keeps its rows and its size.
    const small = await sizeOf('activities');
    expect(await store.archive.reclaim(false)).toBe(true);
    expect(await content('activities')).toBe(rows);
    expect(await sizeOf('activities')).toBeLessThanOrEqual(small * 1.2);
  });

  test('D561: rows that are committed or locked meanwhile are neither lost nor waited for', async () => {
    const kept = await fillAndArchive('b');
    const before = await sizeOf('activities');
    const locked = (kept.at(-1) as ActivityRow).id;
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM activities WHERE organization_id = $1 AND id = $2 FOR UPDATE', [organizationId, locked]);
    let isDone = false;
    const committed: ActivityRow[] = [];
    const service = (async () => {
      while (!isDone) {
        const activity = activityRow(organizationId);
        expect(await store.commit([commitOf(organizationId, { activity })])).toEqual([{ taken: true }]);
        committed.push(activity);
      }
    })();
    // Building the indexes again waits for older transactions, so the other one ends as soon as rows have moved.
    const released = (async () => {
      while (
        Number((await database.query("SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE 'REINDEX%'")).rows[0].n) < 1
      ) {
        if (isDone) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await other.query('COMMIT');
    })();
    await store.archive.reclaim(false);
    isDone = true;
    await Promise.all([service, released]);
    await other.end();
    await store.archive.reclaim(false);
    for (const activity of [...kept.slice(-5), ...committed.slice(0, 50)])
      expect(await store.activities.get(organizationId, activity.id)).toStrictEqual(activity);
    expect(await sizeOf('activities')).toBeLessThan(before * 0.7);
  });

  test('D562: a run that is killed leaves every row, and the next one finishes and removes unfinished indexes', async () => {
    await fillAndArchive('c');
    const before = await sizeOf('activities');
    await database.query('CREATE INDEX activities_by_type_ccnew ON activities (organization_id, type, id)');
    await database.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'activities_by_type_ccnew'::regclass");
    const rows = await content('activities');
    // Long enough to be killed.
    await database.query(
      "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END'",
    );
    await database.query('CREATE TRIGGER waiting AFTER UPDATE ON activities FOR EACH STATEMENT EXECUTE FUNCTION wait()');
    const killing = (async () => {
      for (let killed = 0; killed === 0; ) {
        const found = await database.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'countersign copy' AND query LIKE 'UPDATE activities%'",
        );
        killed = found.rows.length;
      }
    })();
    await expect(store.archive.reclaim(false)).rejects.toThrow();
    await killing;
    await database.query('DROP TRIGGER waiting ON activities');
    expect(await content('activities')).toBe(rows);
    expect(await store.archive.reclaim(false)).toBe(true);
    expect(await content('activities')).toBe(rows);
    expect(await sizeOf('activities')).toBeLessThan(before * 0.7);
    const { rows: invalid } = await database.query(
      "SELECT 1 FROM pg_index WHERE indrelid = 'activities'::regclass AND NOT indisvalid",
    );
    expect(invalid).toEqual([]);
  });

  test('D563: a write that changes nothing passes, and any other write to an ended activity is rejected', async () => {
    const activity = activityRow(organizationId);
    await store.commit([commitOf(organizationId, { activity })]);
    const where = `WHERE organization_id = '${organizationId}' AND id = '${activity.id}'`;
    await database.query(`UPDATE activities SET mac = mac ${where}`);
    for (const column of ["mac = '\\x00'", 'revision = 1', "packed = '\\x00'", "body = 'x'", 'requested_at_ms = 1'])
      await expect(database.query(`UPDATE activities SET ${column} ${where}`), column).rejects.toThrow('is final');
    expect(await store.activities.get(organizationId, activity.id)).toStrictEqual(activity);
  });
});
