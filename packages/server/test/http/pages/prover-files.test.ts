import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Config } from '../../../src/config/settings.ts';
import { consoleSources, pageHeaders } from '../../../src/http/pages/page-headers.ts';
import { createProverFiles } from '../../../src/http/pages/prover-files.ts';
import { createSites } from '../../../src/http/pages/sites.ts';

const wasm = Buffer.alloc(200_000, 'wasm');
const headers = pageHeaders(consoleSources);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'z3-'));
  await writeFile(join(folder, 'z3-built.js'), 'var initZ3;');
  await writeFile(join(folder, 'z3-built.wasm'), wasm);
  await writeFile(join(folder, 'secret.txt'), 'secret');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const request = (asked: Record<string, string> = { 'accept-encoding': 'gzip, br' }) =>
  ({ headers: asked, socket: { localPort: 1 } }) as unknown as IncomingMessage;

test('D1060: only the scripts of the prover may compile WebAssembly, and none may evaluate text', async () => {
  const console = await mkdtemp(join(tmpdir(), 'console-'));
  await writeFile(join(console, 'index.html'), '<!doctype html>');
  await writeFile(join(console, 'worker.js'), 'self.x = 1;');
  await mkdir(join(console, 'prover'));
  await writeFile(join(console, 'prover', 'worker.js'), 'self.x = 1;');
  const config = { console: 'on', compatRoot: '', webauthnRpIds: [], explorerUrls: {} } as unknown as Config;
  const sites = createSites(config, () => {}, { console, docs: join(console, 'none') });
  const policyOf = async (path: string) => {
    const page = await sites.pageUnder(path)?.(request());
    expect(page?.status).toBe(200);
    expect(page?.headers).toMatchObject({ 'Cross-Origin-Embedder-Policy': 'require-corp' });
    return page?.headers?.['Content-Security-Policy'] ?? '';
  };
  for (const path of ['/console/', '/console/worker.js', '/console/settings.json']) {
    const policy = await policyOf(path);
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
  }
  for (const path of ['/console/prover/worker.js', '/console/prover/z3-built.js']) {
    const policy = await policyOf(path);
    expect(policy).toContain("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'");
    expect(policy).not.toContain("'unsafe-eval'");
  }
  await rm(console, { recursive: true, force: true });
}, 120_000);

test('D1061: compresses a file once, and sends no other form of it', async () => {
  const files = createProverFiles(folder);
  const ask = (asked?: Record<string, string>) => files('prover/z3-built.wasm', headers)?.(request(asked));
  const pages = await Promise.all([ask(), ask(), ask()]);
  for (const page of pages) expect(page?.body).toBe(pages[0]?.body);
  expect(brotliDecompressSync(pages[0]?.body as Buffer).equals(wasm)).toBe(true);
  expect(pages[0]).toMatchObject({
    status: 200,
    contentType: 'application/wasm',
    headers: { 'Content-Encoding': 'br', 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding, Origin' },
  });
  // It was read before.
  await rm(join(folder, 'z3-built.wasm'));
  expect((await ask())?.body).toBe(pages[0]?.body);
  for (const coding of ['gzip', 'br;q=0', '']) expect(await ask({ 'accept-encoding': coding })).toMatchObject({ status: 406 });
  const tag = pages[0]?.headers?.ETag as string;
  expect(await ask({ 'accept-encoding': 'br', 'if-none-match': tag })).toMatchObject({ status: 304, body: '' });
});

test('D1176: a file that could not be read is read again, and one that appears is found', async () => {
  const other = await mkdtemp(join(tmpdir(), 'z3-'));
  const failures = [Object.assign(new Error('too many open files'), { code: 'EMFILE' }), undefined];
  let reads = 0;
  const files = createProverFiles(other, (path) => {
    const failure = failures[reads];
    reads += 1;
    return failure === undefined ? readFile(path) : Promise.reject(failure);
  });
  const ask = () => files('prover/z3-built.js', headers)?.(request());
  await expect(Promise.all([ask(), ask()])).rejects.toThrow('too many open files');
  expect(await ask()).toMatchObject({ status: 404 });
  await writeFile(join(other, 'z3-built.js'), 'var initZ3;');
  expect(await ask()).toMatchObject({ status: 200 });
  expect(await ask()).toMatchObject({ status: 200 });
  // Requests share a reading, and what was read stays.
  expect(reads).toBe(3);
  await rm(other, { recursive: true, force: true });
});

test('serves two files only, and says how to install them', async () => {
  const files = createProverFiles(folder);
  for (const name of [
    'prover/secret.txt',
    'prover/../secret.txt',
    'prover/',
    'prover/constructor',
    '__proto__',
    'prover/worker.js',
  ])
    expect(files(name, headers)).toBeUndefined();
  const page = await createProverFiles(join(folder, 'none'))('prover/z3-built.wasm', headers)?.(request());
  expect(page).toMatchObject({ status: 404, headers });
  expect(String(page?.body)).toContain('npm install z3-solver@5.2.0');
});
