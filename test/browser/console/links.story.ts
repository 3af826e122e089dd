import { ApiKeyStamper, createClient, generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createSubOrganization } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { addAuthenticator, openPerson, type Person } from './person.ts';
import { visit } from './story.ts';

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

/** A new user with an organization, and links for them. */
async function newcomer() {
  const { organizationId, userId, caller } = await createSubOrganization(service.root);
  const link = async (more: object = {}, key = generateApiKey()) => {
    const { apiPublicKey: publicKey, apiPrivateKey: token } = key;
    await caller.result('createSetupKey', { userId, publicKey, ...more });
    return setupLink(service.consoleUrl, { organizationId, userId, token });
  };
  return { organizationId, userId, caller, link };
}

/** Another tab of the same browser, with an empty authenticator. */
async function openTab({ context }: Person): Promise<Pick<Person, 'page' | 'passkeys'>> {
  const page = await context.newPage();
  return { page, passkeys: await addAuthenticator(context, page) };
}

const create = ({ page }: Pick<Person, 'page'>) => page.getByRole('button', { name: 'Create a passkey', exact: true });

async function register(person: Person, link: string): Promise<void> {
  await person.page.goto(link);
  await person.page.getByLabel('Passkey name').fill('Laptop');
  await create(person).click();
  await person.page.getByText('Latest activities').waitFor();
}

async function signOutAndIn(person: Person): Promise<void> {
  await visit(person, '/me');
  await person.page.getByRole('button', { name: 'Sign out' }).click();
  await person.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await person.page.getByText('this device').waitFor();
}

test('D310: a used link and a forged one create nothing, and the passkey of the person keeps working', async () => {
  const ann = await openPerson(browser, service.consoleUrl);
  const { organizationId, userId, link } = await newcomer();
  const used = await link();
  await register(ann, used);
  expect(await ann.passkeys()).toBe(1);
  const forged = setupLink(service.consoleUrl, { organizationId, userId, token: generateApiKey().apiPrivateKey });
  const foreign = setupLink(service.consoleUrl, { organizationId: crypto.randomUUID(), userId, token: 'b'.repeat(64) });
  for (const bad of [used, forged, foreign]) {
    await ann.page.goto('about:blank');
    await ann.page.goto(bad);
    await ann.page.getByText('This link was used, or it is not valid').waitFor();
    expect(await create(ann).count()).toBe(0);
    expect(await ann.passkeys()).toBe(1);
  }
  await ann.page.goto(service.consoleUrl);
  await ann.page.getByText('Latest activities').waitFor();
  await signOutAndIn(ann);
  expect(ann.faults).toEqual([]);
});

test('D310: an expired link says so, and a fresh one names organization and person, then registers', async () => {
  const ann = await openPerson(browser, service.consoleUrl);
  const { caller, link } = await newcomer();
  const { organizationName, username } = await caller.data('whoami');
  const old = await link({ expirationSeconds: '1' });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await ann.page.goto(old);
  await ann.page.getByText('This link has expired').waitFor();
  await ann.page.goto('about:blank');
  await ann.page.goto(await link());
  await ann.page.getByText(organizationName).waitFor();
  await ann.page.getByText(username, { exact: true }).waitFor();
  await create(ann).click();
  await ann.page.getByText('Latest activities').waitFor();
  expect(ann.faults).toEqual([]);
});

test('D310: a fresh link on a device that has a passkey of the person replaces nothing, and works on another device', async () => {
  const ann = await openPerson(browser, service.consoleUrl);
  const { link } = await newcomer();
  await register(ann, await link());
  const second = await link();
  await ann.page.goto('about:blank');
  await ann.page.goto(second);
  await create(ann).click();
  await ann.page.getByText('This device already has a passkey for you').waitFor();
  await ann.page.goto(service.consoleUrl);
  await ann.page.getByText('Latest activities').waitFor();
  await signOutAndIn(ann);

  // The first browser exchanged the key of that link, so that another device needs a new one.
  const other = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  await other.page.goto(second);
  await other.page.getByText('This link was used, or it is not valid').waitFor();
  await register(other, await link());
  expect([...ann.faults, ...other.faults]).toEqual([]);
});

test('D310: two passkeys of one person stay side by side on one authenticator', async () => {
  const ann = await openPerson(browser, service.consoleUrl);
  const { userId, caller, link } = await newcomer();
  await register(ann, await link());
  // The service no longer knows the first passkey, so that nothing excludes it on the device.
  const { authenticators } = await caller.data('getAuthenticators', { userId });
  const [{ authenticatorId }] = authenticators;
  await caller.result('deleteAuthenticators', { userId, authenticatorIds: [authenticatorId] });
  await ann.page.goto('about:blank');
  await register(ann, await link());
  expect(await ann.passkeys()).toBe(2);
});

test('D312: the first action exchanges the key of the link, and opening a link alone does not', async () => {
  const ann = await openPerson(browser, service.consoleUrl);
  const { organizationId, link } = await newcomer();
  const key = generateApiKey();
  const address = await link({}, key);
  const whoami = () => createClient({ baseUrl: service.url, organizationId, stamper: new ApiKeyStamper(key) }).whoami();
  await ann.page.goto(address);
  await ann.page.getByLabel('Passkey name').waitFor();
  // A program that scans mail opens links.
  expect(await whoami()).toMatchObject({ oneTimeKey: { exchanged: false } });
  await ann.page.getByLabel('Passkey name').click();
  await expect
    .poll(() =>
      whoami().then(
        () => 200,
        ({ status }) => status,
      ),
    )
    .toBe(401);
  // The same browser goes on where it was.
  await ann.page.goto('about:blank');
  await ann.page.goto(address);
  await create(ann).click();
  await ann.page.getByText('Latest activities').waitFor();
  expect(ann.faults).toEqual([]);
});

test('D388: of two tabs with the same link, the second creates no passkey after the first one registered', async () => {
  const ann = await openPerson(browser, service.consoleUrl);
  const { link } = await newcomer();
  const address = await link();
  await ann.page.goto(address);
  await ann.page.getByLabel('Passkey name').click();
  const second = await openTab(ann);
  // The second tab continues with the key that the first one has exchanged.
  await second.page.goto(address);
  await create(second).waitFor();
  await ann.page.bringToFront();
  await create(ann).click();
  await ann.page.getByText('Latest activities').waitFor();
  await second.page.bringToFront();
  await create(second).click();
  await second.page.getByText('This link was used, or it is not valid').waitFor();
  expect([await ann.passkeys(), await second.passkeys()]).toEqual([1, 0]);
  await ann.page.bringToFront();
  await signOutAndIn(ann);
  expect(ann.faults).toEqual([]);
});

test('D317: a person pastes the key of an invitation mail that has no link', async () => {
  const ann = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  const { userId: senderUserId } = await service.root.data('whoami');
  const invitation = { receiverUserName: 'Carol', receiverUserEmail: 'carol@example.com', receiverUserTags: [], senderUserId };
  await service.root.result('createInvitations', { invitations: [{ ...invitation, accessType: 'ACCESS_TYPE_WEB' }] });
  const key = /[0-9a-f-]{36}\.[0-9a-f-]{36}\.[0-9a-f-]{36}\.[0-9a-f]{64}/.exec(await service.newestMail())?.[0] ?? '';
  await ann.page.goto(service.consoleUrl);
  await ann.page.getByRole('link', { name: 'Enter an invitation key' }).click();
  await ann.page.getByLabel('Link or key').fill(key.slice(0, -1));
  await ann.page.getByRole('button', { name: 'Continue' }).click();
  await ann.page.getByText('This is not a whole link or key.').waitFor();
  await ann.page.getByLabel('Link or key').fill(` ${key.slice(0, 80)}\n${key.slice(80)} `);
  await ann.page.getByRole('button', { name: 'Continue' }).click();
  await ann.page.getByText('Carol', { exact: true }).waitFor();
  await ann.page.getByRole('button', { name: 'Accept with a passkey' }).click();
  await ann.page.getByText('Latest activities').waitFor();
  expect(ann.faults).toEqual([]);
});
