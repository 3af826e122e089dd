import { chmod } from 'node:fs/promises';
import { generateApiKey } from '@countersign/client';
import { describe, expect, test } from 'vitest';
import { startWire } from '../../client/test/wire-server.ts';
import { apiKey, callerEnvironment, isOwnStamp, organizationId, runCli, temporaryFolder } from './run-cli.ts';

const answer = { status: 200, body: { activity: { result: { username: 'u' } } } };
const stampedWith = (header: string | string[] | undefined) =>
  JSON.parse(Buffer.from(String(header), 'base64url').toString('utf8')).publicKey;

const savedKey = generateApiKey();
const saved = (baseUrl: string) =>
  JSON.stringify({
    organizationId: '01981b2c-0000-7000-8000-000000000001',
    userId: '01981b2c-0000-7000-8000-000000000002',
    apiPublicKey: savedKey.apiPublicKey,
    apiPrivateKey: savedKey.apiPrivateKey,
    baseUrl,
  });

describe('sources of credentials', () => {
  test('reads the file in the data directory', async () => {
    await using wire = await startWire(() => answer);
    await using folder = await temporaryFolder();
    await folder.write('credentials.json', saved(wire.url));
    expect((await runCli(['whoami', '--data-dir', folder.path])).code).toBe(0);
    expect((await runCli(['whoami'], { environment: { COUNTERSIGN_DATA_DIR: folder.path } })).code).toBe(0);
    for (const { body, headers } of wire.arrived) {
      expect(JSON.parse(body).organizationId).toBe('01981b2c-0000-7000-8000-000000000001');
      expect(stampedWith(headers['x-stamp'])).toBe(savedKey.apiPublicKey);
    }
    expect(wire.arrived).toHaveLength(2);
  });

  test('reads a file named by flag or variable', async () => {
    await using wire = await startWire(() => answer);
    await using folder = await temporaryFolder();
    const file = await folder.write('other.json', saved(wire.url));
    expect((await runCli(['whoami', '--credentials', file])).code).toBe(0);
    expect((await runCli(['whoami'], { environment: { COUNTERSIGN_CREDENTIALS: file } })).code).toBe(0);
  });

  test('flags override the environment, and the environment overrides the file', async () => {
    await using wire = await startWire(() => answer);
    await using folder = await temporaryFolder();
    const file = await folder.write('credentials.json', saved('http://127.0.0.1:1'));
    const other = '01981b2c-0000-7000-8000-00000000000f';
    await runCli(['whoami', '--credentials', file, '--organization-id', other], { environment: callerEnvironment(wire.url) });
    await runCli(['whoami', '--credentials', file, '--url', wire.url]);
    expect(wire.arrived.map(({ body, headers }) => [JSON.parse(body).organizationId, stampedWith(headers['x-stamp'])])).toEqual([
      [other, apiKey.apiPublicKey],
      ['01981b2c-0000-7000-8000-000000000001', savedKey.apiPublicKey],
    ]);
  });

  test('reads the private key from a file named in the environment', async () => {
    await using wire = await startWire(() => answer);
    await using folder = await temporaryFolder();
    const file = await folder.write('key', `${apiKey.apiPrivateKey}\n`);
    const { COUNTERSIGN_API_PRIVATE_KEY: _, ...rest } = callerEnvironment(wire.url);
    expect((await runCli(['whoami'], { environment: { ...rest, COUNTERSIGN_API_PRIVATE_KEY_FILE: file } })).code).toBe(0);
    const [arrived] = wire.arrived;
    expect(isOwnStamp(arrived?.headers['x-stamp'], arrived?.body ?? '')).toBe(true);
  });

  test('A42: rejects a private key file that other users can read, and sends nothing', async () => {
    await using wire = await startWire(() => answer);
    await using folder = await temporaryFolder();
    const file = await folder.write('key', `${apiKey.apiPrivateKey}\n`);
    await chmod(file, 0o644);
    const { COUNTERSIGN_API_PRIVATE_KEY: _, ...rest } = callerEnvironment(wire.url);
    const { code, stderr } = await runCli(['whoami'], { environment: { ...rest, COUNTERSIGN_API_PRIVATE_KEY_FILE: file } });
    expect([code, wire.arrived.length]).toEqual([1, 0]);
    expect(stderr).toContain(`COUNTERSIGN_API_PRIVATE_KEY_FILE names a file that is open to other users (mode 0644): ${file}`);
    expect(stderr).toContain(`chmod 600 ${file}`);
  });
});

describe('errors name the problem and the next step', () => {
  const complete = callerEnvironment('http://127.0.0.1:1');

  test.each([
    [
      'no credentials at all',
      { COUNTERSIGN_DATA_DIR: '/no/such' },
      '/no/such/credentials.json does not exist',
      'countersign init',
    ],
    ['a named file that is not there', { COUNTERSIGN_CREDENTIALS: '/no/such' }, 'cannot be read: /no/such', 'Check the path'],
    ['half a key', { ...complete, COUNTERSIGN_API_PRIVATE_KEY: undefined }, 'Only one half of the API key', 'together'],
    [
      'a key file that is not there',
      { ...complete, COUNTERSIGN_API_PRIVATE_KEY: undefined, COUNTERSIGN_API_PRIVATE_KEY_FILE: '/no/such' },
      'COUNTERSIGN_API_PRIVATE_KEY_FILE names',
      'Check the path',
    ],
    [
      'halves of two keys',
      { ...complete, COUNTERSIGN_API_PUBLIC_KEY: savedKey.apiPublicKey },
      'does not belong to the private key',
      'Check the API key',
    ],
    [
      'no organization',
      { ...complete, COUNTERSIGN_ORGANIZATION_ID: undefined },
      'The organization is missing',
      '--organization-id',
    ],
    ['no address', { ...complete, COUNTERSIGN_URL: undefined }, 'The address of the service is missing', '--url'],
    [
      'an address that is none',
      { ...complete, COUNTERSIGN_URL: 'localhost' },
      'is not a URL: localhost',
      'http://127.0.0.1:8787',
    ],
    ['nobody there', complete, 'No response from http://127.0.0.1:1/', 'countersign serve'],
  ])('%s', async (_, environment, message, fix) => {
    const { code, stderr } = await runCli(['whoami'], { environment: environment as Record<string, string> });
    expect(code).toBe(message.startsWith('No response') ? 4 : /is missing|is not a URL/.test(message) ? 2 : 1);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^Error: .*\nFix: .*\n$/);
    expect(stderr).toContain(fix);
  });

  test('D61: does not quote a credentials file that is not JSON', async () => {
    await using folder = await temporaryFolder();
    const file = await folder.write('credentials.json', `{"apiPrivateKey":"${savedKey.apiPrivateKey}`);
    const { stderr } = await runCli(['whoami', '--credentials', file, '--debug']);
    expect(stderr).toContain('is not JSON');
    expect(stderr).not.toContain(savedKey.apiPrivateKey.slice(0, 8));
  });

  test('D61: no message contains a private key', async () => {
    const apiPrivateKey = 'c0ffee'.repeat(10);
    const { stderr } = await runCli(['whoami', '--debug'], {
      environment: { ...complete, COUNTERSIGN_API_PRIVATE_KEY: apiPrivateKey },
    });
    expect(stderr).toContain('64 hexadecimal digits');
    expect(stderr).not.toContain('c0ffee');
  });
});

test("uses the caller's organization", async () => {
  await using wire = await startWire(() => answer);
  await runCli(['whoami'], { environment: callerEnvironment(wire.url) });
  expect(JSON.parse(wire.arrived[0]?.body ?? '')).toEqual({
    operation: 'whoami',
    organizationId,
    timestampMs: expect.stringMatching(/^\d{13}$/),
  });
});
