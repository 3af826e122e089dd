import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { startServer } from '../../../packages/server/src/start-server.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { apiKeyParams, createMember, subOrganizationParams } from '../../support/world.ts';

describe.each(Object.keys(engines) as Engine[])('advice to the operator on %s', (engine) => {
  let installation: Installation;

  beforeEach(async () => {
    installation = await engines[engine]();
  });
  afterEach(() => installation?.remove());

  /** Gives the first organization a second root user, and this threshold. */
  async function shareRoot(threshold: number): Promise<string> {
    const service = await startService(installation);
    const { userId } = await createMember(service.root);
    await service.root.result('updateRootQuorum', { threshold, userIds: [service.first.userId, userId] });
    await service.close();
    return service.first.organizationId;
  }

  async function warningsAtStart(): Promise<readonly unknown[]> {
    const server = await startServer(installation.config);
    await server.close();
    return server.warnings.filter(isOther);
  }

  /** The embedded database of a test has its root key beside it, its root user has one credential, and its service has no edge processes. */
  const isOther = ({ check }: { readonly check: string }) => !['root key', 'root access', 'isolation'].includes(check);
  const warningsOfDoctor = async () =>
    (await runDoctor(installation.config)).filter((finding) => finding.warning && isOther(finding));

  test('D546: startup and doctor warn of a root key on the file system of the embedded database', async () => {
    const server = await startServer(installation.config);
    await server.close();
    const found = [...server.warnings, ...(await runDoctor(installation.config))].filter(({ check }) => check === 'root key');
    const expected = { check: 'root key', detail: expect.stringContaining('same file system'), fix: expect.any(String) };
    expect(found).toMatchObject(engine === 'sqlite' ? [expected, expected] : []);
  });

  test('D581: startup and doctor urge spare root access until there is a second credential and a second root user', async () => {
    const urged = async () => {
      const server = await startServer(installation.config);
      await server.close();
      const [fact = ''] = server.facts.filter((text) => text.includes('there is no back door'));
      const [finding] = (await runDoctor(installation.config)).filter(({ check }) => check === 'root access');
      expect(fact.startsWith(finding?.detail ?? '')).toBe(true);
      return finding?.detail;
    };
    expect(await urged()).toMatch(
      /has only as many root users \(1\) as its root quorum needs, and a root user with only one credential/,
    );
    await shareRoot(1);
    expect(await urged()).toMatch(/has 2 root users with only one credential/);
    const service = await startService(installation);
    await service.root.result('createApiKeys', { userId: service.first.userId, apiKeys: [apiKeyParams(newApiKey())] });
    await service.close();
    expect(await urged()).toBeUndefined();
  });

  test('A44: startup and doctor warn of several root users with threshold 1', async () => {
    const organizationId = await shareRoot(1);
    const expected = {
      check: 'root quorum',
      detail: expect.stringMatching(
        new RegExp(`^organization ${organizationId} has several root users and a root quorum threshold of 1`),
      ),
      fix: expect.stringContaining('update-root-quorum'),
    };
    expect(await warningsAtStart()).toEqual([expected]);
    expect(await warningsOfDoctor()).toEqual([{ ...expected, ok: true, warning: true }]);
  });

  test('D317: startup and doctor warn of invitation mails without a link', async () => {
    const smtpUrl = 'smtp://127.0.0.1:9';
    const expected = { check: 'mail', fix: expect.stringContaining('--public-url') };
    const withMail = { ...installation.config, smtpUrl, mailFrom: 'keys@example.com' };
    const warningsOf = async (config: typeof withMail) => {
      const server = await startServer(config);
      await server.close();
      return [...server.warnings, ...(await runDoctor(config)).filter(({ warning }) => warning)].filter(isOther);
    };
    expect(await warningsOf(withMail)).toMatchObject([expected, expected]);
    expect(await warningsOf({ ...withMail, publicUrl: 'https://keys.example.com' })).toEqual([]);
  });

  test('no warning for a new installation or a threshold of 2', async () => {
    expect(await warningsAtStart()).toEqual([]);
    await shareRoot(2);
    expect(await warningsAtStart()).toEqual([]);
    expect(await warningsOfDoctor()).toEqual([]);
  });

  test('doctor checks every organization, startup checks the first one', async () => {
    const service = await startService(installation);
    const two = [newApiKey(), newApiKey()].flatMap((key) => subOrganizationParams(key).rootUsers);
    await service.root.result('createSubOrganization', subOrganizationParams(newApiKey(), { rootUsers: two }));
    await service.close();
    expect(await warningsAtStart()).toEqual([]);
    expect(await warningsOfDoctor()).toMatchObject([{ check: 'root quorum' }]);
  });

  test('A44: an open network causes a warning, and the service starts', async () => {
    const server = await startServer({ ...installation.config, host: '0.0.0.0', allowedOrigins: ['*'] });
    const { port } = new URL(server.url);
    const { status } = await fetch(`http://127.0.0.1:${port}/healthz`);
    await server.close();
    expect(status).toBe(200);
    expect(server.warnings.filter(isOther).map(({ check }) => check)).toEqual(['network', 'browser origins']);
  });

  test('other organizations are served if the first one fails verification', async () => {
    const organizationId = await shareRoot(1);
    const raw = await installation.raw();
    const changed = await raw.run("UPDATE records SET body = replace(body, '.', ':') WHERE kind = 'organization'");
    expect(changed).toBe(1);
    expect(await warningsAtStart()).toEqual([]);
    const broken = (await runDoctor(installation.config)).filter(({ ok }) => !ok);
    expect(broken[0]?.check).toBe(`state of ${organizationId}`);
  });
});
