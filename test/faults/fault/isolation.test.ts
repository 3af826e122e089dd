import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get, talk } from '../../../packages/server/test/http/transport/tls-support.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { type SelfSigned, selfSigned } from '../../support/self-signed.ts';
import { startService } from '../../support/service.ts';
import { createWallet } from '../../support/world.ts';
import { childrenOf, exists } from './support/command-process.ts';
import { consequencesOf, type Loot, lootOf } from './support/compromised-edge.ts';
import { placeOf, type Serving, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

const isRoot = process.getuid?.() === 0;

/** What an intruder wants: keys, data, and a way to other processes. */
const secrets = [
  'read root.key',
  'read countersign.db',
  'read credentials.json',
  'write to the data directory',
  'change the mode of the data directory',
  'read the environment of the core',
  'open the memory of the core',
  'list the files of the core',
  'read the environment of the parent',
];
const means = ['read a file of the system', 'write a file', 'start a program', 'connect to a local socket', 'listen on a port'];

const pick = (loot: Loot, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, loot[name]]));
const refused = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, expect.stringMatching(/^(EACCES|EPERM)$/)]));
const done = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'done']));

describe('an intruder in an edge process', () => {
  let installation: Installation;
  const isolated = () => ({ ...installation.config, isolate: 'on' as const, shutdownSeconds: 1 });

  beforeAll(async () => {
    installation = await engines.sqlite();
    await (await startService(installation)).close();
  });
  afterAll(() => installation?.remove());

  test('gets everything without confinement, so the attacks work', async () => {
    const loot = await lootOf(isolated(), (planned) => ({ ...planned, confine: undefined, user: undefined }));
    // Some systems keep the memory of a process from others of the same user.
    const reachable = [...secrets.filter((name) => isRoot || name !== 'open the memory of the core'), ...means];
    expect(pick(loot, reachable)).toEqual(done(reachable));
  });

  test('D586: reads no key, no data and no other process, and starts nothing', async () => {
    const loot = await lootOf(isolated());
    expect(pick(loot, [...secrets, ...means, 'signal the core'])).toEqual(refused([...secrets, ...means, 'signal the core']));
    expect(loot.environment).not.toContain('COUNTERSIGN');
    expect(
      loot.environment?.split(' ').filter((name) => !/^(NODE_CHANNEL_|NODE_EXTRA_CA_CERTS|SSL_CERT_|OPENSSL_CONF|TZ)/.test(name)),
    ).toEqual([]);
    expect(loot.files).toBe('');
  });

  test('D586: the same user and Landlock suffice', async () => {
    const loot = await lootOf(isolated(), (planned) => ({ ...planned, user: undefined }));
    expect(pick(loot, [...secrets, ...means])).toEqual(refused([...secrets, ...means]));
  });

  test('D662: what an edge says to the process that started it ends the edge and nothing else', async () => {
    const said = '{"cmd":"NODE_HANDLE","type":"none"}\nnull\n[]\n{"kind":7}\nnot JSON\n';
    expect(await consequencesOf(isolated(), said)).toEqual({ isReplaced: true, isCoreUp: true });
  });

  test.runIf(isRoot)('D586: another user suffices for keys and data, where there is no Landlock', async () => {
    const loot = await lootOf(isolated(), (planned) => ({ ...planned, confine: undefined }));
    expect(pick(loot, [...secrets, 'signal the core'])).toEqual(refused([...secrets, 'signal the core']));
  });
});

/** proc(5): a field of the status of a process. */
const statusOf = (pid: number, field: string) =>
  new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

describe('a service with --isolate', () => {
  let installation: Installation;
  let serving: Serving;

  beforeAll(async () => {
    installation = await engines.sqlite();
    serving = await serve(placeOf(installation), ['--isolate', 'true']);
  });
  afterAll(async () => {
    await serving?.kill();
    await installation?.remove();
  });

  /** The core and the edge, by what they run. */
  function processes(): { readonly core: number; readonly edge: number } {
    const running = (name: string) =>
      childrenOf(serving.pid).find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(name)) ?? 0;
    return { core: running('worker-entry'), edge: running('edge-entry') };
  }

  test('D587: serves in two processes without core dumps and new privileges, and the edge holds no file', async () => {
    await createWallet(serving.root);
    const { core, edge } = processes();
    for (const pid of [core, edge]) {
      expect(statusOf(pid, 'NoNewPrivs')).toBe('1');
      expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +0 +0 /m);
    }
    expect(statusOf(edge, 'Seccomp')).toBe('2');
    expect(readFileSync(`/proc/${edge}/environ`, 'utf8')).not.toContain('COUNTERSIGN');
    const open = readdirSync(`/proc/${edge}/fd`).map((fd) => readlinkSync(`/proc/${edge}/fd/${fd}`));
    expect(open.filter((path) => path.startsWith('/') && path !== '/dev/null')).toEqual([]);
  });

  test('large responses and pages pass through the edge', async () => {
    const document = await fetch(`${new URL(serving.url).origin}/openapi.json`);
    expect(Object.keys((await document.json()) as object)).toContain('paths');
    const head = await fetch(`${new URL(serving.url).origin}/openapi.json`, { method: 'HEAD' });
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100_000);
    const long = await fetch(`${serving.url}/public/v1/submit/create_policy`, {
      method: 'POST',
      body: `{"parameters":"${'x'.repeat(40_000)}"}`,
      headers: { 'x-stamp': 'e30', 'content-type': 'application/json' },
    });
    expect(long.status).toBe(401);
  });

  test('an edge that dies is replaced and the core stays; a core that dies is replaced too', async () => {
    const before = processes();
    process.kill(before.edge, 'SIGKILL');
    expect(await waitUntil(60_000, () => processes().edge > 0 && processes().edge !== before.edge)).toBe(true);
    await createWallet(serving.root);
    expect(processes().core).toBe(before.core);
    process.kill(before.core, 'SIGKILL');
    expect(await waitUntil(60_000, () => processes().core > 0 && processes().core !== before.core && processes().edge > 0)).toBe(
      true,
    );
    await createWallet(serving.root);
    expect(exists(before.core)).toBe(false);
  });

  test('D664: a taken-over edge that stopped listening ends with the service, also when that is killed', async () => {
    const { core, edge } = processes();
    process.kill(edge, 'SIGSTOP');
    process.kill(core, 'SIGSTOP');
    await serving.kill();
    expect(await waitUntil(10_000, () => [core, edge].every((pid) => !exists(pid)))).toBe(true);
    serving = await serve(placeOf(installation), ['--isolate', 'true']);
    await createWallet(serving.root);
  });

  test('stops cleanly', async () => {
    const { core, edge } = processes();
    serving.signal('SIGTERM');
    expect((await serving.ended).code).toBe(0);
    expect([core, edge].filter(exists)).toEqual([]);
  });
});

test('D860: a service without settings isolates keys where it can', async () => {
  const installation = await engines.sqlite();
  const serving = await serve(placeOf(installation), ['--isolate', 'auto']);
  const started = childrenOf(serving.pid).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  expect(started.filter((command) => command.includes('edge-entry'))).toHaveLength(1);
  await createWallet(serving.root);
  await serving.kill();
  await installation.remove();
});

test('D586: edges of a service with --isolate speak TLS with certificates that only the parent reads', async () => {
  const installation = await engines.sqlite();
  const [first, next] = [selfSigned(), selfSigned()];
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(installation.directory, name)) as [string, string];
  const write = (pair: SelfSigned) => {
    writeFileSync(cert, pair.cert);
    writeFileSync(key, pair.key, { mode: 0o600 });
  };
  write(first);
  const serving = await serve(placeOf(installation), ['--isolate', 'true', '--tls-cert', cert, '--tls-key', key]);
  const answers = async ({ cert: ca }: SelfSigned) =>
    (await talk(Number(new URL(serving.url).port), get('/healthz'), { ca })).includes('200');
  expect([await answers(first), await answers(next)]).toEqual([true, false]);
  write(next);
  serving.signal('SIGHUP');
  await expect.poll(() => answers(next)).toBe(true);
  serving.signal('SIGTERM');
  expect((await serving.ended).code).toBe(0);
  await installation.remove();
});
