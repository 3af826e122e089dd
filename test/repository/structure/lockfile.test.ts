import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lockfile } from '../../../scripts/lockfile/binaries.ts';

const script = fileURLToPath(new URL('../../../scripts/doctor-lockfile.ts', import.meta.url));
const hash = `sha512-${Buffer.alloc(64).toString('base64')}`;

/** What the registry of these tests has: every version named here, with the same hash. */
const published: Readonly<Record<string, string>> = { 'tool-linux-x64': '1.0.0', 'tool-linux-arm64': '1.0.0' };

const registry = createServer((request, response) => {
  const name = decodeURIComponent((request.url ?? '').slice(1));
  const version = published[name];
  response.setHeader('content-type', 'application/json');
  if (version === undefined) response.statusCode = 404;
  const manifest = { name, version, dist: { integrity: hash, tarball: 'http://localhost/unused.tgz' } };
  const found = { name, 'dist-tags': { latest: version }, versions: { [version ?? '']: manifest } };
  response.end(JSON.stringify(version === undefined ? { error: 'not found' } : found));
});
const folder = mkdtempSync(join(tmpdir(), 'countersign-lockfile-'));
let registryUrl = '';

beforeAll(async () => {
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  registryUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  registry.closeAllConnections();
  registry.close();
  await once(registry, 'close');
});

const x64 = { version: '1.0.0', integrity: hash, os: ['linux'], cpu: ['x64'], libc: ['glibc'] };
const arm64 = { ...x64, cpu: ['arm64'] };

/** A lockfile with a tool that has these optional packages. */
function lockfile(optional: Lockfile['packages'], names = Object.keys(optional)): Lockfile {
  const optionalDependencies = Object.fromEntries(names.map((name) => [name, '1.0.0']));
  const installed = Object.entries(optional).map(([name, locked]) => [`node_modules/${name}`, locked]);
  return { packages: { 'node_modules/tool': { version: '1.0.0', optionalDependencies }, ...Object.fromEntries(installed) } };
}

async function runDoctor(contents: Lockfile, url = registryUrl): Promise<{ code: number | null; output: string }> {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(contents));
  const env = { ...process.env, npm_config_registry: url };
  const child = execFile(process.execPath, ['--import', 'tsx', script, file], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

describe('npm run doctor:lockfile', () => {
  test('passes when both processors have their binaries', async () => {
    const { code, output } = await runDoctor(lockfile({ 'tool-linux-x64': x64, 'tool-linux-arm64': arm64 }));
    expect(output).toContain('2 binaries for Linux on x64 and arm64, 0 problems');
    expect(code).toBe(0);
  });

  test('names a version that the registry does not have, and what to do', async () => {
    const { code, output } = await runDoctor(
      lockfile({ 'tool-linux-x64': x64, 'tool-linux-arm64': { ...arm64, version: '1.0.1' } }),
    );
    expect(output).toContain('tool-linux-arm64 1.0.1 is not in the registry.');
    expect(output).toContain('What to do: choose a version');
    expect(code).toBe(1);
  });

  test('refuses a binary whose hash the lockfile lacks or has wrong', async () => {
    const { code, output } = await runDoctor(
      lockfile({
        'tool-linux-x64': { version: '1.0.0', os: ['linux'], cpu: ['x64'] },
        'tool-linux-arm64': { ...arm64, integrity: 'sha512-other' },
      }),
    );
    expect(output).toContain('tool-linux-x64 1.0.0 has no integrity hash in the lockfile.');
    expect(output).toContain('tool-linux-arm64 1.0.0 has another integrity hash in the registry than in the lockfile.');
    expect(code).toBe(1);
  });

  test('finds packages that npm left out of the lockfile', async () => {
    const { code, output } = await runDoctor(lockfile({ 'tool-linux-x64': x64 }, ['tool-linux-x64', 'tool-linux-arm64']));
    expect(output).toContain('tool-linux-arm64, an optional package of node_modules/tool, is not in the lockfile.');
    expect(output).toContain('node_modules/tool has optional packages for Linux on x64 alone.');
    expect(code).toBe(1);
  });

  test('mentions what only musl needs, and asks nothing about other platforms', async () => {
    const { code, output } = await runDoctor(
      lockfile({
        'tool-linux-x64': x64,
        'tool-linux-arm64': arm64,
        'tool-linux-x64-musl': { ...x64, libc: ['musl'] },
        'tool-darwin-arm64': { ...arm64, os: ['darwin'] },
        'tool-not-linux': { ...x64, os: ['!linux'] },
      }),
    );
    expect(output).toContain('only for musl, not counted: tool-linux-x64-musl 1.0.0 is not in the registry.');
    expect(output).not.toMatch(/darwin|not-linux/);
    expect(code).toBe(0);
  });

  test('says plainly that the registry could not be asked', async () => {
    const { code, output } = await runDoctor(
      lockfile({ 'tool-linux-x64': x64, 'tool-linux-arm64': arm64 }),
      'http://127.0.0.1:9/',
    );
    expect(output).toContain('The npm registry could not be asked, so the lockfiles are not checked');
    expect(code).toBe(2);
  });
});
