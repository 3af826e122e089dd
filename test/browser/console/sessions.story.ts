import { ApiKeyStamper, createClient, generateApiKey, loginCode, loginLink } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createSubOrganization } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson } from './person.ts';
import { createWallet, setUp, visit } from './story.ts';

let browser: Browser;
let service: ConsoleService;

beforeAll(async () => {
  browser = await startChromium();
  service = await startConsoleService();
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

test('D212: nothing of a session is shown in the next one that a link opens', async () => {
  const ann = await openPerson(browser, service.consoleUrl);
  await setUp(ann, service);
  await createWallet(ann, 'Of the first organization');
  await visit(ann, '/wallets');
  await ann.page.getByText('Of the first organization').first().waitFor();

  const { organizationId, userId, caller } = await createSubOrganization(service.root);
  const { apiPublicKey: publicKey, apiPrivateKey: token } = generateApiKey();
  await caller.result('createSetupKey', { userId, publicKey });
  const link = setupLink(service.consoleUrl, { organizationId, userId, token });
  await visit(ann, link.slice(link.indexOf('#')));
  await ann.page.getByLabel('Passkey name').fill('Another');
  // The service does not answer yet when the list of the other organization is looked at.
  await ann.page.route('**/list_wallets', () => {});
  await ann.page.getByRole('button', { name: 'Create a passkey', exact: true }).click();
  await ann.page.getByText('Latest activities').waitFor();
  await visit(ann, '/wallets');
  await ann.page.getByRole('heading', { name: 'Wallets' }).first().waitFor();
  await ann.page.waitForTimeout(500);
  expect(await ann.page.getByText('Of the first organization').count()).toBe(0);
});

test('D215: the key of a link is in no address, also where a second link is opened in the same page', async () => {
  const { page } = await openPerson(browser, service.consoleUrl);
  const linkWith = (digit: string) =>
    setupLink(service.consoleUrl, { organizationId: 'o', userId: 'u', token: digit.repeat(64) });
  await page.goto(linkWith('a'));
  await page.getByText('This link was used').waitFor();
  expect(page.url()).not.toContain('token');
  await page.goto(linkWith('b'));
  await page.waitForTimeout(500);
  expect(page.url()).not.toContain('token');
  await page.getByText('This link was used').waitFor();
});

test('D225: the page for a command line shows the code of the key in its link, and the passkey lets in that key alone', async () => {
  const ann = await openPerson(browser, service.consoleUrl);
  const { organizationId, userId, caller } = await createSubOrganization(service.root);
  const setup = generateApiKey();
  await caller.result('createSetupKey', { userId, publicKey: setup.apiPublicKey });
  await ann.page.goto(setupLink(service.consoleUrl, { organizationId, userId, token: setup.apiPrivateKey }));
  await ann.page.getByLabel('Passkey name').fill('Laptop');
  await ann.page.getByRole('button', { name: 'Create a passkey', exact: true }).click();
  await ann.page.getByText('Latest activities').waitFor();

  const [own, swapped] = [generateApiKey(), generateApiKey()];
  const shown = ann.page.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  for (const { apiPublicKey: publicKey } of [swapped, own]) {
    const link = loginLink(service.consoleUrl, { organizationId, publicKey });
    await visit(ann, link.slice(link.indexOf('#')));
    await ann.page.getByText(loginCode({ organizationId, publicKey })).waitFor();
    expect(await shown.count()).toBe(1);
  }
  await ann.page.getByRole('button', { name: 'sign it in' }).click();
  await ann.page.getByText('The command line is signed in.').waitFor();
  const whoami = (key: typeof own) =>
    createClient({ baseUrl: service.url, organizationId, stamper: new ApiKeyStamper(key) }).whoami();
  expect(await whoami(own)).toMatchObject({ userId });
  await expect(whoami(swapped)).rejects.toMatchObject({ status: 401 });

  const elsewhere = loginLink(service.consoleUrl, { organizationId: service.root.organizationId, publicKey: own.apiPublicKey });
  await visit(ann, elsewhere.slice(elsewhere.indexOf('#')));
  await ann.page.getByText('another organization').waitFor();
  expect(await shown.count()).toBe(0);
  expect(ann.faults).toEqual([]);
});
