import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Setting, settings } from '@countersign/server';
import { describe, expect, test } from 'vitest';
import { kebabCase } from '../src/naming.ts';
import { organizationId, type RunOptions, runCli, temporaryFolder } from './run-cli.ts';

const quiet = ['--log-level', 'silent'];
const allSettings = Object.entries<Setting>(settings);

/** Starts `serve` in this process. `stop` acts like a signal. */
async function startServe(argv: readonly string[], options: RunOptions = {}) {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let ended: ReturnType<typeof runCli> | undefined;
  const ready = new Promise<string>((resolve, reject) => {
    ended = runCli(['serve', '--port', '0', ...quiet, ...argv], { ...options, untilStopped: () => stopped, onOutput: resolve });
    ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  const text = await ready;
  return {
    text,
    async stop() {
      stop();
      return ended;
    },
  };
}

describe('init', () => {
  test('--json prints the five values of the credentials file', async () => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, 'data');
    const { code, stdout, stderr } = await runCli([
      'init',
      '--data-dir',
      dataDir,
      '--organization-name',
      'N',
      '--user-name',
      'U',
      '--json',
      ...quiet,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const printed = JSON.parse(stdout);
    expect(Object.keys(printed)).toEqual(['organizationId', 'userId', 'apiPublicKey', 'apiPrivateKey', 'baseUrl']);
    const file = join(dataDir, 'credentials.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(printed);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('D61: without --json, prints the location of the private key but not the key', async () => {
    await using folder = await temporaryFolder();
    const { code, stdout } = await runCli(['init', '--data-dir', folder.path, ...quiet]);
    const file = join(folder.path, 'credentials.json');
    const { apiPrivateKey, apiPublicKey, organizationId } = JSON.parse(await readFile(file, 'utf8'));
    expect(code).toBe(0);
    for (const shown of [apiPublicKey, organizationId, file, `npx countersign serve --data-dir ${folder.path}`]) {
      expect(stdout).toContain(shown);
    }
    expect(stdout).not.toContain(apiPrivateKey);
  });

  test('rejects a second run with a fix and no stack', async () => {
    await using folder = await temporaryFolder();
    await runCli(['init', '--data-dir', folder.path, ...quiet]);
    const { code, stdout, stderr } = await runCli(['init', '--data-dir', folder.path, ...quiet]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: .*\nFix: .*\n$/);
  });
});

describe('serve', () => {
  test('the first run prints all locations and a working next command', async () => {
    await using folder = await temporaryFolder();
    const serving = await startServe(['--data-dir', folder.path]);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(serving.text)?.[0] ?? '';
    for (const shown of [`${url}/compat/turnkey`, folder.path, join(folder.path, 'credentials.json')]) {
      expect(serving.text).toContain(shown);
    }
    const next = /Try next: npx countersign (.*)\n/.exec(serving.text)?.[1] ?? '';
    const answer = await runCli(next.split(' '));
    expect(answer).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Root user') });
    expect(await serving.stop()).toMatchObject({ code: 0, stderr: expect.stringContaining('Stopping') });

    const again = await startServe(['--data-dir', folder.path]);
    expect(again.text).not.toContain('Try next');
    await again.stop();
  });

  test('D192: the first startup prints the link to a terminal, else writes it to a private file', async () => {
    await using folder = await temporaryFolder();
    const terminal = await startServe(['--data-dir', join(folder.path, 'a')], { terminal: true });
    const { organizationId, userId } = JSON.parse(await readFile(join(folder.path, 'a', 'credentials.json'), 'utf8'));
    const link = new RegExp(
      `http://localhost:\\d+/console/#/setup\\?organization=${organizationId}&user=${userId}&token=([0-9a-f]{64})`,
    );
    expect(terminal.text).toMatch(link);
    await terminal.stop();
    const again = await startServe(['--data-dir', join(folder.path, 'a')], { terminal: true });
    expect(again.text).not.toContain('token=');
    expect(again.text).toContain("'countersign setup-link' makes a link to the console");
    await again.stop();

    for (const flags of [[], ['--json']]) {
      const dataDir = join(folder.path, `b${flags.length}`);
      const piped = await startServe(['--data-dir', dataDir, ...flags]);
      const file = join(dataDir, 'setup-link.txt');
      expect(piped.text).toContain(file);
      expect(piped.text).not.toContain('token=');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await readFile(file, 'utf8')).toMatch(/\/console\/#\/setup\?organization=.*&token=[0-9a-f]{64}\n$/);
      await piped.stop();
    }

    const off = await startServe(['--data-dir', join(folder.path, 'c'), '--console', 'off'], { terminal: true });
    expect(off.text).not.toContain('/console/');
    await off.stop();
  });

  test('setup-link creates another link, for the root user or another user', async () => {
    await using folder = await temporaryFolder();
    const serving = await startServe(['--data-dir', folder.path, '--json']);
    const { url } = JSON.parse(serving.text);
    const words = ['setup-link', '--data-dir', folder.path, '--url', url];
    const made = await runCli([...words, '--console-url', 'https://keys.example.com/at/console']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(
      /^https:\/\/keys\.example\.com\/at\/console\/#\/setup\?organization=[^&]+&user=[^&]+&token=[0-9a-f]{64}\n/,
    );
    const json = await runCli([...words, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      link: expect.stringMatching(/^http:\/\/localhost:\d+\/console\/#\/setup\?/),
      status: 'ACTIVITY_STATUS_COMPLETED',
    });
    const nobody = await runCli([...words, '--user', 'nobody']);
    expect(nobody).toMatchObject({ code: 5, stdout: '' });
    await serving.stop();
  });

  test('--json prints one line with the url when ready, and a derived command works against it', async () => {
    await using folder = await temporaryFolder();
    const serving = await startServe(['--data-dir', folder.path, '--json']);
    expect(serving.text.trimEnd()).not.toContain('\n');
    const { url } = JSON.parse(serving.text);
    const connection = ['--data-dir', folder.path, '--url', url];
    const accounts =
      '[{"curve":"CURVE_SECP256K1","pathFormat":"PATH_FORMAT_BIP32","path":"m/44\'/60\'/0\'/0/0","addressFormat":"ADDRESS_FORMAT_ETHEREUM"}]';
    const made = await runCli(['create-wallet', '--wallet-name', 'Treasury', '--accounts', accounts, '--json', ...connection]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const [address] = JSON.parse(made.stdout).activity.result.activity.result.createWalletResult.addresses;
    const signed = await runCli([
      ...['sign-raw-payload', '--sign-with', address, '--payload', 'ff', '--encoding', 'hexadecimal'],
      ...['--hash-function', 'keccak256', ...connection],
    ]);
    expect(signed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^activity .*\nstatus +completed\nr +[0-9a-f]{64}\ns +[0-9a-f]{64}\nv +0[01]\n$/),
    });
    const listed = await runCli(['list-wallets', ...connection]);
    expect(listed.stdout).toContain('Treasury');
    const refused = await runCli(['get-wallet', '--wallet-id', organizationId, ...connection]);
    expect(refused).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('HTTP 404') });
    expect(await serving.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  test('D306: trigger signs nothing on a service that is not the example, whatever the name of the wallet', async () => {
    await using folder = await temporaryFolder();
    const serving = await startServe(['--data-dir', folder.path, '--json']);
    const connection = ['--data-dir', folder.path, '--url', JSON.parse(serving.text).url];
    const account = {
      curve: 'CURVE_SECP256K1',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/60'/0'/0/0",
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    };
    await runCli(['create-wallet', '--wallet-name', 'Treasury', '--accounts', JSON.stringify([account]), ...connection]);
    for (const event of ['waiting', 'completed', 'payment', 'failed'])
      expect(await runCli(['trigger', event, ...connection])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('not the treasury of "countersign dev"'),
      });
    const { activities } = JSON.parse((await runCli(['list-activities', '--json', ...connection])).stdout).activity?.result ?? {};
    expect((activities as { type: string }[]).map(({ type }) => type)).not.toContain('ACTIVITY_TYPE_SIGN_TRANSACTION_V2');
    await serving.stop();
  });

  test('A44: warns at startup if the service is exposed, in readable and JSON output', async () => {
    await using folder = await temporaryFolder();
    const open = ['--data-dir', folder.path, '--allowed-origins', '*'];
    const serving = await startServe(open);
    expect(serving.text).toMatch(/\nWarning: .*every website may call the service.*\nFix: +List the origins/);
    await serving.stop();
    const json = await startServe([...open, '--json']);
    expect(JSON.parse(json.text).warnings).toEqual([
      { check: 'browser origins', detail: expect.any(String), fix: expect.stringContaining('--allowed-origins') },
      { check: 'root key', detail: expect.any(String), fix: expect.stringContaining('--root-key-file') },
    ]);
    await json.stop();
    const closed = await startServe(['--data-dir', folder.path]);
    expect(closed.text.match(/Warning/g)).toHaveLength(1);
    expect(closed.text).toMatch(/\nWarning: the root key .* is on the same file system as the database/);
    await closed.stop();

    const doctor = await runCli(['doctor', '--host', '0.0.0.0', ...open.slice(0, 2), ...quiet]);
    expect(doctor.stdout).toMatch(/\n! network +the service listens on 0\.0\.0\.0 .*\n +Fix: Set --tls-cert and --tls-key/);
    expect(doctor.code).toBe(0);
  });

  test('reports an invalid setting with a fix', async () => {
    const { code, stderr } = await runCli(['serve', '--port', 'eighty']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Error: --port must be a whole number \(given: "eighty"\)\nFix: .*\n$/);
  });
});

describe('doctor and vault rotate', () => {
  test('doctor passes before and after a rotation of the root key', async () => {
    await using folder = await temporaryFolder();
    const settingFlags = ['--data-dir', folder.path, ...quiet];
    const missing = await runCli(['doctor', '--data-dir', join(folder.path, 'nothing')]);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toContain('✗');
    expect(missing.stdout).toContain('Fix:');

    await runCli(['init', ...settingFlags]);
    const checks = JSON.parse((await runCli(['doctor', '--json', ...settingFlags])).stdout) as { check: string; ok: boolean }[];
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect((await runCli(['doctor', ...settingFlags])).stdout).toMatch(/^✓ Node\.js/);

    const rotated = await runCli(['vault', 'rotate', '--json', ...settingFlags]);
    expect(rotated.code).toBe(0);
    expect(JSON.parse(rotated.stdout)).toMatchObject({ rewrapped: expect.any(Number), rootKeyId: expect.any(String) });
    expect((await runCli(['doctor', ...settingFlags])).code).toBe(0);
  });

  test('a passphrase from the environment replaces the key file', async () => {
    await using folder = await temporaryFolder();
    const settingFlags = ['--data-dir', folder.path, ...quiet];
    await runCli(['init', ...settingFlags]);
    const file = await folder.write('passphrase', 'correct horse battery staple\n');
    const rotated = await runCli(['vault', 'rotate', ...settingFlags], {
      environment: { COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE: file },
      terminal: true,
    });
    expect(rotated.code).toBe(0);
    expect(rotated.stderr).toContain('data keys wrapped');
    expect(rotated.stdout).toContain('COUNTERSIGN_ROOT_PASSPHRASE');
    const environment = { COUNTERSIGN_ROOT_PASSPHRASE: 'correct horse battery staple' };
    expect((await runCli(['doctor', ...settingFlags], { environment })).code).toBe(0);
    expect((await runCli(['doctor', ...settingFlags])).code).toBe(1);
  });

  test('A42: rejects a new passphrase file that other users can read, and keeps the root key', async () => {
    await using folder = await temporaryFolder();
    const settingFlags = ['--data-dir', folder.path, ...quiet];
    await runCli(['init', ...settingFlags]);
    const before = await readFile(join(folder.path, 'root.key'), 'utf8');
    const file = await folder.write('passphrase', 'correct horse battery staple\n');
    await chmod(file, 0o640);
    const environment = { COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE: file };
    const { code, stderr } = await runCli(['vault', 'rotate', ...settingFlags], { environment });
    expect(code).toBe(1);
    expect(stderr).toContain('COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE names a file that is open to other users (mode 0640)');
    expect(await readFile(join(folder.path, 'root.key'), 'utf8')).toBe(before);
  });

  test('reports a missing passphrase file', async () => {
    const { code, stderr } = await runCli(['vault', 'rotate'], {
      environment: { COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE: '/no/such' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('COUNTERSIGN_NEW_ROOT_PASSPHRASE_FILE names a file that cannot be read: /no/such');
  });
});

describe('clock accept', () => {
  test('sets the time of an installation, and does not create one', async () => {
    await using folder = await temporaryFolder();
    const settingFlags = ['--data-dir', folder.path, ...quiet];
    const missing = await runCli(['clock', 'accept', ...settingFlags]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('The database does not exist');

    await runCli(['init', ...settingFlags]);
    const shown = await runCli(['clock', 'accept', ...settingFlags]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^The installation's time is \S+Z\. It was \S+Z\.\n$/);
    const { stdout } = await runCli(['clock', 'accept', '--json', ...settingFlags]);
    expect(JSON.parse(stdout)).toEqual({ fromMs: expect.any(Number), toMs: expect.any(Number) });
    expect((await runCli(['doctor', ...settingFlags])).stdout).toMatch(/✓ clock +time was last recorded at/);
  });
});

describe('recover', () => {
  test('reports a sound database and missing entries', async () => {
    await using folder = await temporaryFolder();
    const settingFlags = ['--data-dir', folder.path, ...quiet];
    expect((await runCli(['recover', ...settingFlags])).stderr).toContain('The database does not exist');
    await runCli(['init', ...settingFlags]);
    const sound = await runCli(['recover', ...settingFlags]);
    expect(sound).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing is missing: .+\nThe database has {2}0 entries\n$/),
    });

    await writeFile(join(folder.path, 'log-anchor.json'), '{}');
    const shown = await runCli(['recover', ...settingFlags]);
    expect(shown.stdout).toMatch(/^The server's high-water mark was not signed by this installation\.\n/);
    expect(shown.stdout).toContain('pass --accept-loss');
    const accepted = await runCli(['recover', '--accept-loss', '--json', ...settingFlags]);
    expect(JSON.parse(accepted.stdout)).toMatchObject({ verdict: 'UNREADABLE', setAside: expect.stringContaining('.lost-') });
    expect((await runCli(['recover', ...settingFlags])).stdout).toMatch(/^Nothing is missing/);
  });
});

describe('settings', () => {
  test('every non-secret setting is a flag of serve with its variable; secrets are listed with their file variable', async () => {
    const { stdout } = await runCli(['serve', '--help']);
    const words = stdout.replace(/\s+/g, ' ');
    for (const [name, { secret = false }] of allSettings) {
      const variable = `COUNTERSIGN_${kebabCase(name).replaceAll('-', '_').toUpperCase()}`;
      expect(words).toContain(variable);
      if (secret) expect(words).toContain(`${variable}_FILE`);
      if (!secret || name === 'databaseUrl') expect(words).toContain(` --${kebabCase(name)} `);
      else expect(words).not.toContain(` --${kebabCase(name)} `);
    }
  });

  test('D61: rejects a secret on the command line without repeating it', async () => {
    const { code, stderr } = await runCli(['serve', '--root-passphrase', 'correct horse battery staple']);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--root-passphrase'");
    expect(stderr).not.toContain('horse');
  });

  test('init accepts the flags of serve, and shows only the relevant ones', async () => {
    const { stdout } = await runCli(['init', '--help']);
    expect(stdout).toContain('--data-dir');
    expect(stdout).toContain('--database-url');
    expect(stdout).not.toContain('--max-payloads');
    await using folder = await temporaryFolder();
    expect((await runCli(['init', '--data-dir', folder.path, '--max-payloads', '5', ...quiet])).code).toBe(0);
  });
});
