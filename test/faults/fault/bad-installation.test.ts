import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../../packages/cli/test/run-cli.ts';
import { openSqlite } from '../../../packages/server/src/store/sqlite/open.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres-database.ts';
import { startService } from '../../support/service.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { createWallet } from '../../support/world.ts';
import { type Ending, runCommand } from './support/command-process.ts';
import { serve } from './support/serving.ts';

/** Expects failure with exactly two lines: the cause and the fix. */
function expectRefusal({ code, stdout, stderr }: Pick<Ending, 'code' | 'stdout' | 'stderr'>, cause: RegExp, fix: RegExp): void {
  expect(stderr).toMatch(/^Error: [^\n]+\nFix: [^\n]+\n$/);
  const [first = '', second = ''] = stderr.split('\n');
  expect(first).toMatch(cause);
  expect(second).toMatch(fix);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
}

/** Runs the command in this process. That it ends with the same code and words in one of its own is seen where a port is in use. */
const runHere = (words: readonly string[], environment: Record<string, string> = {}) => runCli(words, { environment });

/** The content of a folder, except for the files in which SQLite tracks readers. */
function contentOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/-(shm|wal)$|\.lock$/.test(name))
    .filter((name) => statSync(join(directory, name)).isFile());
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ]),
  );
}

describe('an unusable installation', () => {
  let original: string;
  let installation: Installation;
  let directory: string;

  const database = () => join(directory, 'countersign.db');
  const rootKey = () => join(directory, 'root.key');
  const serving = (words: readonly string[]) =>
    ['serve', '--host', '127.0.0.1', '--port', '0', '--data-dir', directory, '--log-level', 'error', ...words] as const;
  const refused = (words: readonly string[] = [], environment: Record<string, string> = {}) =>
    runHere(serving(words), environment);

  beforeAll(async () => {
    original = makeDataDirectory('fault');
    const { code } = await runHere(['init', '--data-dir', original, '--log-level', 'error']);
    expect(code).toBe(0);
  });
  beforeEach(async () => {
    installation = await engines.sqlite();
    ({ directory } = installation);
    cpSync(original, directory, { recursive: true });
  });
  afterEach(() => installation?.remove());
  afterAll(() => rmSync(original, { recursive: true, force: true }));

  /** Expects that the installation opens again and its first user can work. */
  async function expectSound(): Promise<void> {
    const service = await startService(installation);
    expect((await createWallet(service.root)).addresses).toHaveLength(1);
    await service.close();
  }

  /** Breaks something, expects `serve` to refuse without changing anything, and repairs it. */
  async function expectRefusedUntilMended(
    breakIt: () => void,
    mend: () => void,
    cause: RegExp,
    fix: RegExp,
    environment: Record<string, string> = {},
  ): Promise<void> {
    breakIt();
    const before = contentOf(directory);
    expectRefusal(await refused([], environment), cause, fix);
    expect(contentOf(directory)).toEqual(before);
    mend();
    await expectSound();
  }

  const restore = (name: string) => cpSync(join(original, name), join(directory, name));

  test('a database file that is not a database', () =>
    expectRefusedUntilMended(
      () => writeFileSync(database(), randomBytes(20_000)),
      () => restore('countersign.db'),
      /is not a SQLite database/,
      /move this one away/,
    ));

  test('a truncated database file', () =>
    expectRefusedUntilMended(
      () => truncateSync(database(), 10_000),
      () => restore('countersign.db'),
      /is damaged/,
      /restore the newest backup/,
    ));

  test('a database file with overwritten pages', () =>
    expectRefusedUntilMended(
      () => {
        const file = openSync(database(), 'r+');
        const { size } = statSync(database());
        for (let at = 4096; at < size; at += 4096) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, at);
        closeSync(file);
      },
      () => restore('countersign.db'),
      /is damaged/,
      /restore the newest backup/,
    ));

  test('another program’s database', () =>
    expectRefusedUntilMended(
      () => {
        rmSync(database());
        const foreign = openSqliteFile(database());
        foreign.exec('CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES (1)');
        foreign.close();
      },
      () => restore('countersign.db'),
      /is the database of another program/,
      /move this one away/,
    ));

  test("fault 14: another installation's root key", () =>
    expectRefusedUntilMended(
      () => writeFileSync(rootKey(), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 }),
      () => restore('root.key'),
      /does not open this database/,
      /provide root key/,
    ));

  test('fault 14: no root key', () =>
    expectRefusedUntilMended(
      () => rmSync(rootKey()),
      () => restore('root.key'),
      /does not provide root key/,
      /provide root key/,
    ));

  test('a root key that others can read', () =>
    expectRefusedUntilMended(
      () => chmodSync(rootKey(), 0o644),
      () => chmodSync(rootKey(), 0o600),
      /open to other users \(mode 0644\)/,
      /chmod 600/,
    ));

  test('a root key file with other content', () =>
    expectRefusedUntilMended(
      () => writeFileSync(rootKey(), 'not a key\n'),
      () => restore('root.key'),
      /must contain exactly 64 hex digits/,
      /from your backup/,
    ));

  test('a wrong passphrase', () =>
    expectRefusedUntilMended(
      () => undefined,
      () => undefined,
      /does not (provide root key|open this database)/,
      /provide root key/,
      { COUNTERSIGN_ROOT_PASSPHRASE: 'some other passphrase' },
    ));

  test('a data directory that cannot be created', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const ending = await runHere(['serve', '--port', '0', '--data-dir', join(file, 'below')]);
    expectRefusal(ending, /data directory .* cannot be created/, /--data-dir/);
  });

  test('unreadable credentials of a first run', async () => {
    const empty = join(directory, 'empty');
    cpSync(original, empty, { recursive: true });
    for (const name of readdirSync(empty)) if (name !== 'credentials.json') rmSync(join(empty, name), { recursive: true });
    writeFileSync(join(empty, 'credentials.json'), '{"organizationId":');
    expectRefusal(
      await refused(['--data-dir', empty]),
      /credentials\.json exists, but does not contain valid credentials/,
      /Move it:/,
    );
  });

  test.each([1, 2])('a port in use, with --workers %i', async (workers) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const ending = await runCommand(serving(['--port', String(port), '--workers', String(workers)]));
    other.close();
    expectRefusal(ending, new RegExp(`127\\.0\\.0\\.1 port ${port} is in use`), /another --port/);
    await expectSound();
  });

  test('an address of another machine', async () => {
    expectRefusal(await refused(['--host', '192.0.2.1']), /Cannot listen on 192\.0\.2\.1 port 0/, /another --host/);
  });

  test('maintenance in progress', async () => {
    const store = await openSqlite({ file: database() });
    const release = await store.lockInstallation('exclusive');
    expectRefusal(await refused(), /maintenance is in progress/, /Wait until it has finished/);
    await release();
    await store.close();
    await expectSound();
  });
});

describe('an unusable PostgreSQL', () => {
  let directory: string;
  let database: TestDatabase;

  beforeAll(async () => {
    directory = makeDataDirectory('fault');
    database = await createDatabase();
  });
  afterAll(async () => {
    await database?.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  const refused = (url: string) =>
    runHere(['serve', '--port', '0', '--data-dir', directory, '--log-level', 'error'], { COUNTERSIGN_DATABASE_URL: url });

  test.each([
    ['nothing listens', { port: '1' }, /does not respond/, /Start the server/],
    ['an unknown host', { hostname: 'nowhere.invalid' }, /host of .* is not known/, /host name/],
    ['a wrong password', { password: 'wrong-secret-word' }, /rejected the user or password/, /user and password/],
    ['a missing database', { pathname: '/nothing_here' }, /does not exist/, /Create it/],
  ])('%s', async (_, change, cause, fix) => {
    const ending = await refused(Object.assign(new URL(database.url), change).href);
    expectRefusal(ending, cause, fix);
    expect(ending.stderr).not.toContain('secret-word');
    expect(ending.stderr).not.toContain(new URL(database.url).password);
  });

  test('another kind of URL, which is not quoted', async () => {
    const ending = await refused('mysql://somebody:secret-word@127.0.0.1/database');
    expectRefusal(ending, /database URL cannot be read/, /postgres:\/\//);
    expect(ending.stderr).not.toContain('secret-word');
  });

  test('another program’s tables', async () => {
    const foreign = await createDatabase();
    await foreign.query('CREATE TABLE organizations (name text)');
    expectRefusal(await refused(foreign.url), /holds tables of another program/, /separate database/);
    await foreign.drop();
  });

  test('after all that, the right URL works', async () => {
    const serving = await serve({ engine: 'postgres', directory, databaseUrl: database.url, raw: () => Promise.reject() });
    expect((await serving.root.query('whoami')).status).toBe(200);
    await serving.kill();
  });
});
