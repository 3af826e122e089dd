import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, serveInFolder } from './run-cli.ts';

describe('freeze and unfreeze', () => {
  let service: Awaited<ReturnType<typeof serveInFolder>>;
  const cli = (argv: readonly string[], options = {}) => runCli([...argv, ...service.connection], options);
  const reason = ['--reason', 'Payment to an unknown address'];
  const listed = async () =>
    JSON.parse((await cli(['list-freezes', '--output', 'json'])).stdout).freezes.map(
      ({ target, targetId }: { target: string; targetId: string }) => `${target} ${targetId}`,
    );
  let treasury: string;
  let key: string;

  beforeAll(async () => {
    service = await serveInFolder();
    const wallet = ['wallet', 'create', 'Treasury', '--account', 'ethereum', '--query', 'walletId'];
    treasury = (await cli(wallet)).stdout.trim();
    const params = { privateKeyName: 'Cold', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] };
    const keys = ['create-private-keys', '--private-keys', JSON.stringify([params]), '--query', 'privateKeys[0].privateKeyId'];
    key = (await cli(keys)).stdout.trim();
    await cli(['user-tag', 'create', 'Signers']);
  });
  afterAll(() => service?.close());

  test('one command freezes objects of any kind by name, id or id prefix, and one unfreezes them', async () => {
    const frozen = await cli(['freeze', 'Treasury', key.slice(0, -3), ...reason], { terminal: true });
    expect(frozen).toMatchObject({ code: 0 });
    expect(frozen.stderr).toContain(`wallet Treasury is ${treasury}`);
    expect((await listed()).sort()).toEqual([`PRIVATE_KEY ${key}`, `WALLET ${treasury}`].sort());
    const { stdout, code } = await cli(['unfreeze', 'Treasury', key, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
    expect(await listed()).toEqual([]);
  });

  test('the id of the organization stands for all of it, and flags name one kind', async () => {
    const organizationId = JSON.parse((await cli(['whoami', '--output', 'json'])).stdout).organizationId;
    expect((await cli(['freeze', organizationId, '--wallet-ids', 'Treasury', ...reason])).code).toBe(0);
    expect((await listed()).sort()).toEqual([`ORGANIZATION ${organizationId}`, `WALLET ${treasury}`].sort());
    expect((await cli(['unfreeze', organizationId, treasury])).code).toBe(0);
    expect(await listed()).toEqual([]);
  });

  test('D385: a name that a user and a wallet share is rejected, and a full id is never a name', async () => {
    const shared = (await cli(['wallet', 'create', 'Root user', '--account', 'ethereum', '--query', 'walletId'])).stdout.trim();
    const { code, stderr } = await cli(['freeze', 'Root user', ...reason]);
    expect(code).toBe(2);
    expect(stderr).toContain('"Root user" is ambiguous: user Root user');
    expect(stderr).toContain('--wallet-ids');
    const disguised = ['wallet', 'create', treasury, '--account', 'ethereum', '--query', 'walletId'];
    expect((await cli(disguised)).code).toBe(0);
    expect((await cli(['freeze', treasury, ...reason])).code).toBe(0);
    expect(await listed()).toEqual([`WALLET ${treasury}`]);
    // Neighbour: the name of what is frozen is not ambiguous among frozen things.
    expect((await cli(['freeze', '--wallet-ids', 'Root user', ...reason])).code).toBe(0);
    expect((await cli(['unfreeze', 'Root user', treasury])).code).toBe(0);
    expect(await listed()).toEqual([]);
    expect(shared).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('says what is missing', async () => {
    expect(await cli(['freeze', 'Treasury'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason is required') });
    const unknown = await cli(['freeze', 'Nothing', ...reason]);
    expect(unknown).toMatchObject({ code: 5, stderr: expect.stringContaining('No user, wallet or private key has the name') });
    const notFrozen = await cli(['unfreeze', 'Treasury']);
    expect(notFrozen).toMatchObject({ code: 5, stderr: expect.stringContaining('Nothing that is frozen has the name') });
  });
});
