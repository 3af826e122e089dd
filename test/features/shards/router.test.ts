import { rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { shardIn, withShard } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { initialize } from '../../../packages/server/src/commands/initialize.ts';
import { type RunningRouter, startRouter } from '../../../packages/server/src/commands/start-router.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { openService } from '../../../packages/server/src/open-service.ts';
import { encodeStamp, stampFields } from '../../support/api-key.ts';
import { engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { operatorErrorOf } from '../../support/operator-error-of.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, createSubOrganization, errorOf, madeUpId, signParams } from '../../support/world.ts';
import { routerFor, startTestRouter } from './support.ts';

describe('an installation with two shards, on two databases', () => {
  let installations: [Installation, Installation];
  let zero: TestService;
  let seven: TestService;
  let router: RunningRouter;

  beforeAll(async () => {
    installations = [await engines.sqlite(), await preparedEngines.postgres()];
    const trustedProxies = ['127.0.0.1/32'];
    zero = await startService(installations[0], { config: { trustedProxies } });
    seven = await startService(installations[1], { config: { trustedProxies, shard: 7 } });
    router = await startTestRouter({ 0: zero.url, 7: seven.url });
  });
  afterAll(async () => {
    await router?.close();
    await Promise.all([zero, seven].map((service) => service?.close()));
    await Promise.all((installations ?? []).map((installation) => installation.remove()));
  });
  const through = ({ root }: TestService) => root.with({ url: router.url });

  test('every organization has the number of its shard in its id, and the router finds it there', async () => {
    for (const [service, shard] of [
      [zero, undefined],
      [seven, 7],
    ] as const) {
      const root = through(service);
      expect(shardIn(root.organizationId)).toBe(shard);
      const { caller, organizationId } = await createSubOrganization(root);
      expect(shardIn(organizationId)).toBe(shard);
      for (const dialect of ['spec', 'turnkey'] as const) {
        const tenant = caller.with({ dialect });
        const key = await createPrivateKey(tenant);
        const body = tenant.submitBody('signRawPayload', signParams(key));
        const [first, again] = [
          await tenant.send(tenant.submitPath('signRawPayload'), body),
          await tenant.send(tenant.submitPath('signRawPayload'), body),
        ];
        expect(first.status).toBe(200);
        expect(again.body.activity.id).toBe(first.body.activity.id);
      }
    }
  });

  test('D564: a shard does not answer for an organization of another, and neither does the router', async () => {
    const known = await zero.root.query('whoami');
    expect(known.status).toBe(200);
    const unknown = errorOf(await zero.root.query('whoami', { organizationId: madeUpId() }));
    const other = seven.root.with({ url: zero.url });
    expect(errorOf(await other.query('whoami'))).toEqual(unknown);
    // An id that names a shard which does not exist, or one that does not have it.
    for (const shard of [9, 7]) {
      const organizationId = withShard(zero.root.organizationId, shard);
      expect(errorOf(await through(zero).query('whoami', { organizationId }))).toEqual(unknown);
    }
    // The id in the body decides, not one elsewhere in it.
    const body = JSON.stringify({
      filter: { organizationId: seven.root.organizationId },
      organizationId: zero.root.organizationId,
    });
    const answer = await through(zero).send(zero.root.queryPath('whoami'), body);
    expect(errorOf(answer)).toEqual(errorOf(await zero.root.send(zero.root.queryPath('whoami'), body)));
  });

  test('D565: a database, or the credentials of a first run, do not start as another shard', async () => {
    const started = async (installation: Installation, shard: number) => {
      const error = await operatorErrorOf(openService({ ...installation.config, shard }));
      return error.message;
    };
    expect(await started(installations[1], 0)).toBe('This database is of shard 7, but --shard is 0.');
    expect(await started(installations[0], 7)).toBe('This database is of shard 0, but --shard is 7.');
    // Without the setting, the number in the database counts.
    await (await openService(installations[1].config)).close();

    const fresh = await engines.sqlite();
    onTestFinished(fresh.remove);
    const { organizationId } = await initialize({ ...fresh.config, shard: 3 }, { organizationName: 'First', userName: 'Root' });
    expect(shardIn(organizationId)).toBe(3);
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${paths.database(fresh.config)}${suffix}`, { force: true });
    rmSync(paths.epochFile(fresh.config));
    rmSync(paths.logAnchor(fresh.config), { force: true });
    const again = () => initialize({ ...fresh.config, shard: 4 }, { organizationName: 'First', userName: 'Root' });
    expect((await operatorErrorOf(again())).message).toMatch(/^The credentials in .* are of shard 3, but --shard is 4\.$/);
  });

  test('D566: a shard sees the address that connected to the router, whatever the client writes', async () => {
    const { root } = seven;
    const body = JSON.stringify({ organizationId: root.organizationId });
    const id = `forged-${Date.now()}`;
    const status = await new Promise<number>((resolve, reject) => {
      const sent = httpRequest(
        `${router.url}${root.queryPath('whoami')}`,
        {
          method: 'POST',
          localAddress: '127.0.0.2',
          headers: {
            'x-stamp': encodeStamp(stampFields(root.key, Buffer.from(body))),
            'x-forwarded-for': '192.0.2.99',
            'x-request-id': id,
            connection: 'close, x-forwarded-for',
          },
        },
        (response) => resolve(response.resume().statusCode ?? 0),
      );
      sent.on('error', reject);
      sent.end(body);
    });
    expect(status).toBe(200);
    const line = seven
      .logText()
      .split('\n')
      .find((each) => each.includes(id));
    expect(line).toContain('127.0.0.2');
    expect(line).not.toContain('192.0.2.99');
  });

  test('D567: a shard that is gone or hangs costs only its own organizations an answer', async () => {
    const sockets: Socket[] = [];
    const hanging: Server = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    const { port } = hanging.address() as { port: number };
    onTestFinished(() => void hanging.close());
    const { url } = await routerFor({ 0: zero.url, 7: 'http://127.0.0.1:1', 8: `http://127.0.0.1:${port}` });
    const [gone, alive] = [seven.root.with({ url }), zero.root.with({ url })];
    const hung = alive.with({ organizationId: withShard(zero.root.organizationId, 8) }).query('whoami');
    const answer = await gone.query('whoami');
    expect(errorOf(answer)).toEqual({ status: 503, code: 'UNAVAILABLE' });
    expect(answer.headers.get('retry-after')).toBe('1');
    const compatible = await gone.with({ dialect: 'turnkey' }).query('whoami');
    expect(compatible.body.turnkeyErrorCode).toBeDefined();
    expect((await alive.query('whoami')).status).toBe(200);
    const page = await fetch(`${url}/readyz`);
    expect([page.status, await page.text()]).toEqual([200, 'ok\nshards that are not ready: 7, 8\n']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    for (const socket of sockets) socket.resetAndDestroy();
    expect(errorOf(await hung)).toEqual({ status: 503, code: 'UNAVAILABLE' });
    const none = await routerFor({ 0: 'http://127.0.0.1:1' });
    expect((await fetch(`${none.url}/readyz`)).status).toBe(503);
  });

  test('D568: the router bounds bodies, and forwards what is not JSON to a shard that says so', async () => {
    const path = zero.root.queryPath('whoami');
    const long = `${JSON.stringify({ organizationId: zero.root.organizationId }).slice(0, -1)},"x":"${'y'.repeat(70_000)}"}`;
    expect(errorOf(await through(zero).send(path, long))).toEqual({ status: 413, code: 'BODY_TOO_LARGE' });
    // The same without a declared length. The rest is not read, and the connection ends.
    const chunk = `8000\r\n${'y'.repeat(0x8000)}\r\n`;
    const raw = await sendRaw(router.url, [
      `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`,
      chunk,
      chunk,
      chunk,
    ]);
    expect(raw.status).toBe(413);
    expect(raw.text.toLowerCase()).toContain('connection: close');
    for (const body of ['', 'not JSON', '[]', 'null', '{"organizationId":7}'])
      expect(errorOf(await through(zero).send(path, body))).toEqual(errorOf(await zero.root.send(path, body)));
    const unread = await sendRaw(router.url, [`PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n`]);
    expect(unread.status).toBe(405);
    expect(unread.text.toLowerCase()).toContain('connection: close');
    expect((await through(zero).query('whoami')).status).toBe(200);
  });

  test('serves the pages of each shard, and those for all from shard 0', async () => {
    const text = async (url: string) => (await fetch(url)).text();
    expect(await text(`${router.url}/shards/7/log/key`)).toBe(await text(`${seven.url}/log/key`));
    expect(await text(`${router.url}/shards/0/log/key`)).toBe(await text(`${zero.url}/log/key`));
    expect(await text(`${router.url}/openapi.json`)).toBe(await text(`${zero.url}/openapi.json`));
    expect((await fetch(`${router.url}/shards/7/readyz`)).status).toBe(200);
    // Nothing else of a shard has a second address.
    expect((await fetch(`${router.url}/shards/7/metrics`)).status).toBe(404);
    const preflight = await fetch(`${router.url}${zero.root.queryPath('whoami')}`, { method: 'OPTIONS' });
    expect(preflight.status).toBe((await fetch(`${zero.url}${zero.root.queryPath('whoami')}`, { method: 'OPTIONS' })).status);
  });

  test('D646: the metrics of shard 0 are not those of the installation, and the router shows none', async () => {
    expect((await fetch(`${zero.url}/metrics`)).status).toBe(200);
    for (const path of ['/metrics', '/metrics?all', '//metrics']) {
      const response = await fetch(`${router.url}${path}`);
      expect([path, response.status, await response.text()]).toEqual([
        path,
        404,
        expect.stringContaining('each shard has its own'),
      ]);
    }
    const absolute = `GET ${zero.url}/metrics HTTP/1.1\r\nHost: router\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(zero.url, [absolute])).status).toBe(200);
    expect((await sendRaw(router.url, [absolute])).status).toBe(404);
  });

  test('forwards sign-in requests without a stamp by the organization in their header', async () => {
    const at = (url: string) =>
      fetch(`${url}/auth-proxy/v1/wallet_kit_config`, {
        method: 'POST',
        headers: { 'X-Auth-Proxy-Config-ID': seven.root.organizationId, 'content-type': 'application/json' },
        body: '{}',
      }).then(async (response) => [response.status, await response.json()]);
    expect(await at(router.url)).toEqual(await at(seven.url));
  });

  test.each([
    [[], 'The address of shard 0 is missing.'],
    [['1=http://127.0.0.1:1'], 'The address of shard 0 is missing.'],
    [['0=http://127.0.0.1:1', '0=http://127.0.0.1:2'], '--shard names shard 0 twice.'],
    [['0=ftp://127.0.0.1'], 'The address of a shard must be http:// or https:// with a host and a port, without a path.'],
    [['0=http://127.0.0.1/path'], 'The address of a shard must be http:// or https:// with a host and a port, without a path.'],
    [['70000=http://127.0.0.1:1'], '--shard must be a number from 0 to 65535, = and a value.'],
    [['http://127.0.0.1:1'], '--shard must be a number from 0 to 65535, = and a value.'],
  ])('a router does not start with %j', async (shards, message) => {
    const started = () => startRouter({ host: '127.0.0.1', port: 0, logLevel: 'silent', maxBodyBytes: 65_536, shards });
    expect((await operatorErrorOf(started())).message).toBe(message);
  });
});
