import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { type Page, sharedPage } from '../../../src/http/pages/page.ts';

const request = {} as IncomingMessage;

test('D255: concurrent requests share one computation, and a later one starts another', async () => {
  const started: ((page: Page) => void)[] = [];
  const page = sharedPage(() => new Promise((resolve) => started.push(resolve)));
  const first = [page(request), page(request), page(request)];
  const shown = (body: string): Page => ({ status: 200, contentType: 'text/plain', body });
  started[0]?.(shown('first'));
  expect(await Promise.all(first)).toEqual([shown('first'), shown('first'), shown('first')]);
  const next = page(request);
  started[1]?.(shown('next'));
  expect(await next).toEqual(shown('next'));
  expect(started).toHaveLength(2);
});

test('D255: an error is not kept', async () => {
  let count = 0;
  const page = sharedPage(async () => {
    count += 1;
    if (count === 1) throw new Error('once');
    return { status: 200, contentType: 'text/plain', body: '' };
  });
  await expect(page(request)).rejects.toThrow('once');
  expect((await page(request)).status).toBe(200);
});
