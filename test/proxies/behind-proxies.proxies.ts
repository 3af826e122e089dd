import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../support/installation.ts';
import { selfSigned } from '../support/self-signed.ts';
import { startService, type TestService } from '../support/service.ts';
import { freePort, type RunningProxy, startProxy } from './proxy-process.ts';

/** The client connects from here, and the proxy from 127.0.0.1. */
const CLIENT = '127.0.0.9';
const SPOOFED = '198.51.100.7';

const certificate = selfSigned();
const nginx = (folder: string, modules: string, body: string) => `${modules}
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
${body}
`;
const paths = (folder: string) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temp/${name};`).join('\n');

interface Front {
  readonly title: string;
  readonly program: 'nginx' | 'haproxy';
  readonly isTls: boolean;
  config(folder: string, port: number, target: string): string;
}

const haproxy = (port: number, mode: string, server: string) => `
defaults
    mode ${mode}
    timeout connect 5s
    timeout client 50s
    timeout server 50s
listen front
    bind 127.0.0.1:${port}
    ${server}
`;

const fronts: readonly Front[] = [
  {
    title: 'nginx with X-Forwarded-For',
    program: 'nginx',
    isTls: false,
    config: (folder, port, target) =>
      nginx(
        folder,
        '',
        `http { access_log off; ${paths(folder)} server { listen 127.0.0.1:${port}; location / {
           proxy_pass http://${target}; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; } } }`,
      ),
  },
  {
    title: 'HAProxy with option forwardfor',
    program: 'haproxy',
    isTls: false,
    config: (_folder, port, target) => haproxy(port, 'http', `option forwardfor\n    server node ${target}`),
  },
  {
    title: 'nginx with proxy_protocol, and TLS of the service',
    program: 'nginx',
    isTls: true,
    config: (folder, port, target) =>
      nginx(
        folder,
        'load_module /usr/lib/nginx/modules/ngx_stream_module.so;',
        `stream { server { listen 127.0.0.1:${port}; proxy_pass ${target}; proxy_protocol on; } }`,
      ),
  },
  ...(['send-proxy', 'send-proxy-v2'] as const).map(
    (option): Front => ({
      title: `HAProxy with ${option} and health checks, and TLS of the service`,
      program: 'haproxy',
      isTls: true,
      config: (_folder, port, target) => haproxy(port, 'tcp', `server node ${target} ${option} check inter 200`),
    }),
  ),
];

describe.each(fronts)('behind $title', ({ program, isTls, config }) => {
  let installation: Installation;
  let service: TestService;
  let proxy: RunningProxy;
  let port: number;

  beforeAll(async () => {
    installation = await engines.sqlite();
    const [tlsCert, tlsKey] = [join(installation.directory, 'cert.pem'), join(installation.directory, 'key.pem')];
    writeFileSync(tlsCert, certificate.cert);
    writeFileSync(tlsKey, certificate.key, { mode: 0o600 });
    service = await startService(installation, {
      config: { trustedProxies: ['127.0.0.1/32'], ...(isTls && { tlsCert, tlsKey, proxyProtocol: true }) },
    });
    port = await freePort();
    proxy = await startProxy(program, (folder) => config(folder, port, new URL(service.url).host), port);
  });
  afterAll(async () => {
    await proxy?.stop();
    await service?.close();
    await installation?.remove();
  });

  function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port,
        localAddress: CLIENT,
        method,
        path,
        headers,
        agent: false,
        ca: certificate.cert,
      };
      const outgoing = (isTls ? requestTls : request)(options, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      outgoing.on('error', reject).end(method === 'POST' ? '{}' : undefined);
    });
  }

  const addresses = () =>
    service
      .logText()
      .split('\n')
      .filter((line) => line.includes('"operation":"whoami"'))
      .map((line) => JSON.parse(line).address);

  test('requests reach the service, with the address of the client', async () => {
    expect(await ask('GET', '/healthz')).toBe(200);
    expect(await ask('POST', '/public/v1/query/whoami')).toBe(401);
    expect(addresses()).toEqual([CLIENT]);
  });

  test('D66: an address that the client claims is not believed', async () => {
    expect(await ask('POST', '/public/v1/query/whoami', { 'X-Forwarded-For': SPOOFED })).toBe(401);
    expect(await ask('POST', '/public/v1/query/whoami', { Forwarded: `for=${SPOOFED}`, 'X-Real-IP': SPOOFED })).toBe(401);
    expect(new Set(addresses())).toEqual(new Set([CLIENT]));
  });

  test('many connections and requests in a row work', async () => {
    const statuses = await Promise.all(Array.from({ length: 40 }, () => ask('GET', '/healthz')));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});
