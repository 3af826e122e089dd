import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { generateApiKey, generateTargetKey } from '@countersign/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, serveInFolder } from './run-cli.ts';

const STANDARD = `${'abandon '.repeat(11)}about`;
const ADDRESS = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';
const accounts = JSON.stringify([
  {
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  },
]);

let serving: Awaited<ReturnType<typeof serveInFolder>>;
let folder: (typeof serving)['folder'];
let connection: string[];
let files = 0;

beforeAll(async () => {
  serving = await serveInFolder();
  ({ folder, connection } = serving);
});

afterAll(() => serving?.close());

const newFile = () => join(folder.path, `secret-${++files}.txt`);
const cli = (argv: readonly string[], options?: Parameters<typeof runCli>[1]) => runCli([...argv, ...connection], options);

/** Result of a derived command. */
async function result(...argv: string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { stdout, stderr } = await cli([...argv, '--json']);
  if (stdout === '') throw new Error(stderr);
  return Object.values(JSON.parse(stdout).activity.result.activity.result)[0];
}

const importWallet = (name: string, phraseFile: string) =>
  cli(['import', 'wallet', '--wallet-name', name, '--accounts', accounts, '--phrase-file', phraseFile, '--json']);

describe('export', () => {
  test('exports a wallet to a private file, and importing it gives the same accounts', async () => {
    const { walletId, addresses } = await result('create-wallet', '--wallet-name', 'Out and in', '--accounts', accounts);
    const file = newFile();
    const { code, stdout, stderr } = await cli(['export', 'wallet', '--wallet-id', walletId, '--out', file]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(file);
    const phrase = await readFile(file, 'utf8');
    expect(phrase).toMatch(/^([a-z]+ ){11}[a-z]+\n$/);
    expect(stderr).not.toContain(phrase.split(' ').slice(0, 2).join(' '));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await result('delete-wallets', '--params', JSON.stringify({ walletIds: [walletId] }));
    const imported = await importWallet('In again', file);
    expect(JSON.parse(imported.stdout)).toMatchObject({ addresses });
  });

  test('prints a note for a phrase in another language', async () => {
    const { walletId } = await result('create-wallet', '--wallet-name', 'Spanish', '--accounts', '[]');
    const argv = ['export', 'wallet', '--wallet-id', walletId, '--language', 'spanish', '--print'];
    const { code, stdout, stderr } = await cli(argv);
    expect(code).toBe(0);
    expect(stdout.trim().split(' ')).toHaveLength(12);
    expect(stderr).toContain('MNEMONIC_LANGUAGE_ENGLISH');
  });

  test('exports private keys and accounts as text', async () => {
    const { privateKeys } = await result(
      ...['create-private-keys', '--private-keys'],
      JSON.stringify([
        { privateKeyName: 'Ed', curve: 'CURVE_ED25519', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_SOLANA'] },
      ]),
    );
    const id = privateKeys[0].privateKeyId;
    const hex = await cli(['export', 'private-key', '--private-key-id', id, '--print']);
    expect(hex.stdout).toMatch(/^[0-9a-f]{64}\n$/);
    const solana = await cli(['export', 'private-key', '--private-key-id', id, '--print', '--format', 'solana']);
    const keyFile = await folder.write(`solana-${++files}.txt`, solana.stdout);
    const argv = ['import', 'private-key', '--private-key-name', 'Ed again', '--curve', 'ed25519', '--address-formats', 'solana'];
    await result('delete-private-keys', '--params', JSON.stringify({ privateKeyIds: [id] }));
    const imported = await cli([...argv, '--key-file', keyFile, '--json']);
    expect(JSON.parse(imported.stdout).addresses).toEqual(privateKeys[0].addresses);
    const { addresses } = await result('create-wallet', '--wallet-name', 'Accounts', '--accounts', accounts);
    const account = await cli(['export', 'wallet-account', '--address', addresses[0], '--print']);
    expect(account.stdout).toMatch(/^[0-9a-f]{64}\n$/);
  });

  test('requires a destination and never replaces a file', async () => {
    const { walletId } = await result('create-wallet', '--wallet-name', 'Kept', '--accounts', '[]');
    const base = ['export', 'wallet', '--wallet-id', walletId];
    const existing = await folder.write('existing.txt', 'mine');
    for (const [argv, expected] of [
      [base, 2],
      [[...base, '--print', '--out', newFile()], 2],
      [[...base, '--out', existing], 1],
    ] as const) {
      const { code, stdout, stderr } = await cli([...argv]);
      expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
      expect(stderr).toMatch(/^Error: .*\nFix: .*--out/);
    }
    expect(await readFile(existing, 'utf8')).toBe('mine');
    expect((await cli(['get-wallet', '--wallet-id', walletId, '--json'])).stdout).toContain('"exported":false');
  });

  test('a denied export, and one signed by another key, leave no file', async () => {
    const { walletId } = await result('create-wallet', '--wallet-name', 'Pinned', '--accounts', '[]');
    // The server replaces its own files at any time, through temporary ones.
    const files = async () => (await readdir(folder.path)).filter((name) => !name.startsWith('log-anchor.json.'));
    const before = await files();
    const unknown = await cli(['export', 'wallet', '--wallet-id', 'none', '--out', newFile()]);
    expect(unknown).toMatchObject({ code: 5, stderr: expect.stringContaining('HTTP 404') });
    const pinned = ['--signer-key', generateTargetKey().targetPublicKey];
    const other = await cli(['export', 'wallet', '--wallet-id', walletId, '--out', newFile(), ...pinned]);
    expect(other).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('signed with an unexpected key') });
    const senseless = await cli(['export', 'wallet', '--wallet-id', walletId, '--out', newFile(), '--signer-key', '04']);
    expect(senseless).toMatchObject({ code: 1, stderr: expect.stringContaining('signer key') });
    expect(await files()).toEqual(before);
  });

  test('accepts the pinned signer key', async () => {
    const { walletId } = await result('create-wallet', '--wallet-name', 'Pinned right', '--accounts', '[]');
    const keys = await (await fetch(`${connection[3]}/.well-known/countersign-keys`)).json();
    const environment = { COUNTERSIGN_SIGNER_KEY: (keys as { signer: string }).signer.toUpperCase() };
    expect(await cli(['export', 'wallet', '--wallet-id', walletId, '--print'], { environment })).toMatchObject({ code: 0 });
  });
});

describe('import', () => {
  test('reads a phrase from standard input', async () => {
    const argv = ['import', 'wallet', '--wallet-name', 'Standard', '--accounts', accounts, '--phrase-file', '-'];
    const { code, stdout, stderr } = await cli(argv, { stdin: `${STANDARD}\n` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(ADDRESS);
    expect(stdout).not.toContain('abandon');
  });

  test('a phrase with a passphrase is a different wallet', async () => {
    const file = await folder.write('with-passphrase.txt', `${STANDARD}\nTREZOR\n`);
    const { addresses } = JSON.parse((await importWallet('With passphrase', file)).stdout);
    expect(addresses[0]).toMatch(/^0x/);
    expect(addresses[0]).not.toBe(ADDRESS);
  });

  test('rejects invalid phrases and keys without repeating them', async () => {
    const file = await folder.write('wrong.txt', `${'abandon '.repeat(11)}abandon`);
    const wallet = await importWallet('Wrong', file);
    expect(wallet).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('BUNDLE_INVALID') });
    const key = ['import', 'private-key', '--private-key-name', 'Wrong', '--curve', 'secp256k1', '--key-file', file];
    expect(await cli(key)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('does not contain a private key'),
    });
    for (const { stderr } of [wallet, await cli(key)]) expect(stderr).not.toContain('abandon');
  });

  test('D61: treats a secret on the command line as a file name and never repeats it, even with --debug', async () => {
    const argv = ['import', 'wallet', '--wallet-name', 'Pasted', '--phrase-file', STANDARD, '--debug'];
    const { code, stderr } = await cli(argv);
    expect(code).toBe(2);
    expect(stderr).toContain('--phrase-file is not a readable file');
    expect(stderr).not.toContain('abandon');
  });

  test('reports a missing parameter before reading the secret', async () => {
    const { code, stderr } = await cli(['import', 'wallet', '--phrase-file', '/no/such/file']);
    expect(code).toBe(2);
    expect(stderr).toContain('--wallet-name is required');
  });
});

test('a pending export waits for approvals and is decrypted by the same process', async () => {
  const second = generateApiKey();
  const users = JSON.stringify([
    {
      userName: 'Second root',
      apiKeys: [{ apiKeyName: 'k', publicKey: second.apiPublicKey, curveType: second.curveType }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    },
  ]);
  const { userIds } = await result('create-users', '--users', users);
  const { userId } = JSON.parse((await cli(['whoami', '--json'])).stdout).activity.result;
  const { walletId } = await result('create-wallet', '--wallet-name', 'By two', '--accounts', '[]');
  await result('update-root-quorum', '--threshold', '2', '--user-ids', userId, '--user-ids', userIds[0]);
  const file = newFile();
  const argv = ['export', 'wallet', '--wallet-id', walletId, '--out', file];

  const given = await cli(argv);
  expect(given).toMatchObject({ code: 1, stderr: expect.stringContaining('consensus needed') });

  let release = () => {};
  const stopped = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting = cli(argv, { untilStopped: () => stopped });
  const environment = { COUNTERSIGN_API_PUBLIC_KEY: second.apiPublicKey, COUNTERSIGN_API_PRIVATE_KEY: second.apiPrivateKey };
  const listed = ['list-activities', '--filter-by-status', 'consensus-needed', '--limit', '100', '--json'];
  let approved = 0;
  for (let tries = 0; approved < 2 && tries < 100; tries++) {
    const { activities } = JSON.parse((await cli(listed)).stdout).activity.result;
    for (const { fingerprint } of activities) {
      const answer = await cli(['approve-activity', '--fingerprint', fingerprint], { environment });
      if (answer.code === 0) approved++;
    }
  }
  const { code, stderr } = await waiting;
  release();
  expect({ code, approved }).toEqual({ code: 0, approved: 2 });
  expect(stderr).toContain('npx countersign approve ');
  expect(await readFile(file, 'utf8')).toMatch(/^([a-z]+ ){11}[a-z]+\n$/);
});
