import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderSite, siteFonts } from '../../../scripts/site/build.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';

/** Nothing inline, nothing foreign, no text that becomes a script. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
  json: 'application/json',
  woff2: 'font/woff2',
};

describe('the documents in a browser, below a path of their own', () => {
  let server: Server;
  let browser: Browser;
  let page: Page;
  let base: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    const site = new Map<string, string | Buffer>([...renderSite(), ...siteFonts()]);
    server = createServer(({ url = '' }, response) => {
      const path = url.replace(/^\/docs\//, '').split('?')[0] ?? '';
      const content = site.get(path);
      const type = types[path.split('.').at(-1) ?? ''] ?? 'text/plain';
      response
        .writeHead(content === undefined ? 404 : 200, { 'Content-Type': type, 'Content-Security-Policy': POLICY })
        .end(content);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/`;
    browser = await startChromium();
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('request', (request) => !request.url().startsWith(base) && complaints.push(request.url()));
  }, CHROMIUM_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  test('the search finds an operation, by keys alone', async () => {
    await page.goto(`${base}index.html`);
    await page.keyboard.press('/');
    await page.keyboard.type('sign transaction');
    await page.locator('#results a').first().waitFor();
    expect(await page.locator('#results a strong').first().textContent()).toBe('signTransaction');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${base}reference/operations/sign-transaction.html`);
    expect(await page.locator('h1').textContent()).toBe('signTransaction');
  });

  test('what nobody wrote about is not found', async () => {
    await page.locator('#search').fill('zzzzqqqq');
    await page.getByText('Nothing was found.').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('#results').isHidden()).toBe(true);
  });

  test('a call has tabs, and one of them is open', async () => {
    await page.goto(`${base}reference/operations/create-wallet.html`);
    const open = () => page.locator('.panel:visible').allTextContents();
    expect((await open()).join()).toContain('countersign create-wallet');
    for (const [title, text] of [
      ['curl', 'X-Stamp'],
      ['TypeScript', 'await client.createWallet'],
      ['@turnkey/http', 'await turnkey.createWallet'],
    ] as const) {
      await page.locator('.tabs > label', { hasText: title }).click();
      expect(await open()).toEqual([expect.stringContaining(text)]);
    }
  });

  test('nothing was refused by the policy, and nothing came from elsewhere', () => {
    expect(complaints).toEqual([]);
  });
});
