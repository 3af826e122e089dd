import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../../src/http/pages/page.ts';
import { ownOriginOnly, pageHeaders } from '../../../src/http/pages/page-headers.ts';
import { readStaticFiles } from '../../../src/http/pages/static-files.ts';
import { createStaticSite } from '../../../src/http/pages/static-site.ts';

const script = `export const words = ${JSON.stringify('abcdefgh'.repeat(200))};`;
const headers = pageHeaders(ownOriginOnly);
let parent: string;
let folder: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'site-'));
  folder = join(parent, 'dist');
  await mkdir(join(folder, 'assets'), { recursive: true });
  await mkdir(join(folder, 'guide'), { recursive: true });
  await writeFile(join(parent, 'secret.txt'), 'secret');
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>index</title>');
  await writeFile(join(folder, 'guide', 'index.html'), '<!doctype html><title>guide</title>');
  await writeFile(join(folder, 'guide', 'a b.txt'), 'spaced');
  await writeFile(join(folder, '.env'), 'hidden');
  await writeFile(join(folder, 'worker.js'), 'self.x = 1;');
  await writeFile(join(folder, 'assets', 'index-Br8Yk2Qz.js'), script);
  await writeFile(join(folder, 'assets', 'index-Br8Yk2Qz.js.br'), brotliCompressSync(script));
  await writeFile(join(folder, 'late.json'), script);
  await writeFile(join(folder, 'random.txt'), randomBytes(4_096));
  await writeFile(join(folder, 'photo.png'), Buffer.alloc(4_096));
  await symlink(join(parent, 'secret.txt'), join(folder, 'linked.txt'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

async function ask(path: string, asked: Record<string, string> = {}) {
  const site = createStaticSite({ path: '/console', files: readStaticFiles(folder), headers, absent: 'Not built.' });
  return site(path)?.({ headers: asked } as unknown as IncomingMessage);
}

describe('a static site', () => {
  test('serves its index at its path with a trailing slash', async () => {
    expect(await ask('/console/')).toMatchObject({ status: 200, contentType: 'text/html; charset=utf-8' });
    expect(await ask('/console')).toMatchObject({ status: 308, headers: { Location: 'console/' } });
    expect(await ask('/console/guide')).toMatchObject({ status: 308, headers: { Location: 'guide/' } });
    expect(String((await ask('/console/guide/'))?.body)).toContain('guide');
  });

  test('ignores paths outside its prefix', async () => {
    expect(await ask('/consoles')).toBeUndefined();
    expect(await ask('/')).toBeUndefined();
  });

  test('hashed file names are immutable in caches, all others are revalidated', async () => {
    expect((await ask('/console/assets/index-Br8Yk2Qz.js'))?.headers).toMatchObject({
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
    for (const path of ['/console/', '/console/worker.js'])
      expect((await ask(path))?.headers).toMatchObject({ 'Cache-Control': 'no-cache' });
  });

  test.each([
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=0.5, BR;q=1.0', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.1', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0', undefined],
    ['br; q=0.000', undefined],
    ['gzip;q=0', undefined],
    ['', undefined],
    ['brx', undefined],
    ['deflate, zstd', undefined],
  ])('to a client that accepts %s', async (accepted, coding) => {
    for (const path of ['/console/assets/index-Br8Yk2Qz.js', '/console/late.json']) {
      const answer = await ask(path, { 'accept-encoding': accepted });
      expect(answer?.headers?.['Content-Encoding']).toBe(coding);
      expect(answer?.headers?.Vary).toBe('Accept-Encoding, Origin');
      const body = answer?.body as Buffer;
      const plain = coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body;
      expect(String(plain)).toBe(script);
    }
  });

  test('compresses each file once for each coding, and leaves out what does not get smaller', async () => {
    const site = createStaticSite({ path: '/console', files: readStaticFiles(folder), headers, absent: 'Not built.' });
    const bodyOf = async (path: string) =>
      (await site(path)?.({ headers: { 'accept-encoding': 'gzip' } } as unknown as IncomingMessage)) as Page;
    const [first, second] = await Promise.all([bodyOf('/console/late.json'), bodyOf('/console/late.json')]);
    expect(first.body).toBe(second.body);
    for (const path of ['/console/worker.js', '/console/random.txt', '/console/photo.png']) {
      const { headers: sent } = await bodyOf(path);
      expect(sent?.['Content-Encoding']).toBeUndefined();
    }
    expect((await bodyOf('/console/photo.png')).headers?.Vary).toBeUndefined();
  });

  test('each encoding has its own ETag and answers 304 to a matching one', async () => {
    const path = '/console/assets/index-Br8Yk2Qz.js';
    const tagFor = async (accepted: string) => (await ask(path, { 'accept-encoding': accepted }))?.headers?.ETag as string;
    const plain = await tagFor('');
    const [brotli, gzip] = [await tagFor('br'), await tagFor('gzip')];
    expect(new Set([plain, brotli, gzip]).size).toBe(3);
    for (const known of [plain, `W/${plain}`, `"other", ${plain}`, '*'])
      expect(await ask(path, { 'if-none-match': known })).toMatchObject({ status: 304, body: '' });
    for (const other of [brotli, gzip, '"other"', plain.slice(1, -1), ''])
      expect(await ask(path, { 'if-none-match': other })).toMatchObject({ status: 200 });
    const known = await ask(path, { 'accept-encoding': 'gzip', 'if-none-match': gzip });
    expect(known).toMatchObject({ status: 304, headers: { ETag: gzip, Vary: 'Accept-Encoding, Origin' } });
  });

  test('does not exist before it is built', async () => {
    const site = createStaticSite({ path: '/docs', files: readStaticFiles(join(folder, 'none')), headers, absent: 'Not built.' });
    expect(await site('/docs/')?.({ headers: {} } as IncomingMessage)).toMatchObject({ status: 404, body: 'Not built.\n' });
    expect(await readStaticFiles(join(folder, 'assets'))).toBeUndefined();
  });
});

describe('D190: path traversal', () => {
  test.each([
    '/console/../secret.txt',
    '/console/..%2fsecret.txt',
    '/console/%2e%2e/secret.txt',
    '/console/..\\secret.txt',
    '/console/linked.txt',
    '/console/.env',
    '/console/assets',
    '/console/assets/',
    '/console/assets/index-Br8Yk2Qz.js.br',
    '/console/assets/index-Br8Yk2Qz.js/',
    '/console/INDEX.HTML',
    '/console/index.html%00',
    '/console/guide/a b.txt',
    '/console/constructor',
    '/console/__proto__',
  ])('%s does not exist', async (path) => {
    expect(await ask(path)).toMatchObject({ status: 404, body: 'File not found.\n', headers });
  });

  test('serves only files of the folder for any path', async () => {
    const files = (await readStaticFiles(folder)) ?? new Map();
    expect([...files.keys()].sort()).toEqual([
      'assets/index-Br8Yk2Qz.js',
      'guide/a%20b.txt',
      'guide/index.html',
      'index.html',
      'late.json',
      'photo.png',
      'random.txt',
      'worker.js',
    ]);
    const pieces = fc.constantFrom(
      '../..',
      '.',
      '/',
      '%2e',
      '%2f',
      '\\',
      'index.html',
      'assets',
      '\0',
      'secret.txt',
      '.env',
      '//',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 6 }), async (parts) => {
        const answer = await ask(`/console/${parts.join('')}`);
        expect(String(answer?.body)).not.toMatch(/^(secret|hidden)$/);
        if (answer?.status === 200) expect([...files.values()].map(({ body }) => String(body))).toContain(String(answer.body));
      }),
    );
  });
});

test('D191: nothing inline, nothing from another origin, and no frame', () => {
  expect(headers).toMatchInlineSnapshot(`
    {
      "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types countersign",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Origin-Agent-Cluster": "?1",
      "Permissions-Policy": "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=(), publickey-credentials-create=(self), publickey-credentials-get=(self)",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
    }
  `);
});
