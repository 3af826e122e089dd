import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson } from './person.ts';
import { startPrefixProxy } from './prefix-proxy.ts';
import { createWallet, told, visit } from './story.ts';

let browser: Browser;
let service: ConsoleService;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

test('the console works behind a proxy that adds a path, and a recovery phrase goes out and comes back', async () => {
  const proxy = await startPrefixProxy(service.url, '/keys/eu');
  try {
    const consoleUrl = `${proxy.origin}/keys/eu/console/`;
    const ann = await openPerson(browser, consoleUrl);
    const { page } = ann;
    await page.goto(consoleUrl + new URL(service.setupLink).hash);
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await page.getByText('Latest activities').waitFor();
    await createWallet(ann, 'Treasury');

    await page.getByRole('link', { name: /Treasury/ }).click();
    const address = await page.getByText(/^0x[0-9a-fA-F]{40}$/).textContent();
    // The wallet's own. Each account has one too.
    await page.getByRole('button', { name: 'Export' }).first().click();
    await page.getByLabel('Type Treasury to confirm').fill('Treasury');
    await page.getByRole('button', { name: 'Show the recovery phrase' }).click();
    const phrase = (await page.getByText(/^(?:[a-z]+ ){11,23}[a-z]+$/).textContent()) ?? '';
    await page.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Delete wallet' }).click();
    await page.getByLabel('Type Treasury to confirm').fill('Treasury');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete wallet' }).click();
    await told(ann, 'Done.');

    await visit(ann, '/wallets');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Back again');
    await page.getByRole('dialog').getByLabel('Recovery phrase').fill(phrase);
    await page.getByRole('dialog').getByRole('button', { name: 'Import' }).click();
    await told(ann, 'The wallet was imported.');
    await page.getByRole('link', { name: /Back again/ }).click();
    await page.getByText(address ?? '', { exact: true }).waitFor();
    expect({ faults: ann.faults, foreign: ann.foreign }).toEqual({ faults: [], foreign: [] });
  } finally {
    await proxy.close();
  }
});
