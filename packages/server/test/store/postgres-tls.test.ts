import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { type CrashablePostgres, startPostgres } from '../../../../test/support/postgres.ts';
import { createDatabase } from '../../../../test/support/postgres-database.ts';
import { selfSigned } from '../../../../test/support/self-signed.ts';
import { connectionAdvice } from '../../src/commands/doctor/advice.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { protectionOf, withTls } from '../../src/store/postgres/tls-of-url.ts';

describe('withTls', () => {
  test.each([
    ['postgres://u:p@db.example.com/x', 'postgres://u:p@db.example.com/x?sslmode=verify-full', 'verified'],
    [
      'postgres://u:p@10.0.0.5:5432/x?connect_timeout=3',
      'postgres://u:p@10.0.0.5:5432/x?connect_timeout=3&sslmode=verify-full',
      'verified',
    ],
    ['postgres://db/x?sslmode=require', 'postgres://db/x?sslmode=verify-full', 'verified'],
    ['postgres://db/x?sslmode=prefer&sslrootcert=/ca.pem', 'postgres://db/x?sslrootcert=/ca.pem&sslmode=verify-full', 'verified'],
    ['postgres://db/x?sslmode=verify-full', 'postgres://db/x?sslmode=verify-full', 'verified'],
    ['postgres://db/x?ssl=true', 'postgres://db/x?ssl=true', 'verified'],
    ['postgres://db/x?sslmode=disable', 'postgres://db/x?sslmode=disable', 'plain'],
    ['postgres://db/x?ssl=0', 'postgres://db/x?ssl=0', 'plain'],
    ['postgres://db/x?sslmode=no-verify', 'postgres://db/x?sslmode=no-verify', 'unverified'],
    ['postgres://db/x?uselibpqcompat=true&sslmode=require', 'postgres://db/x?uselibpqcompat=true&sslmode=require', 'unverified'],
    ['postgres://u:p@127.0.0.1:5432/x', 'postgres://u:p@127.0.0.1:5432/x', 'local'],
    ['postgres://localhost/x', 'postgres://localhost/x', 'local'],
    ['postgres://[::1]/x', 'postgres://[::1]/x', 'local'],
    ['postgres://u@localhost/x?host=/var/run/postgresql', 'postgres://u@localhost/x?host=/var/run/postgresql', 'local'],
    // The option counts before the host in the URL.
    ['postgres://localhost/x?host=db.example.com', 'postgres://localhost/x?host=db.example.com&sslmode=verify-full', 'verified'],
  ] as const)('D606: %s', (url, used, protection) => {
    expect(withTls(url)).toBe(used);
    expect(protectionOf([url])).toBe(protection);
    expect(connectionAdvice({ facts: { connection: protection } })).toHaveLength(
      ['plain', 'unverified'].includes(protection) ? 1 : 0,
    );
  });

  test('the least protected of several servers counts', () => {
    expect(protectionOf(['postgres://localhost/x', 'postgres://db/x?sslmode=disable', 'postgres://db/x'])).toBe('plain');
  });
});

describe('a server that counts as one on another machine', () => {
  const certificate = selfSigned([0, 0, 0, 0]);
  const trusted = join(makeDataDirectory('postgres-ca'), 'ca.pem');
  let server: CrashablePostgres;
  let plain: string;
  let url: string;

  /** This address reaches the machine itself, and is not a loopback address. */
  const elsewhere = (local: string) => local.replace('127.0.0.1', '0.0.0.0');

  beforeAll(async () => {
    writeFileSync(trusted, certificate.cert);
    server = await startPostgres();
    plain = elsewhere((await createDatabase(server.url)).url);
  });
  afterAll(() => server?.stop());

  async function open(at: string): Promise<{ readonly connection: string | undefined; readonly isEncrypted: boolean }> {
    const store = await openPostgres({ url: at, startupTimeoutMs: 0 });
    try {
      const { facts } = await store.describe();
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const sessions = await client.query(
        `SELECT bool_and(ssl) AS encrypted FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'countersign%'`,
      );
      await client.end();
      return { connection: facts.connection, isEncrypted: sessions.rows[0].encrypted };
    } finally {
      await store.close();
    }
  }

  test('D606: is not used without TLS, unless the URL says so', async () => {
    await expect(open(plain)).rejects.toThrow('does not offer TLS');
    expect(await open(`${plain}?sslmode=disable`)).toEqual({ connection: 'plain', isEncrypted: false });
  });

  test('D606: is used with TLS and a certificate that verifies', async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const directory = (await client.query('SHOW data_directory')).rows[0].data_directory as string;
    const { uid, gid } = statSync(directory);
    for (const [name, text] of Object.entries({ 'server.crt': certificate.cert, 'server.key': certificate.key })) {
      writeFileSync(join(directory, name), text);
      chmodSync(join(directory, name), 0o600);
      chownSync(join(directory, name), uid, gid);
    }
    await client.query('ALTER SYSTEM SET ssl = on');
    await client.query('SELECT pg_reload_conf()');
    await client.end();
    url = `${plain}?sslrootcert=${trusted}`;
    await expect
      .poll(() => open(url).catch((error: Error) => error.message))
      .toEqual({ connection: 'verified', isEncrypted: true });
    await expect(open(plain)).rejects.toThrow('has a certificate that does not verify');
    await expect(open(url.replace('0.0.0.0', '0.0.0.1'))).rejects.toThrow();
    expect(await open(`${plain}?sslmode=no-verify`)).toEqual({ connection: 'unverified', isEncrypted: true });
  });

  test('D606: another certificate for the same name is refused', async () => {
    writeFileSync(trusted, selfSigned([0, 0, 0, 0]).cert);
    await expect(open(url)).rejects.toThrow('does not verify');
  });
});
