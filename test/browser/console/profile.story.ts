import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { passkeyParams } from '../../features/catalogue/support/passkeys.ts';
import { importApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS } from '../../support/chromium.ts';
import { filesWith, type ProfileBrowser, startOnProfile } from '../../support/chromium-profile.ts';
import { createSubOrganization, errorOf } from '../../support/world.ts';
import { authenticatorKinds } from '../browser/passkey-browser.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';

/** What a browser writes to its disk, after a delay of seconds. */
const WRITTEN = { timeout: 60_000, interval: 500 };

let service: ConsoleService;
let plain: Server;
let profile: string;
let running: ProfileBrowser;

beforeAll(async () => {
  service = await startConsoleService();
  plain = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<textarea></textarea>'));
  await new Promise<void>((resolve) => plain.listen(0, 'localhost', resolve));
  profile = mkdtempSync(join(tmpdir(), 'countersign-profile-'));
  running = await startOnProfile(profile);
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await running?.kill();
  plain?.close();
  await service?.close();
  await rm(profile, { recursive: true, force: true });
});

async function openPage(): Promise<Page> {
  const [context] = running.browser.contexts();
  const page = await context?.newPage();
  if (context === undefined || page === undefined) throw new Error('the browser has no window');
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable', { enableUI: false });
  const options = { ...authenticatorKinds.platform, automaticPresenceSimulation: true };
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
  return page;
}

/** A user of a new organization with a link whose key the test knows. */
async function newLink() {
  const { organizationId, userId, caller } = await createSubOrganization(service.root);
  const key = generateApiKey();
  await caller.result('createSetupKey', { userId, publicKey: key.apiPublicKey });
  const address = setupLink(service.consoleUrl, { organizationId, userId, token: key.apiPrivateKey });
  const thief = caller.with({ key: importApiKey(key) });
  return { userId, key, address, thief };
}

async function register(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Create a passkey', exact: true }).click();
  await page.getByText('Latest activities').waitFor();
}

test('D311: nothing that a person types into a field for secrets reaches the disk, also after a crash and a restart', async () => {
  const page = await openPage();
  await register(page, (await newLink()).address);
  await page.goto(`${service.consoleUrl}#/wallets`);
  await page.getByRole('button', { name: 'Import' }).first().click();
  const phrase = `${'abandon '.repeat(10)}quokkaphrase zebraphrase`;
  const area = page.getByRole('dialog').getByLabel('Recovery phrase');
  await area.fill(phrase);
  await area.press('End');
  const pasting = await openPage();
  await pasting.goto(`${service.consoleUrl}#/accept`);
  await pasting.getByLabel('Link or key').fill('quokkapastedkey');
  // The search finds what a browser keeps: the content of an ordinary field.
  const ordinary = await openPage();
  await ordinary.goto(`http://localhost:${(plain.address() as AddressInfo).port}/`);
  await ordinary.locator('textarea').fill('quokkaordinary');
  await ordinary.locator('textarea').press('End');
  await expect.poll(() => filesWith(profile, 'quokkaordinary'), WRITTEN).not.toEqual([]);

  const secrets = ['quokkaphrase', 'zebraphrase', 'quokkapastedkey'];
  const found = () => secrets.flatMap((text) => filesWith(profile, text));
  expect(found()).toEqual([]);
  await running.kill();
  expect(found()).toEqual([]);
  running = await startOnProfile(profile, { restore: true });
  await openPage();
  expect(filesWith(profile, 'quokkaordinary')).not.toEqual([]);
  expect(found()).toEqual([]);
});

test('D312: the history keeps the link that was used, and its key is worthless', async () => {
  const { userId, key, address, thief } = await newLink();
  await register(await openPage(), address);
  await expect.poll(() => filesWith(profile, key.apiPrivateKey), WRITTEN).toContain('Default/History');
  expect((await thief.query('whoami')).status).toBe(401);
  expect(errorOf(await thief.submit('recoverUser', { userId, authenticator: passkeyParams() })).status).toBe(401);
});

test('D312: so is that of a link whose page the person left after the first action', async () => {
  const { userId, key, address, thief } = await newLink();
  const page = await openPage();
  await page.goto(address);
  await page.getByLabel('Passkey name').click();
  await expect.poll(async () => (await thief.query('whoami')).status).toBe(401);
  await page.close();
  await expect.poll(() => filesWith(profile, key.apiPrivateKey), WRITTEN).toContain('Default/History');
  expect(errorOf(await thief.submit('recoverUser', { userId, authenticator: passkeyParams() })).status).toBe(401);
  // The person opens the link again in the same browser.
  await register(await openPage(), address);
});
