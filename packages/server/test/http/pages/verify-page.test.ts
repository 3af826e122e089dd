import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { verifyPages } from '../../../src/http/pages/verify-page.ts';

test('the page that verifies audit files is compressed, revalidated, and may send nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'verify-'));
  const script = 'export const table = [1, 2, 3];\n'.repeat(100);
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'page.js'), script);
  await writeFile(join(folder, 'page.js.LEGAL.txt'), 'licences');
  const pages = verifyPages(folder);
  const ask = (path: string, headers: object) => pages.get(path)?.({ headers } as IncomingMessage);
  const answer = await ask('/verify/page.js', { 'accept-encoding': 'gzip' });
  const csp = expect.stringContaining("default-src 'none'");
  expect(answer).toMatchObject({ status: 200, headers: { 'Content-Encoding': 'gzip', 'Content-Security-Policy': csp } });
  expect(gunzipSync(answer?.body as Buffer).toString()).toBe(script);
  const etag = answer?.headers?.ETag;
  expect(await ask('/verify/page.js', { 'accept-encoding': 'gzip', 'if-none-match': etag })).toMatchObject({ status: 304 });
  for (const path of ['/verify', '/verify/']) expect((await ask(path, {}))?.body.toString()).toBe('<!doctype html>');
  expect(pages.get('/verify/page.js.LEGAL.txt')).toBeUndefined();
  expect(await ask('/verify/page.css', {})).toMatchObject({ status: 404 });
  await rm(folder, { recursive: true });
  expect(await verifyPages(folder).get('/verify')?.({ headers: {} } as IncomingMessage)).toMatchObject({ status: 404 });
});
