import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ApiKeyStamper,
  completed,
  createClient,
  generateApiKey,
  loginCode,
  loginLink,
  readLoginRequest,
} from '@countersign/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../../test/support/api-key.ts';
import { runCli, serveInFolder, organizationId as someOrganization, temporaryFolder } from './run-cli.ts';

let service: Awaited<ReturnType<typeof serveInFolder>>;
beforeAll(async () => {
  service = await serveInFolder();
});
afterAll(() => service.close());

/** A client of a non-root user whom no policy allows anything. */
async function member() {
  const { organizationId, ...first } = JSON.parse(readFileSync(`${service.folder.path}/credentials.json`, 'utf8'));
  const clientWith = (key: ConstructorParameters<typeof ApiKeyStamper>[0]) =>
    createClient({ baseUrl: service.url, organizationId, stamper: new ApiKeyStamper(key) });
  const { curveType, ...key } = generateApiKey();
  const apiKeys = [{ apiKeyName: 'Key', publicKey: key.apiPublicKey, curveType }];
  const users = [{ userName: 'Ann', apiKeys, authenticators: [], oauthProviders: [], userTags: [] }];
  const [userId] = completed(await clientWith(first).createUsers({ users })).userIds;
  return { organizationId, userId, client: clientWith(key) };
}

/** Runs `login --browser` and passes the link to `open`. */
async function logIn(argv: readonly string[], home: string, open: (request: URLSearchParams) => Promise<void>) {
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let opened: Promise<void> | undefined;
  const onError = (text: string) => {
    const [, query] = /#\/command-line\?(\S+)/.exec(text) ?? [];
    if (query !== undefined) opened = open(new URLSearchParams(query)).catch(stop);
  };
  const environment = { HOME: home, COUNTERSIGN_DATA_DIR: `${home}/none` };
  const outcome = await runCli(['login', '--browser', ...argv], { environment, onError, untilStopped: () => stopped });
  await opened;
  return outcome;
}

describe('login --browser', () => {
  test('D225: saves a key that a person without rights authorized; the link contains no secret', async () => {
    await using home = await temporaryFolder();
    const ann = await member();
    let shown = new URLSearchParams();
    const letIn = async (request: URLSearchParams) => {
      shown = request;
      // Like the console page, with the passkey of the person.
      completed(await ann.client.stampLogin({ publicKey: request.get('key') ?? '', expirationSeconds: '600' }));
    };
    const place = ['--url', service.url, '--organization-id', ann.organizationId];
    const { code, stdout, stderr } = await logIn(['work', '--json', ...place], home.path, letIn);
    expect(stderr).toContain(`http://localhost:${new URL(service.url).port}/console/#/command-line?`);
    expect({ code, said: JSON.parse(stdout) }).toMatchObject({ code: 0, said: { profile: 'work', userId: ann.userId } });
    const file = `${home.path}/.config/countersign/work.json`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    expect([...shown]).toEqual([
      ['organization', ann.organizationId],
      ['key', kept.apiPublicKey],
    ]);
    expect(stderr).not.toContain(kept.apiPrivateKey);
    expect(stderr).toContain(loginCode({ organizationId: ann.organizationId, publicKey: kept.apiPublicKey }));
    // The profile name is enough for the next login.
    const again = await logIn(['work'], home.path, letIn);
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8')).apiPublicKey).not.toBe(kept.apiPublicKey);
  });

  test('D225: saves no key that was authorized in a sub-organization', async () => {
    await using home = await temporaryFolder();
    const { organizationId, ...first } = JSON.parse(readFileSync(`${service.folder.path}/credentials.json`, 'utf8'));
    const stamper = new ApiKeyStamper(first);
    const { curveType, ...key } = generateApiKey();
    const rootUsers = [
      {
        userName: 'Owner',
        apiKeys: [{ apiKeyName: 'Key', publicKey: key.apiPublicKey, curveType }],
        authenticators: [],
        oauthProviders: [],
      },
    ];
    const parent = createClient({ baseUrl: service.url, organizationId, stamper });
    const { subOrganizationId } = completed(
      await parent.createSubOrganization({ subOrganizationName: 'Sub', rootUsers, rootQuorumThreshold: 1 }),
    );
    const owner = createClient({ baseUrl: service.url, organizationId: subOrganizationId, stamper: new ApiKeyStamper(key) });
    const letIn = async (request: URLSearchParams) => {
      completed(await owner.stampLogin({ publicKey: request.get('key') ?? '', expirationSeconds: '600' }));
      // The parent's id does not resolve the key, so the command goes on waiting.
      throw new Error('stop');
    };
    const place = ['--url', service.url, '--organization-id', organizationId];
    const { code, stderr } = await logIn(place, home.path, letIn);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('The key was not authorized in time.') });
    expect((await runCli(['profiles'], { environment: { HOME: home.path } })).stdout).toContain('none');
  });

  test('saves no profile when it is stopped', async () => {
    await using home = await temporaryFolder();
    const place = ['--url', service.url, '--organization-id', someOrganization];
    const { code, stderr } = await logIn(place, home.path, () => Promise.reject(new Error('nobody')));
    expect(code).toBe(1);
    expect(stderr).toContain('The key was not authorized in time.');
    expect((await runCli(['profiles'], { environment: { HOME: home.path } })).stdout).toContain('none');
  });

  test('D226: the front page of a service cannot send people to another site', async () => {
    await using home = await temporaryFolder();
    const server = createServer((_, answer) => answer.end(JSON.stringify({ console: 'https://phishing.example/console/' })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const place = ['--url', `http://127.0.0.1:${port}`, '--organization-id', someOrganization];
      const { code, stderr } = await logIn(place, home.path, async () => {});
      expect({ code, isLinked: stderr.includes('phishing.example') }).toEqual({ code: 1, isLinked: false });
    } finally {
      server.close();
    }
  });
});

describe('login code', () => {
  const organizationId = someOrganization;
  const request = { organizationId, publicKey: `02${'ab'.repeat(32)}` };

  test('D225: another key or organization has another code', () => {
    expect(loginCode(request)).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    const others = Array.from({ length: 200 }, () => loginCode({ organizationId, publicKey: newApiKey().publicKey }));
    others.push(loginCode({ ...request, organizationId: organizationId.replace('0', '1') }), loginCode(request));
    expect(new Set(others).size).toBe(202);
  });

  test('the link round-trips, and an invalid key is rejected', () => {
    const read = (link: string) => readLoginRequest(Object.fromEntries(new URLSearchParams(link.split('?')[1])));
    expect(read(loginLink('https://keys.example.com/console/', request))).toEqual(request);
    for (const publicKey of [
      '',
      '02',
      `04${'ab'.repeat(32)}`,
      `02${'AB'.repeat(32)}`,
      `02${'ab'.repeat(33)}`,
      `02${'<b>'.repeat(22)}`,
    ])
      expect(read(loginLink('https://keys.example.com/console/', { organizationId, publicKey }))).toBeUndefined();
  });
});
