import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { startPostgres } from '../../../../test/support/postgres.ts';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { refuseUnfit } from '../../src/store/postgres/durability.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/open.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreError, StoreUnavailable } from '../../src/store/store-errors.ts';
import { type CutProxy, createCutProxy } from './cut-proxy.ts';
import { activityRow, bytes, commitOf, createOrganization, put, recordRow } from './rows.ts';

const taken = { taken: true };

/** Opening must fail with one line for the cause and one for the fix, and show no password. */
async function openError(options: PostgresOptions): Promise<StoreError> {
  const fault = await openPostgres({ connectTimeoutMs: 1_000, ...options }).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(StoreError);
  const { message, fix, cause } = fault as StoreError;
  expect(message).not.toContain('\n');
  expect(fix).toMatch(/^[A-Z]/);
  const { password } = URL.canParse(options.url) ? new URL(options.url) : { password: 'secret' };
  for (const text of [message, fix, String(cause), JSON.stringify(cause ?? null)]) {
    expect(text).not.toContain(password);
    expect(text).not.toContain(decodeURIComponent(password));
  }
  return fault as StoreError;
}

function withParts(url: string, parts: Partial<Pick<URL, 'password' | 'pathname' | 'port' | 'hostname' | 'username'>>): string {
  return Object.assign(new URL(url), parts).href;
}

describe('faults of a PostgreSQL installation', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database?.drop());

  test('an unreachable server is named', async () => {
    expect((await openError({ url: withParts(database.url, { port: '1' }) })).message).toMatch(
      /^PostgreSQL does not respond at postgres:\/\//,
    );
    const unknown = withParts(database.url, { hostname: 'no-such-host.invalid' });
    expect((await openError({ url: unknown })).message).toMatch(/^the host of .* is not known$/);
  });

  test('a wrong password, a missing database and an invalid URL are reported without the password', async () => {
    const wrong = await openError({ url: withParts(database.url, { password: 'wrong-password' }) });
    expect(wrong.message).toMatch(/^PostgreSQL rejected the user or password/);
    expect((await openError({ url: withParts(database.url, { pathname: '/missing' }) })).message).toMatch(/does not exist$/);
    for (const url of ['postgres://u:secret@host:port/x', 'mysql://u:secret@h/x', 'secret', '']) {
      expect((await openError({ url })).message).toBe('the database URL cannot be read');
    }
  });

  test('a server that requires TLS is told from a wrong password', async () => {
    const folder = makeDataDirectory('hba');
    const hba = join(folder, 'pg_hba.conf');
    writeFileSync(hba, 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
    // The server may run as another user.
    chmodSync(folder, 0o755);
    chmodSync(hba, 0o644);
    const strict = await startPostgres(['-c', `hba_file=${hba}`]);
    try {
      const { message, fix } = await openError({ url: strict.url });
      expect(message).toMatch(/^postgres:\/\/.* rejects unencrypted connections of this user, before it reads the password$/);
      expect(fix).toContain('sslmode=verify-full');
    } finally {
      await strict.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('R1: a server that acknowledges before writing is refused, and the setting named', async () => {
    const unsafe = await createDatabase();
    const [name] = new URL(unsafe.url).pathname.split('/').slice(1);
    await unsafe.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    expect((await openError({ url: unsafe.url })).message).toContain('has synchronous_commit switched off');
    const store = await openPostgres({ url: unsafe.url, allowUnsafe: true });
    expect(await store.describe()).toMatchObject({ durable: false, facts: { synchronous_commit: 'off' } });
    await store.close();
    await unsafe.drop();
  });

  test('D612: an old server, a standby, a pooler and another encoding are refused', async () => {
    const fit = {
      version: '13.1',
      version_number: '130001',
      encoding: 'UTF8',
      standby: false,
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
    };
    const answers = (row: object) => ({ query: async () => ({ rows: [{ ...fit, ...row }] }) }) as unknown as pg.Client;
    await expect(refuseUnfit(answers({}), 'here', false)).resolves.toBeUndefined();
    await expect(refuseUnfit(answers({ version: '12.9', version_number: '120009' }), 'here', true)).rejects.toThrow('too old');
    await expect(refuseUnfit(answers({ standby: true }), 'here', true)).rejects.toThrow('read-only standby');
    // A pooler tells another process id than that of the session.
    const pooled = Object.assign(answers({ pid: 7 }), { processID: 8 });
    await expect(refuseUnfit(pooled, 'here', true)).rejects.toThrow('behind a connection pooler');
    await expect(refuseUnfit(Object.assign(answers({ pid: 7 }), { processID: 7 }), 'here', false)).resolves.toBeUndefined();
    await expect(refuseUnfit(answers({ encoding: 'LATIN1' }), 'here', true)).rejects.toThrow('encoding LATIN1');
    await expect(refuseUnfit(answers({ fsync: 'off' }), 'here', false)).rejects.toThrow('fsync');
    await expect(refuseUnfit(answers({ full_page_writes: 'off' }), 'here', false)).rejects.toThrow('full_page_writes');
  });

  test('another program’s database is refused and left unchanged', async () => {
    const foreign = await createDatabase();
    await foreign.query('CREATE TABLE records (id integer)');
    expect((await openError({ url: foreign.url })).message).toMatch(/holds tables of another program$/);
    const { rows } = await foreign.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    expect(rows).toEqual([{ tablename: 'records' }]);
    await foreign.drop();
  });

  test('a schema from a newer release is refused', async () => {
    const newer = await createDatabase();
    await (await openPostgres({ url: newer.url })).close();
    await newer.query("INSERT INTO schema_migrations (id, name, applied_at_ms) VALUES (999, 'future', 0)");
    expect((await openError({ url: newer.url })).message).toBe(
      `the database has schema version 999, but this release knows only up to ${migrations.at(-1)?.id}`,
    );
    await newer.drop();
  });

  test('R4: activities cannot be truncated', async () => {
    await (await openPostgres({ url: database.url })).close();
    await expect(database.query('TRUNCATE activities')).rejects.toThrow('activities are kept');
  });
});

describe('faults of PostgreSQL during operation', () => {
  let database: TestDatabase;
  let proxy: CutProxy;
  let store: Store;
  let organizationId: string;

  beforeAll(async () => {
    database = await createDatabase();
    proxy = await createCutProxy(database.url);
    store = await openPostgres({ url: proxy.url, poolSize: 2, lockTimeoutMs: 300, statementTimeoutMs: 2_000 });
    organizationId = await createOrganization(store);
  });
  afterAll(async () => {
    await store?.close();
    await proxy?.close();
    await database?.drop();
  });

  test('a batch that only signs takes one round trip, a batch with changes five', async () => {
    await store.commit([commitOf(organizationId)]);
    let before = proxy.trips();
    expect(await store.commit(Array.from({ length: 32 }, () => commitOf(organizationId)))).toHaveLength(32);
    expect(proxy.trips() - before).toBe(1);
    before = proxy.trips();
    const writes = [put.record(recordRow(organizationId))];
    expect(await store.commit(Array.from({ length: 32 }, () => commitOf(organizationId, { writes })))).toHaveLength(32);
    expect(proxy.trips() - before).toBe(5);
  });

  test('fault 2: connections that the server ends, idle or in use, do no harm', async () => {
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([store.ping(), store.ping()]);
      await database.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      expect((await store.organizations.head(organizationId))?.version).toBe(1);
      expect(await store.commit([commitOf(organizationId)])).toEqual([taken]);
    }
  });

  test('fault 8: when the answer to a commit is lost, the outcome is unknown until the fingerprint is looked up', async () => {
    for (const [text, writes] of [
      ['sign_activities', []],
      ['COMMIT', [put.record(recordRow(organizationId))]],
    ] as const) {
      const activity = activityRow(organizationId);
      proxy.cutAnswerTo(text);
      const error = await store.commit([commitOf(organizationId, { activity, writes })]).catch((reason: unknown) => reason);
      expect(error, text).toBeInstanceOf(StoreUnavailable);
      expect(error, text).toMatchObject({ outcomeUnknown: true });
      expect(await store.activities.byRequest(organizationId, activity), text).toStrictEqual(activity);
    }
  });

  test('a connection lost before the commit was sent is replaced, and the batch is retried', async () => {
    for (const text of ['BEGIN', 'lock_organizations', 'insert_activities']) {
      const activity = activityRow(organizationId);
      proxy.cutBefore(text);
      expect(
        await store.commit([commitOf(organizationId, { activity, writes: [put.record(recordRow(organizationId))] })]),
        text,
      ).toEqual([taken]);
      expect(await store.activities.get(organizationId, activity.id), text).toStrictEqual(activity);
    }
  });

  test('R7: an unreachable server is reported quickly, with a known outcome, and works again later', async () => {
    proxy.cutBefore('lock_organizations', 1_000);
    const activity = activityRow(organizationId);
    const commit = commitOf(organizationId, { activity, writes: [put.record(recordRow(organizationId))] });
    const started = performance.now();
    const error = await store.commit([commit]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).toMatchObject({ outcomeUnknown: false });
    expect(performance.now() - started).toBeLessThan(20_000);
    proxy.cutBefore('', 0);
    expect(await store.activities.get(organizationId, activity.id)).toBeUndefined();
    expect(await store.commit([commit])).toEqual([taken]);
  });

  test('fault 7: a lock held too long makes the commit fail in time; signing elsewhere works', async () => {
    const other = await createOrganization(store);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM organizations WHERE organization_id = $1 FOR UPDATE', [organizationId]);
    const error = await store.commit([commitOf(organizationId)]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).toMatchObject({ outcomeUnknown: false, message: 'PostgreSQL did not finish in time' });
    expect(await store.commit([commitOf(other)])).toEqual([taken]);
    const waiting = store.commit([commitOf(organizationId)]);
    setTimeout(() => void holder.query('ROLLBACK'), 50);
    expect(await waiting).toEqual([taken]);
    await holder.end();
  });

  test('a head change waits for signatures in flight and then sees them, and the reverse', async () => {
    const id = await createOrganization(store);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('UPDATE organizations SET version = 2 WHERE organization_id = $1', [id]);
    const signs = store.commit([commitOf(id)]);
    const changes = store.commit([commitOf(id, { head: { version: 9, mac: bytes() } })]);
    setTimeout(() => void holder.query('COMMIT'), 50);
    // Both statements started on version 1 and must use the state that they find after the lock.
    expect(await signs).toEqual([{ taken: false, reason: 'VERSION_MOVED' }]);
    expect(await changes).toEqual([{ taken: false, reason: 'VERSION_MOVED' }]);
    await holder.end();
  });

  test('a shared installation lock is reacquired after its connection is lost; an exclusive one reports the loss', async () => {
    const drop =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countersign hold'";
    const release = await store.lockInstallation('shared');
    await database.query(drop);
    const held =
      "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    while ((await database.query(held)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(store.lockInstallation('exclusive')).rejects.toThrow(StoreError);
    await release();
    const releaseExclusive = await store.lockInstallation('exclusive');
    await database.query(drop);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await expect(releaseExclusive()).rejects.toThrow(StoreError);
    await releaseExclusive();
  });
});
