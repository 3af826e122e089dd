import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, serveInFolder } from './run-cli.ts';

describe('ids, names and id prefixes', () => {
  let service: Awaited<ReturnType<typeof serveInFolder>>;
  const cli = (argv: readonly string[], options = {}) => runCli([...argv, ...service.connection], options);
  const create = async (name: string) =>
    (await cli(['wallet', 'create', name, '--account', 'ethereum', '--query', 'walletId'])).stdout.trim();
  let treasury: string;

  beforeAll(async () => {
    service = await serveInFolder();
    treasury = await create('Treasury');
    await create('Payroll');
  });
  afterAll(() => service?.close());

  test('each of them finds a wallet', async () => {
    for (const meant of [treasury, 'Treasury', treasury.slice(0, -2), treasury.slice(0, -2).toUpperCase()]) {
      const { stdout, code } = await cli(['wallet', 'show', meant, '--query', 'wallet.walletId']);
      expect([meant, stdout, code]).toEqual([meant, `${treasury}\n`, 0]);
    }
  });

  test('shows the found object on a terminal', async () => {
    const { stderr } = await cli(['wallet', 'show', 'Treasury'], { terminal: true });
    expect(stderr).toContain(`--wallet-id Treasury is ${treasury}`);
  });

  test('finds nothing by a short prefix or another name', async () => {
    for (const meant of ['Tre', 'treasury', treasury.slice(0, 3), '']) {
      const { code, stderr } = await cli(['wallet', 'show', '--wallet-id', meant]);
      expect([meant, code]).toEqual([meant, meant === '' ? 2 : 5]);
      if (meant !== '') expect(stderr).toContain(`No wallet has the name or id prefix "${meant}"`);
    }
  });

  test('lists of ids accept names too', async () => {
    const { userId } = JSON.parse((await cli(['whoami', '--output', 'json'])).stdout);
    const made = await cli(['user-tag', 'create', 'Signers', '--user-ids', 'Root user']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await cli(['list-users', '--query', 'users[].userTags[]']);
    expect(stdout.trim()).toMatch(/^[0-9a-f-]{36}$/);
    expect((await cli(['user', 'show', userId.slice(0, 30), '--query', 'user.userName'])).stdout).toBe('Root user\n');
  });

  test('a private key signs by its name, but not by a name that could be an address', async () => {
    const named = async (privateKeyName: string) => {
      const params = [
        { privateKeyName, curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] },
      ];
      const made = await cli([
        'create-private-keys',
        '--private-keys',
        JSON.stringify(params),
        '--query',
        'privateKeys[0].addresses[0].address',
      ]);
      return made.stdout.trim();
    };
    const address = await named('Release key');
    await named(address);
    const sign = (signWith: string) =>
      cli([
        'sign-raw-payload',
        signWith,
        '--payload',
        '00',
        '--encoding',
        'hexadecimal',
        '--hash-function',
        'sha256',
        '--output',
        'json',
      ]);
    const [byName, byAddress] = [JSON.parse((await sign('Release key')).stdout), JSON.parse((await sign(address)).stdout)];
    // RFC 6979: the same key gives the same signature.
    expect({ r: byName.r, s: byName.s }).toEqual({ r: byAddress.r, s: byAddress.s });
  });

  test('D186: rejects an ambiguous name, and never treats a full id as a name', async () => {
    // One wallet is named like the id prefix of another, and one like its full id.
    const beginning = treasury.slice(0, -2);
    await create(beginning);
    const unclear = await cli(['wallet', 'show', beginning]);
    expect(unclear.code).toBe(2);
    expect(unclear.stderr).toContain('is ambiguous');
    await create(treasury);
    expect((await cli(['wallet', 'show', treasury, '--query', 'wallet.walletName'])).stdout).toBe('Treasury\n');
  });
});
