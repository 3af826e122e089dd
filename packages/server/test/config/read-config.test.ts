import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { environmentName, flagName } from '../../src/config/setting-names.ts';
import { type Setting, type SettingName, settings } from '../../src/config/settings.ts';

const all = Object.entries(settings) as [SettingName, Setting][];

function configErrorOf(flags: Parameters<typeof readConfig>[0], environment: Parameters<typeof readConfig>[1] = {}): ConfigError {
  try {
    readConfig(flags, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

function temporaryFile(content: string, mode = 0o600): string {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-config-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'file');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

describe('settings', () => {
  test.each(all)('%s has a valid default, or none', (_name, { schema, default: text }) => {
    if (text !== undefined) expect(schema.safeParse(text).success).toBe(true);
  });

  test('flags and variables have predictable names', () => {
    expect([flagName('dataDir'), environmentName('dataDir')]).toEqual(['data-dir', 'COUNTERSIGN_DATA_DIR']);
    expect(new Set(all.map(([name]) => environmentName(name))).size).toBe(all.length);
  });

  test('flags override the environment, which overrides files and defaults', () => {
    const file = temporaryFile('from-file\n');
    const environment = { COUNTERSIGN_HOST: 'from-environment', COUNTERSIGN_HOST_FILE: file };
    expect(readConfig({ host: 'from-flag' }, environment).host).toBe('from-flag');
    expect(readConfig({}, environment).host).toBe('from-environment');
    expect(readConfig({}, { COUNTERSIGN_HOST_FILE: file }).host).toBe('from-file');
    expect(readConfig({}, {}).host).toBe('127.0.0.1');
  });

  test('only named proxies are trusted, and none by default', () => {
    expect(readConfig({}, {}).trustedProxies).toEqual([]);
    expect(readConfig({}, { COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1/32, 2001:db8::/32' }).trustedProxies).toEqual([
      '127.0.0.1/32',
      '2001:db8::/32',
    ]);
  });

  test('a secret from a file loses one line end, and nothing else', () => {
    const rootPassphrase = (content: string) =>
      readConfig({}, { COUNTERSIGN_ROOT_PASSPHRASE_FILE: temporaryFile(content) }).rootPassphrase;
    expect(rootPassphrase(' spaces are part of it \r\n')).toBe(' spaces are part of it ');
    expect(rootPassphrase('two line ends\n\n')).toBe('two line ends\n');
  });

  test.each([
    ['port', '65536', 'at most 65535'],
    ['port', '-1', 'whole number'],
    ['port', '8e3', 'whole number'],
    ['port', '', 'whole number'],
    ['workers', '0', 'at least 1'],
    ['allowUnsafeDatabase', 'yes', 'true or false'],
    ['trustedProxies', '127.0.0.1/32, 10.0.0.1/8', 'write 10.0.0.0/8'],
    ['trustedProxies', '127.0.0.1', 'write 127.0.0.1/32'],
    ['trustedProxies', 'proxy.example.com', 'must be a block of addresses'],
    ['trustedProxies', '0.0.0.0/0', 'every address'],
    ['maxBodyBytes', '10', 'at least 1024'],
  ] as const)('%s=%s is refused, with its name and the expected value', (name, value, problem) => {
    const fault = configErrorOf({ [name]: value });
    expect(fault.message).toContain(`--${flagName(name)}`);
    expect(fault.message).toContain(problem);
    expect(fault.message).toContain(JSON.stringify(value));
    expect(fault.fix).toContain(settings[name].describe);
    expect(configErrorOf({}, { [environmentName(name)]: value }).message).toContain(environmentName(name));
  });

  test('the value of a secret is never repeated', () => {
    const fault = configErrorOf({}, { COUNTERSIGN_ROOT_PASSPHRASE: 'short' });
    expect(fault.message + fault.fix).not.toContain('short');
    expect(fault.message).toContain('COUNTERSIGN_ROOT_PASSPHRASE');
  });

  test('a file that cannot be read is named', () => {
    const fault = configErrorOf({}, { COUNTERSIGN_DATABASE_URL_FILE: '/nowhere/at/all' });
    expect(fault.message).toContain('COUNTERSIGN_DATABASE_URL_FILE');
    expect(fault.message).toContain('/nowhere/at/all');
  });

  test.each(all.filter(([, { secret }]) => secret).map(([name]) => `${environmentName(name)}_FILE`))(
    'A42: %s that other users may open is refused, and its content not repeated',
    (variable) => {
      for (const mode of [0o640, 0o604, 0o620, 0o644]) {
        const path = temporaryFile('postgres://correct.horse/battery', mode);
        const { message, fix } = configErrorOf({}, { [variable]: path });
        expect(message).toBe(`${variable} names a file that is open to other users (mode 0${mode.toString(8)}): ${path}`);
        expect(fix).toBe(`chmod 600 ${path}, and change the secret if anyone else may have read it`);
      }
    },
  );

  test('a secret is read from a file of its owner alone, and from a pipe; a setting that is no secret from any file', () => {
    const passphrase = 'correct horse battery staple';
    expect(readConfig({}, { COUNTERSIGN_ROOT_PASSPHRASE_FILE: temporaryFile(passphrase, 0o400) }).rootPassphrase).toBe(
      passphrase,
    );
    expect(readConfig({}, { COUNTERSIGN_HOST_FILE: temporaryFile('::1\n', 0o644) }).host).toBe('::1');
    const pipe = `${temporaryFile('')}.pipe`;
    execFileSync('mkfifo', ['-m', '600', pipe]);
    const writer = spawn('/bin/sh', ['-c', 'printf %s "$1" > "$2"', 'sh', passphrase, pipe]);
    onTestFinished(() => void writer.kill());
    expect(readConfig({}, { COUNTERSIGN_ROOT_PASSPHRASE_FILE: pipe }).rootPassphrase).toBe(passphrase);
  });

  test('a directory in the place of a secret is named', () => {
    expect(configErrorOf({}, { COUNTERSIGN_ROOT_PASSPHRASE_FILE: '/' }).message).toContain(
      'COUNTERSIGN_ROOT_PASSPHRASE_FILE names a file',
    );
  });

  test('lists are split at commas, and empty items left out', () => {
    expect(readConfig({ allowedOrigins: ' https://a.example , ,https://b.example' }, {}).allowedOrigins).toEqual([
      'https://a.example',
      'https://b.example',
    ]);
    expect(readConfig({ webauthnOrigins: '' }, {}).webauthnOrigins).toEqual([]);
  });
});
