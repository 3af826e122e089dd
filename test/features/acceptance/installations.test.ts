import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import type { Finding } from '../../../packages/server/src/commands/doctor/finding.ts';
import { initialize } from '../../../packages/server/src/commands/initialize.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import { startServer } from '../../../packages/server/src/start-server.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import { operatorErrorOf } from '../../support/operator-error-of.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, createWallet, signParams } from '../../support/world.ts';

const names = { organizationName: 'Acme', userName: 'Root' };

describe.each(Object.keys(engines) as Engine[])('installations on %s', (engine) => {
  let installation: Installation;
  let config: Config;

  beforeEach(async () => {
    installation = await engines[engine]();
    config = installation.config;
  });
  afterEach(() => installation?.remove());

  const rootKeyFile = () => join(installation.directory, 'root.key');

  /** Creates the installation, with a key and a wallet in it. */
  async function makeInstallation(): Promise<string> {
    const service = await startService(installation);
    await createWallet(service.root);
    const privateKeyId = await createPrivateKey(service.root);
    await service.close();
    return privateKeyId;
  }

  /** Expects no damage: the service starts again and signs with its key. */
  async function expectIntact(privateKeyId: string): Promise<void> {
    const service = await startService(installation);
    const { status, body } = await service.root.submit('signRawPayload', signParams(privateKeyId));
    await service.close();
    expect(status, JSON.stringify(body)).toBe(200);
  }

  const failed = (findings: readonly Finding[]) => findings.filter(({ ok }) => !ok);

  describe('first run', () => {
    test('init creates an organization, a root user and a key that only its owner can read', async () => {
      const made = await initialize(config, names);
      expect(Object.keys(made).sort()).toEqual(
        ['organizationId', 'userId', 'apiPublicKey', 'apiPrivateKey', 'baseUrl', 'credentialsFile'].sort(),
      );
      expect(statSync(made.credentialsFile).mode & 0o777).toBe(0o600);
      expect(statSync(rootKeyFile()).mode & 0o777).toBe(0o600);
      const service = await startService(installation);
      expect(await service.root.data('whoami')).toEqual({
        organizationId: made.organizationId,
        organizationName: 'Acme',
        userId: made.userId,
        username: 'Root',
      });
      await service.close();
    });

    test('a second init is refused and changes nothing', async () => {
      const made = await initialize(config, names);
      const before = readFileSync(made.credentialsFile, 'utf8');
      const { name, message } = await operatorErrorOf(initialize(config, { organizationName: 'Other', userName: 'Other' }));
      expect([name, message]).toEqual(['ConfigError', 'This installation already has its first organization.']);
      expect(readFileSync(made.credentialsFile, 'utf8')).toBe(before);
    });

    test('a run that was interrupted before it stored the organization continues with the same key', async () => {
      const { credentialsFile, ...saved } = await initialize(config, names);
      const { credentialsFile: _, ...again } = await initialize(
        { ...(await freshDatabase()), dataDir: config.dataDir },
        { organizationName: 'Acme', userName: 'Root' },
      );
      expect(again).toEqual(saved);
      expect(JSON.parse(readFileSync(credentialsFile, 'utf8'))).toEqual(saved);
    });

    /** The same data directory with an empty database, as after a crash between the two writes. Nothing was served yet. */
    async function freshDatabase(): Promise<Config> {
      rmSync(paths.epochFile(config));
      if (engine === 'sqlite') {
        for (const suffix of ['', '-wal', '-shm'])
          rmSync(join(installation.directory, `countersign.db${suffix}`), { force: true });
        return config;
      }
      const raw = await installation.raw();
      await raw.run('DROP SCHEMA public CASCADE');
      await raw.run('CREATE SCHEMA public');
      return config;
    }

    test('serve creates what is missing, says where things are, and stops on request', async () => {
      const server = await startServer(config);
      expect(server).toMatchObject({ firstRun: true, compatibleUrl: `${server.url}/compat/turnkey` });
      expect(existsSync(server.credentialsFile)).toBe(true);
      expect(server.facts.join('\n')).toMatch(engine === 'sqlite' ? /SQLite 3/ : /PostgreSQL \d/);
      expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
      await server.close();
      await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
      const again = await startServer(config);
      expect(again.firstRun).toBe(false);
      await again.close();
    });

    test('truncated credentials are reported and not overwritten', async () => {
      writeFileSync(join(installation.directory, 'credentials.json'), '{"organizationId":');
      const { name, message, fix } = await operatorErrorOf(startServer(config));
      expect(name).toBe('ConfigError');
      expect(message).toContain('credentials.json');
      expect(fix).toContain('Move it:');
      expect(readFileSync(join(installation.directory, 'credentials.json'), 'utf8')).toBe('{"organizationId":');
    });
  });

  describe('a service that cannot start says why and what to do', () => {
    test('a port in use', async () => {
      const privateKeyId = await makeInstallation();
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo;
      const { name, message, fix } = await operatorErrorOf(startServer({ ...config, port }));
      expect([name, message]).toEqual(['ConfigError', `127.0.0.1 port ${port} is in use.`]);
      expect(fix).toContain('--port');
      await new Promise((resolve) => other.close(resolve));
      await expectIntact(privateKeyId);
    });

    test('an address of another machine', async () => {
      const { name, message } = await operatorErrorOf(startServer({ ...config, host: '192.0.2.1' }));
      expect(name).toBe('ConfigError');
      expect(message).toContain('192.0.2.1');
    });

    test('another root key', async () => {
      const privateKeyId = await makeInstallation();
      const kept = `${rootKeyFile()}.kept`;
      renameSync(rootKeyFile(), kept);
      writeFileSync(rootKeyFile(), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
      const { name, message, fix } = await operatorErrorOf(startServer(config));
      expect(name).toBe('VaultError');
      expect(message).toMatch(/does not open this database, which was created with [0-9a-f]{16}/);
      expect(fix).toContain('backup');
      renameSync(kept, rootKeyFile());
      await expectIntact(privateKeyId);
    });

    test('a missing root key is not created again', async () => {
      const privateKeyId = await makeInstallation();
      const kept = `${rootKeyFile()}.kept`;
      renameSync(rootKeyFile(), kept);
      expect((await operatorErrorOf(startServer(config))).name).toBe('VaultError');
      expect(existsSync(rootKeyFile())).toBe(false);
      renameSync(kept, rootKeyFile());
      await expectIntact(privateKeyId);
    });

    test('a root key that others can read, or a damaged one', async () => {
      const privateKeyId = await makeInstallation();
      chmodSync(rootKeyFile(), 0o644);
      const open = await operatorErrorOf(startServer(config));
      expect(open.message).toContain('open to other users');
      expect(open.fix).toContain('chmod 600');
      chmodSync(rootKeyFile(), 0o600);
      const content = readFileSync(rootKeyFile());
      writeFileSync(rootKeyFile(), content.subarray(0, 20));
      expect((await operatorErrorOf(startServer(config))).message).toContain('hex digits');
      writeFileSync(rootKeyFile(), content);
      await expectIntact(privateKeyId);
    });

    test('a data directory that cannot be created', async () => {
      writeFileSync(join(installation.directory, 'file'), '');
      const { name, message, fix } = await operatorErrorOf(
        startServer({ ...config, dataDir: join(installation.directory, 'file', 'data') }),
      );
      expect([name, fix.includes('--data-dir')]).toEqual(['ConfigError', true]);
      expect(message).toContain('cannot be created');
    });
  });

  describe('doctor', () => {
    test('reports a healthy installation as well, running or not, and changes nothing', async () => {
      await makeInstallation();
      expect(failed(await runDoctor(config))).toEqual([]);
      const service = await startService(installation);
      const findings = await runDoctor(config);
      await service.close();
      expect(failed(findings)).toEqual([]);
      expect(findings.map(({ check }) => check)).toEqual(
        expect.arrayContaining(['Node.js', 'database', 'durability', 'vault', 'signing', 'stored state']),
      );
      expect(findings.at(-1)?.detail).toMatch(/^1 organization\b/);
    });

    test('another root key', async () => {
      await makeInstallation();
      writeFileSync(rootKeyFile(), `${'ab'.repeat(32)}\n`);
      expect(failed(await runDoctor(config))).toEqual([
        { check: 'vault', ok: false, detail: expect.stringContaining('does not open this database'), fix: expect.any(String) },
      ]);
    });

    test('a root key that others can read, and a missing one', async () => {
      await makeInstallation();
      chmodSync(rootKeyFile(), 0o640);
      expect(failed(await runDoctor(config))).toEqual([
        {
          check: 'vault',
          ok: false,
          detail: expect.stringContaining('open to other users'),
          fix: expect.stringContaining('chmod 600'),
        },
      ]);
      rmSync(rootKeyFile());
      const [finding] = failed(await runDoctor(config));
      expect(finding?.detail).toContain(rootKeyFile());
      expect(existsSync(rootKeyFile())).toBe(false);
    });
  });
});
