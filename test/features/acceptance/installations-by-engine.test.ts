import { chmodSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { startServer } from '../../../packages/server/src/start-server.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { operatorErrorOf } from '../../support/operator-error-of.ts';
import { createDatabase } from '../../support/postgres-database.ts';
import { startService } from '../../support/service.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('installations on SQLite', () => {
  let installation: Installation;

  beforeEach(async () => {
    installation = await engines.sqlite();
  });
  afterEach(() => installation?.remove());

  const file = () => join(installation.directory, 'countersign.db');

  test('a file that is not a database, or another program’s database, is left untouched', async () => {
    writeFileSync(file(), 'this is not a database, but long enough to be looked at as if it were one'.repeat(20));
    const before = readFileSync(file());
    const { name, message } = await operatorErrorOf(startServer(installation.config));
    expect([name, message]).toEqual(['StoreError', `${file()} is not a SQLite database`]);
    expect(readFileSync(file())).toEqual(before);
    rmSync(file());
    const foreign = openSqliteFile(file());
    foreign.exec('CREATE TABLE recipes (name TEXT)');
    foreign.close();
    const copy = readFileSync(file());
    expect((await operatorErrorOf(startServer(installation.config))).message).toBe(
      `${file()} is the database of another program`,
    );
    expect(readFileSync(file())).toEqual(copy);
    expect(existsSync(join(installation.directory, 'credentials.json'))).toBe(false);
  });

  test('serve and doctor report a damaged file', async () => {
    await (await startServer(installation.config)).close();
    const content = readFileSync(file());
    content.fill(0x5a, 100, 4000);
    writeFileSync(file(), content);
    rmSync(`${file()}-wal`, { force: true });
    const { name, fix } = await operatorErrorOf(startServer(installation.config));
    expect([name, fix.includes('backup')]).toEqual(['StoreError', true]);
    expect((await runDoctor(installation.config)).at(-1)).toMatchObject({ check: 'database', ok: false });
  });

  test('doctor does not create an installation', async () => {
    const dataDir = join(installation.directory, 'nothing');
    const findings = await runDoctor({ ...installation.config, dataDir });
    expect(findings.at(-1)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('does not exist'),
      fix: expect.stringContaining('--data-dir'),
    });
    expect(existsSync(dataDir)).toBe(false);
  });

  test('doctor finds credentials that others can read, and says how to fix it', async () => {
    const server = await startServer(installation.config);
    await server.close();
    chmodSync(server.credentialsFile, 0o644);
    const bad = (await runDoctor(installation.config)).filter(({ ok }) => !ok);
    expect(bad).toEqual([
      {
        check: 'credentials file',
        ok: false,
        detail: expect.stringContaining('can be read by others'),
        fix: `chmod 600 ${server.credentialsFile}`,
      },
    ]);
  });

  test('a wrong passphrase is refused', async () => {
    const rootPassphrase = 'correct horse battery staple';
    const server = await startServer({ ...installation.config, rootPassphrase });
    await server.close();
    const { name, message } = await operatorErrorOf(
      startServer({ ...installation.config, rootPassphrase: 'another horse entirely' }),
    );
    expect(name).toBe('VaultError');
    expect(message).not.toMatch(/horse/);
    await (await startServer({ ...installation.config, rootPassphrase })).close();
  });

  test('a copied data directory works with its own key', async () => {
    const first = await startService(installation);
    const privateKeyId = await createPrivateKey(first.root);
    await first.close();
    const elsewhere = await engines.sqlite();
    cpSync(installation.directory, elsewhere.directory, { recursive: true });
    const service = await startService(elsewhere);
    expect((await service.root.submit('signRawPayload', signParams(privateKeyId))).status).toBe(200);
    await service.close();
    await elsewhere.remove();
  });
});

describe('installations on PostgreSQL', () => {
  test('a silent server, an unknown database and a wrong password each get their own message, without the password', async () => {
    const database = await createDatabase();
    const installation = await engines.sqlite();
    const url = new URL(database.url);
    const change = (changes: Partial<URL>) => Object.assign(new URL(url.href), changes).href;
    const cases: [string, RegExp][] = [
      [change({ port: String(await unusedPort()) }), /PostgreSQL does not respond at/],
      [change({ pathname: '/nowhere' }), /does not exist/],
      [change({ password: 'guessed-password' }), /rejected the user or password/],
    ];
    for (const [databaseUrl, expected] of cases) {
      const { name, message, fix } = await operatorErrorOf(startServer({ ...installation.config, databaseUrl }));
      expect(name).toBe('StoreError');
      expect(message).toMatch(expected);
      expect(message + fix).not.toMatch(/guessed-password|a password/);
      const found = (await runDoctor({ ...installation.config, databaseUrl })).at(-1);
      expect(found).toMatchObject({ check: 'database', ok: false, detail: expect.stringMatching(expected) });
    }
    await installation.remove();
    await database.drop();
  });

  test('another program’s database is left untouched', async () => {
    const installation = await engines.postgres();
    const raw = await installation.raw();
    await raw.run('CREATE TABLE organizations (name text)');
    const { name, message } = await operatorErrorOf(startServer(installation.config));
    expect([name, message.includes('another program')]).toEqual(['StoreError', true]);
    expect(await raw.all('SELECT count(*) AS n FROM organizations')).toEqual([{ n: '0' }]);
    await installation.remove();
  });
});
