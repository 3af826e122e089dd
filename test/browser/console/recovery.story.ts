import { generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { visit } from './story.ts';

const BOB = 'bob@example.com';

let browser: Browser;
let service: ConsoleService;
let userId: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  const user = { ...userParams(), userName: 'Bob', userEmail: BOB };
  const { userIds } = await service.root.result('createUsers', { users: [user] });
  userId = userIds[0];
  await service.root.result('setOrganizationFeature', { name: 'FEATURE_NAME_EMAIL_RECOVERY', value: '' });
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** A person at the recovery page, and the mail that an administrator has sent to them. */
async function requestRecovery(person: Person) {
  const { organizationId } = service.root;
  await person.page.goto(service.consoleUrl);
  await person.page.getByRole('link', { name: 'Recover with an email' }).click();
  await person.page.getByLabel('Organization id').fill(organizationId);
  const targetPublicKey = await person.page.getByText(/^04[0-9a-f]{128}$/).textContent();
  const magicLinkTemplate = `${service.consoleUrl}#/recover?organization=${organizationId}&bundle=%s`;
  const request = { email: BOB, targetPublicKey, emailCustomization: { magicLinkTemplate } };
  await service.root.result('initUserEmailRecovery', request);
  const link = async () => {
    const { entries } = JSON.parse(await service.newestMail());
    return /http\S+#\/recover\S+/.exec(entries[0]?.text ?? '')?.[0] ?? '';
  };
  await expect.poll(link, { timeout: 60_000 }).not.toBe('');
  const address = await link();
  return { address, bundle: new URLSearchParams(address.slice(address.indexOf('?'))).get('bundle') ?? '' };
}

const create = ({ page }: Person) => page.getByRole('button', { name: 'Create a new passkey' });

test('D316: the link of a recovery email registers a passkey in the browser that made the request, and in no other', async () => {
  const bob = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  const { address } = await requestRecovery(bob);
  const thief = await openPerson(browser, service.consoleUrl);
  await thief.page.goto(address);
  await thief.page.getByText('This browser cannot open the code').waitFor();
  expect(await thief.passkeys()).toBe(0);

  await bob.page.goto('about:blank');
  await bob.page.goto(address);
  await bob.page.getByText('Bob', { exact: true }).waitFor();
  expect(bob.page.url()).not.toContain('bundle');
  await create(bob).click();
  await bob.page.getByText('Latest activities').waitFor();

  // The email was used.
  await bob.page.goto('about:blank');
  await bob.page.goto(address);
  await bob.page.getByRole('alert').waitFor();
  expect(await bob.passkeys()).toBe(1);
  expect([...bob.faults, ...thief.faults]).toEqual([]);
});

test('D316: a person pastes the code of the email', async () => {
  const bob = await openPerson(browser, service.consoleUrl);
  const { bundle } = await requestRecovery(bob);
  await bob.page.getByLabel('Code from the email').fill(`${bundle.slice(0, 40)}\n${bundle.slice(40)}`);
  await bob.page.getByRole('button', { name: 'Continue' }).click();
  await create(bob).click();
  await bob.page.getByText('Latest activities').waitFor();
  expect(bob.faults).toEqual([]);
});

test('D318: removing the passkey that opened the session warns of that, and ends it; removing another one does neither', async () => {
  const bob = await openPerson(browser, service.consoleUrl);
  const { organizationId } = service.root;
  const { apiPublicKey: publicKey, apiPrivateKey: token } = generateApiKey();
  await service.root.result('createSetupKey', { userId, publicKey });
  await bob.page.goto(setupLink(service.consoleUrl, { organizationId, userId, token }));
  await bob.page.getByLabel('Passkey name').fill('This one');
  await bob.page.getByRole('button', { name: 'Create a passkey', exact: true }).click();
  await bob.page.getByText('Latest activities').waitFor();
  await visit(bob, '/me');
  const row = (name: string) => bob.page.getByRole('listitem').filter({ hasText: name });
  const dialog = bob.page.getByRole('alertdialog').or(bob.page.getByRole('dialog'));
  await row('My passkey').first().getByRole('button', { name: 'Remove' }).click();
  await dialog.getByText('will no longer sign you in').waitFor();
  expect(await dialog.getByText('You signed in with it').count()).toBe(0);
  await bob.page.keyboard.press('Escape');
  await row('This one').getByRole('button', { name: 'Remove' }).click();
  await dialog.getByText('You signed in with it').waitFor();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await bob.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
});
