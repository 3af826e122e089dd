import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../packages/server/src/store/postgres/open.ts';
import { installedFile } from '../support/debian-packages.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { freePort, type Program, startProgram } from './program.ts';

const NOBODY = 65_534;

describe('PgBouncer', () => {
  let database: TestDatabase;
  const programs: Program[] = [];

  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(async () => {
    for (const program of programs) await program.stop();
    await database?.drop();
  });

  /** Starts it in front of the database, and returns the URL. It refuses to run as root. */
  async function start(mode: string, ignored: string): Promise<string> {
    const { hostname, port, username, password, pathname } = new URL(database.url);
    const directory = mkdtempSync(join(tmpdir(), 'countersign-pgbouncer-'));
    const listen = await freePort();
    const file = join(directory, 'pgbouncer.ini');
    writeFileSync(
      file,
      `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password='${decodeURIComponent(password)}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = ${ignored}
`,
    );
    chmodSync(directory, 0o755);
    chmodSync(file, 0o644);
    const path = installedFile(['/usr/sbin/pgbouncer'], ['pgbouncer'], 'The test of poolers needs PgBouncer');
    const program = startProgram(path, [file], { uid: NOBODY, gid: NOBODY });
    programs.push(program);
    const url = `postgres://${username}:x@127.0.0.1:${listen}${pathname}`;
    // Until it answers, and to show that it works for other clients.
    await expect
      .poll(async () => {
        const client = new pg.Client(url);
        try {
          await client.connect();
          return (await client.query('SELECT 1 AS one')).rows[0].one;
        } catch (error) {
          program.requireRunning();
          return String(error);
        } finally {
          await client.end().catch(() => undefined);
        }
      })
      .toBe(1);
    return url;
  }

  test.each([
    ['transaction', ''],
    ['transaction', 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout'],
    ['session', 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout'],
  ])('D612: is refused in %s mode, ignoring "%s"', async (mode, ignored) => {
    const url = await start(mode, ignored);
    await expect(openPostgres({ url, startupTimeoutMs: 1_000 })).rejects.toThrow('is behind a connection pooler');
  });

  test('D612: in transaction mode, a client gets what another one has set', async () => {
    const url = await start('transaction', '');
    const [one, other] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([one.connect(), other.connect()]);
    const show = async () => (await other.query('SHOW synchronous_commit')).rows[0].synchronous_commit;
    expect(await show()).toBe('on');
    await one.query('SET synchronous_commit = off');
    // Acknowledged commits of the other client would be lost with a crash.
    expect(await show()).toBe('off');
    await Promise.all([one.end(), other.end()]);
  });

  test('PostgreSQL itself is accepted', async () => {
    const store = await openPostgres({ url: database.url });
    await store.ping();
    await store.close();
  });
});
