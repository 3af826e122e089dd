import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/config/config-error.ts';
import { fileKeys, readConfigFile } from '../../src/config/config-file.ts';
import { configFileSchema } from '../../src/config/file-schema.ts';
import { configProblems, readConfig } from '../../src/config/read-config.ts';
import { createReload } from '../../src/config/reload.ts';
import { environmentName } from '../../src/config/setting-names.ts';
import { type Setting, settings } from '../../src/config/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-file-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

function file(text: string, mode = 0o600): string {
  const path = join(folder, `${files++}.yaml`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const read = async (text: string, mode?: number) => readConfig({}, {}, await readConfigFile(file(text, mode)));

async function problemOf(text: string, mode?: number): Promise<string> {
  try {
    await read(text, mode);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('countersign.yaml', () => {
  test('takes texts, numbers, booleans, lists and objects', async () => {
    const config = await read(`
# a comment
host: 0.0.0.0
port: 9000
console: off
tlsMinVersion: 1.2
compatRoot: true
trustedProxies: [127.0.0.1/32, "2001:db8::/32"]
allowedOrigins: https://a.example.com, https://b.example.com
oidcIssuers:
  - issuer: https://accounts.example.com
    audiences: [client]
`);
    expect(config).toMatchObject({
      host: '0.0.0.0',
      port: 9000,
      console: 'off',
      tlsMinVersion: '1.2',
      compatRoot: true,
      trustedProxies: ['127.0.0.1/32', '2001:db8::/32'],
      allowedOrigins: ['https://a.example.com', 'https://b.example.com'],
      oidcIssuers: [{ issuer: 'https://accounts.example.com', audiences: ['client'] }],
    });
    expect(await read('')).toEqual(readConfig({}, {}));
  });

  test('the environment overrides the file, and flags override both', async () => {
    const value = file('from-value-file\n');
    const own = await readConfigFile(file(`host: from-file\nmailAppNameFile: ${value}\n`));
    expect(readConfig({}, {}, own)).toMatchObject({ host: 'from-file', mailAppName: 'from-value-file' });
    expect(readConfig({}, { COUNTERSIGN_HOST: 'from-variable' }, own).host).toBe('from-variable');
    expect(readConfig({}, { COUNTERSIGN_HOST_FILE: value }, own).host).toBe('from-value-file');
    expect(readConfig({ host: 'from-flag' }, { COUNTERSIGN_HOST: 'from-variable' }, own).host).toBe('from-flag');
  });

  test.each([
    ['prot: 1', /:1 "prot" is not a setting. Did you mean port\?/],
    ['\ndata-dir: x', /:2 "data-dir" is not a setting. Did you mean dataDir\?/],
    ['COUNTERSIGN_TLS_CERT: x', /Did you mean tlsCert\?/],
    ['smtpPasswordfile: x', /Did you mean smtpPasswordFile\?/],
    ['port: 1\nport: 2', /:2 is not valid YAML \(DUPLICATE_KEY\)/],
    ['port: [1, 2]', /port must be a text, a number/],
    ['trustedProxies: {a: b}', /trustedProxies must be a list of texts/],
    ['allowedOrigins: ["a,b"]', /without commas/],
    ['port: 70000', /:1 port must be at most 65535 \(given: "70000"\)/],
    ['port:', /port must be a text/],
    ['- port', /must be a list of settings/],
    ['port: "1', /is not valid YAML/],
    ['host: &a x\nmailFrom: *a', /:2 must not contain aliases/],
    ['host: !!js/function x', /is not valid YAML/],
    ['port: 1\n---\nport: 2', /is not valid YAML/],
    ['__proto__: x', /is not a setting/],
    ['host: x\nhostFile: y', /sets hostFile and host; keep one/],
  ])('A41: %j is refused, with its line', async (text, problem) => {
    expect(await problemOf(text)).toMatch(problem);
  });

  test('D604: a file that others can change, or read if it holds a secret, is refused', async () => {
    expect(await problemOf('port: 1', 0o664)).toContain('can be changed by other users');
    expect(await problemOf('port: 1', 0o602)).toContain('can be changed by other users');
    expect(await problemOf('port: 1', 0o644)).toBe('accepted');
    const secret = 'rootPassphrase: correct horse battery staple';
    expect(await problemOf(secret, 0o640)).toMatch(/rootPassphrase is a secret, and the file is open to other users/);
    expect(await problemOf(secret, 0o600)).toBe('accepted');
    const path = file('correct horse battery staple');
    expect(await problemOf(`rootPassphraseFile: ${path}`, 0o644)).toBe('accepted');
    chmodSync(path, 0o644);
    expect(await problemOf(`rootPassphraseFile: ${path}`, 0o644)).toContain('open to other users');
    expect(await problemOf(folder)).toContain('must be a list of settings');
    await expect(readConfigFile(folder)).rejects.toThrow('is not a file');
    await expect(readConfigFile(join(folder, 'absent'))).rejects.toThrow('cannot be read');
  });

  test('D605: no message shows a secret', async () => {
    for (const text of ['rootPassphrase: hunter2', 'rootPassphrase: [hunter2]', 'smtpUrl: hunter2', 'rootPassphrase: "hunter2'])
      expect(await problemOf(text)).not.toContain('hunter2');
    // The content of a key file in place of its path.
    const key = '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n';
    for (const environment of [{ COUNTERSIGN_TLS_KEY: key }, { COUNTERSIGN_TLS_KEY_FILE: file(key) }]) {
      const [problem] = configProblems({ flags: {}, environment });
      expect(problem?.message).toContain('must be the path of a file, not its content');
      expect(`${problem?.message} ${problem?.fix}`).not.toContain('hunter2');
    }
  });

  test('lists all problems', async () => {
    const problems = configProblems({
      flags: { port: 'x' },
      environment: { COUNTERSIGN_WORKERS: '0' },
      file: await readConfigFile(file('logLevel: loud')),
    });
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('--port'),
      expect.stringContaining('COUNTERSIGN_WORKERS'),
      expect.stringContaining('.yaml:1 logLevel'),
    ]);
  });
});

describe('the table of settings', () => {
  const all = Object.entries<Setting>(settings);

  test('names the form of each setting with several values', () => {
    for (const [name, { schema, form, default: preset }] of all) {
      const parsed = schema.safeParse(preset ?? 'a,b');
      // Certificates are one text.
      const isMany = parsed.success && Array.isArray(parsed.data) && name !== 'webauthnAttestationRoots';
      if (isMany) expect(form, name).toBeDefined();
      if (form === 'json') expect(() => JSON.parse(preset ?? ''), name).not.toThrow();
    }
  });

  test('has no name that means the file of another setting', () => {
    expect(fileKeys.size).toBe(2 * all.length);
    const variables = all.flatMap(([name]) => [environmentName(name), `${environmentName(name)}_FILE`]);
    expect(new Set(variables).size).toBe(variables.length);
  });

  test('the published schema has every key, and the types of the file', () => {
    const { properties } = configFileSchema() as { properties: Record<string, object> };
    expect(Object.keys(properties).sort()).toEqual([...fileKeys.keys()].sort());
    expect(properties).toMatchObject({
      port: { type: 'integer', minimum: 0, maximum: 65_535, default: 8787 },
      proxyProtocol: { type: 'boolean', default: false },
      tlsMinVersion: { enum: ['1.3', '1.2', 1.3, 1.2] },
      rootPassphraseFile: { type: 'string' },
    });
  });
});

test('a reload applies what it can, names what needs a restart, and compares with what is in use', () => {
  const first = readConfig({}, {});
  const applied: unknown[] = [];
  const reload = createReload(first, ({ logLevel, port }) => applied.push([logLevel, port]));
  const next = readConfig({ logLevel: 'debug', port: '1', witnesses: '' }, {});
  expect(reload(next)).toEqual({ applied: ['logLevel'], needRestart: ['port'] });
  expect(applied).toEqual([['debug', 8787]]);
  expect(reload(next)).toEqual({ applied: [], needRestart: ['port'] });
  expect(reload(first)).toEqual({ applied: ['logLevel'], needRestart: [] });
});
