import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';
import { visit } from './story.ts';

let browser: Browser;
let service: ConsoleService;
let proxy: PrefixProxy;
let ann: Person;
let consoleUrl: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  proxy = await startPrefixProxy(service.url, '/keys/eu');
  consoleUrl = `${proxy.origin}/keys/eu/console/`;
  ann = await openPerson(browser, consoleUrl, { keepsFiles: true });
  await ann.page.goto(consoleUrl + new URL(service.setupLink).hash);
  await ann.page.getByRole('button', { name: 'Create a passkey' }).click();
  await ann.page.getByText('Latest activities').waitFor();
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await service?.close();
});

/** The addresses of everything that the browser keeps for the console. */
const kept = () =>
  ann.page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().map(({ url }) => url);
  });

test('D222: the browser keeps the files of the console, below its folder, and no answer of the service', async () => {
  const scope = await ann.page.evaluate(async () => (await navigator.serviceWorker.ready).scope);
  expect(scope).toBe(consoleUrl);
  await visit(ann, '/wallets');
  await ann.page.getByText('No wallet yet').waitFor();
  await expect.poll(async () => (await kept()).length, { timeout: 60_000 }).toBeGreaterThan(50);
  const strange = (await kept()).filter(
    (url) => !/^(index\.html|assets\/[\w.-]+-[\w-]{8}\.(js|css|svg|woff2))$/.test(url.slice(consoleUrl.length)),
  );
  expect(strange).toEqual([]);
});

test('D222: a page that is there comes from the service, and an update replaces the worker', async () => {
  await ann.page.evaluate(async () => {
    const [name = ''] = await caches.keys();
    await (await caches.open(name)).put('index.html', new Response('<title>An old console</title>'));
    await caches.open('countersign-console-of-an-older-release');
  });
  await ann.page.reload();
  await ann.page.getByText('No wallet yet').waitFor();
  // A worker of another release installs itself, and drops what the older ones kept.
  proxy.alter('/console/worker.js', (script) => script.replace(/`[0-9a-f]{16}`/, '`next`'));
  await ann.page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update();
  });
  await expect
    .poll(() => ann.page.evaluate(async () => (await caches.keys()).filter((name) => name !== 'countersign-console-next')), {
      timeout: 60_000,
    })
    .toEqual([]);
  await expect.poll(async () => (await kept()).length, { timeout: 60_000 }).toBeGreaterThan(50);
});

test('D222: on a slow network the page waits for the service, and is never the cached one', async () => {
  const [name = ''] = await ann.page.evaluate(() => caches.keys());
  await ann.page.evaluate(async (cache) => {
    await (await caches.open(cache)).put('index.html', new Response('<title>An old console</title>'));
  }, name);
  const release = proxy.stall();
  const reloaded = ann.page.reload({ waitUntil: 'commit' });
  // Longer than the six seconds after which a cached page would be tempting.
  await ann.page.waitForTimeout(8_000);
  expect(await ann.page.title()).not.toBe('An old console');
  release();
  await reloaded;
  await ann.page.getByText('No wallet yet').waitFor();
  // Restores the page that the next test opens without a network.
  await ann.page.evaluate(async (cache) => (await caches.open(cache)).add(new Request('index.html', { cache: 'reload' })), name);
});

test('D223: without a network the console opens and says so, and a change fails instead of waiting for the network', async () => {
  await proxy.close();
  await ann.page.reload();
  await ann.page.getByText('The service cannot be reached.').waitFor();
  await visit(ann, '/contacts');
  await ann.page.getByRole('heading', { name: 'Contacts' }).waitFor();
  await ann.page.getByRole('alert').getByText('The service does not respond.').waitFor();
  // A page that was never opened before.
  await visit(ann, '/policies/new');
  await ann.page.getByText('No problem found').waitFor();
  await ann.page.getByLabel('Name', { exact: true }).fill('Later');
  // From now on the device itself says that there is no network.
  await ann.context.setOffline(true);
  await ann.page.getByRole('button', { name: 'Save policy' }).click();
  await ann.page.getByRole('region', { name: 'Notifications' }).getByText('The service does not respond.').waitFor();
});

test('signing out drops what was kept', async () => {
  await ann.page.getByRole('button', { name: 'Sign out' }).click();
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await expect.poll(kept).toEqual([]);
  await expect.poll(() => ann.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  expect(ann.faults).toEqual([]);
  expect(ann.foreign).toEqual([]);
});
