import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson } from './person.ts';

/** Compressed bytes of the files of the first page. 90,000 of them are React, its router and its queries. */
const MOST_BYTES = 124_000;
/** The font file with the characters of western languages. */
const MOST_FONT_BYTES = 50_000;
const MOST_REQUESTS = 15;

let browser: Browser;
let service: ConsoleService;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

test('the first page transfers few bytes in few requests', async () => {
  const { page, context, faults } = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  const paths = new Map<string, string>();
  const sizes: Record<string, number> = {};
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => paths.set(requestId, new URL(request.url).pathname));
  const headers = new Map<string, number>();
  devtools.on('Network.responseReceived', ({ requestId, response }) => headers.set(requestId, response.encodedDataLength));
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sizes[paths.get(requestId) ?? requestId] = encodedDataLength - (headers.get(requestId) ?? 0);
  });
  await page.goto(service.consoleUrl);
  await page
    .getByRole('button', { name: /passkey/i })
    .first()
    .waitFor();
  await page.waitForLoadState('networkidle');
  const [fonts, others] = [true, false].map((isFont) =>
    Object.entries(sizes).filter(([path]) => path.endsWith('.woff2') === isFont),
  ) as [[string, number][], [string, number][]];
  const sumOf = (files: [string, number][]) => files.reduce((sum, [, size]) => sum + size, 0);
  // The text is shown without it, so it counts separately.
  expect(fonts).toHaveLength(1);
  expect(sumOf(fonts)).toBeLessThanOrEqual(MOST_FONT_BYTES);
  const bytes = sumOf(others);
  console.log(`${bytes} bytes in ${Object.keys(sizes).length} requests`, sizes);
  expect(Object.keys(sizes).length).toBeLessThanOrEqual(MOST_REQUESTS);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  expect(faults).toEqual([]);
});
