import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importApiKey, newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet, userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, type Size } from './person.ts';
import { setUp, told, visit } from './story.ts';

/** A private key that nobody uses, and its address on Ethereum. */
const KEY = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const ADDRESS = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';

/** A folder for screenshots, to look at. */
const pictures = process.env.CONSOLE_PICTURES;

describe.each<Size>(['desk', 'phone'])('credentials and keys, at the size of a %s', (size) => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;
  const sent: string[] = [];

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl, { size });
    ann.page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await setUp(ann, service);
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const dialog = () => ann.page.getByRole('dialog');
  const person = (name: string) => ann.page.getByRole('list', { name: 'People' }).getByRole('link', { name });
  const button = (name: string) => ann.page.getByRole('button', { name, exact: true });
  const look = async (name: string) => {
    if (pictures !== undefined) await ann.page.screenshot({ path: join(pictures, `${name}-${size}.png`), fullPage: true });
    expect(await seriousFaults(ann)).toEqual([]);
  };
  const keyFile = async (): Promise<{ apiPublicKey: string; apiPrivateKey: string; organizationId: string }> =>
    JSON.parse((await dialog().locator('pre').textContent()) ?? '');

  test('D970: a program gets a key of this browser, which no request and no storage contains', async () => {
    await visit(ann, '/people');
    await button('New program').click();
    await dialog().getByLabel('Name of the program').fill('Payroll');
    await dialog().getByLabel('Name of the key').fill('Server');
    await look('program');
    await dialog().getByRole('button', { name: 'New program' }).click();
    await dialog().getByText('Save the private key now').waitFor();
    const file = await keyFile();
    await look('program-key');
    const program = service.root.with({ key: importApiKey(file) });
    expect(await program.data('whoami')).toMatchObject({ username: 'Payroll' });
    await ann.page.keyboard.press('Escape');
    await dialog().getByText('This window stays open').waitFor();
    await ann.page.mouse.click(5, 5);
    await dialog().getByRole('button', { name: 'Close', exact: true }).click();
    expect(await keyFile()).toEqual(file);
    await dialog().getByRole('button', { name: 'I have saved it' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(sent.filter((request) => request.includes(file.apiPrivateKey))).toEqual([]);
    expect(sent.some((request) => request.includes(file.apiPublicKey))).toBe(true);
    expect(await stored()).not.toContain(file.apiPrivateKey);
    expect(await ann.page.content()).not.toContain(file.apiPrivateKey);
  });

  /** Everything that a script of the page can read back. */
  const stored = () =>
    ann.page.evaluate(async () => {
      const found: unknown[] = [{ ...localStorage }, { ...sessionStorage }, history.state];
      for (const { name } of await indexedDB.databases()) {
        const opening = indexedDB.open(name ?? '');
        await new Promise((resolve) => opening.addEventListener('success', resolve));
        for (const store of opening.result.objectStoreNames) {
          const reading = opening.result.transaction(store).objectStore(store).getAll();
          await new Promise((resolve) => reading.addEventListener('success', resolve));
          found.push(reading.result);
        }
        opening.result.close();
      }
      return JSON.stringify(found);
    });

  test('the sessions of a person are listed apart from keys, and ended from their page', async () => {
    const { page } = ann;
    const { root } = service;
    const key = newApiKey();
    const { userIds } = await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Dora' }] });
    const [userId] = userIds;
    await root.result('createPolicy', {
      ...{ policyName: 'Dora signs in', effect: 'EFFECT_ALLOW', notes: '', condition: "activity.resource == 'AUTH'" },
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    const dora = root.with({ key });
    for (let index = 0; index < 2; index += 1)
      await dora.result('stampLogin', { publicKey: newApiKey().publicKey, expirationSeconds: '3600' });
    const types = async () => {
      const { user } = await root.data('getUser', { userId });
      return user.apiKeys.map((each: { credential: { type: string } }) => each.credential.type).sort();
    };
    expect(await types()).toEqual(['CREDENTIAL_TYPE_API_KEY_P256', 'CREDENTIAL_TYPE_LOGIN', 'CREDENTIAL_TYPE_LOGIN']);
    await visit(ann, `/people/${userId}`);
    const sessions = page.getByRole('region', { name: 'Sessions', exact: true });
    const credentials = page.getByRole('region', { name: 'Credentials', exact: true });
    await sessions.getByText('Sign-in').first().waitFor();
    expect(await sessions.getByRole('listitem').count()).toBe(2);
    expect(await credentials.getByRole('listitem').count()).toBe(1);
    await look('person-sessions');
    await sessions
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .click();
    await told(ann, 'The session has ended.');
    await expect.poll(async () => (await types()).length).toBe(2);
    await dora.result('stampLogin', { publicKey: newApiKey().publicKey, expirationSeconds: '3600' });
    await page.reload();
    await sessions.getByRole('button', { name: 'End all sessions' }).click();
    await dialog().getByRole('button', { name: 'End all sessions' }).click();
    await told(ann, 'All sessions have ended.');
    await sessions.getByText('Nowhere signed in.').waitFor();
    expect(await types()).toEqual(['CREDENTIAL_TYPE_API_KEY_P256']);
  });

  test('D979: a changed MFA policy keeps a step that the form cannot show, and an approver sees before and after', async () => {
    const { page } = ann;
    const { root } = service;
    const { userIds } = await root.result('createUsers', { users: [{ ...userParams(newApiKey()), userName: 'Carl' }] });
    const [userId] = userIds;
    const condition = "activity.action == 'EXPORT'";
    const alternatives = [{ type: 'AUTHENTICATION_TYPE_PASSKEY' }, { type: 'AUTHENTICATION_TYPE_API_KEY' }];
    const { mfaPolicyId } = await root.result('createMfaPolicy', {
      ...{ userId, mfaPolicyName: 'Carl exports', condition, order: 0, requiredAuthenticationMethods: [{ any: alternatives }] },
    });
    await visit(ann, `/people/${userId}`);
    const policies = page.getByRole('region', { name: 'MFA policies' });
    await policies.getByRole('button', { name: 'Edit' }).click();
    await dialog().getByText('These factors stay as they are').waitFor();
    await look('mfa-edit');
    await dialog().getByLabel('Needed for').selectOption('keys');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await told(ann, 'The MFA policy was changed.');
    const { mfaPolicies } = await root.data('getMfaPolicies', { userId });
    expect(mfaPolicies).toMatchObject([
      {
        mfaPolicyId,
        condition: "activity.resource in ['WALLET', 'PRIVATE_KEY']",
        requiredAuthenticationMethods: [{ any: alternatives }],
      },
    ]);
    const { activities } = await root.data('listActivities', { filterByType: ['ACTIVITY_TYPE_UPDATE_MFA_POLICY'] });
    await visit(ann, `/approvals/${activities[0].id}`);
    const changes = page.getByRole('region', { name: 'What changes' });
    await changes.getByText(`"${condition}"`, { exact: true }).waitFor();
    await changes.getByText(`"activity.resource in ['WALLET', 'PRIVATE_KEY']"`, { exact: true }).waitFor();
  });

  test('a person gets the key of a program that has one already, and several factors', async () => {
    const { page } = ann;
    await visit(ann, '/people');
    await person('Payroll').click();
    await button('Add an API key').click();
    await dialog().getByLabel('Name of the key').fill('Laptop');
    await dialog().getByLabel('Key pair').selectOption('pasted');
    await dialog().getByLabel('Public key').fill('02zz');
    await dialog().getByRole('button', { name: 'Add an API key' }).click();
    await dialog()
      .getByText(/hexadecimal: 66 digits/)
      .waitFor();
    await dialog().getByLabel('Public key').fill('031b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f');
    await dialog().getByLabel('Curve').selectOption('API_KEY_CURVE_SECP256K1');
    await dialog().getByLabel('Expires').selectOption('2592000');
    await dialog().getByRole('button', { name: 'Add an API key' }).click();
    await told(ann, 'The API key was added.');
    await page.getByText('Laptop').waitFor();

    await visit(ann, '/people');
    await person('Root user').click();
    await page.getByText('One factor is enough for every request.').waitFor();
    await button('Require several factors').click();
    await dialog().getByLabel('a passkey', { exact: true }).check();
    await dialog().getByLabel('an API key', { exact: true }).check();
    await dialog().getByLabel('Needed for').selectOption('export');
    await look('mfa-form');
    await dialog().getByRole('button', { name: 'Require several factors' }).click();
    await told(ann, 'The MFA policy is active.');
    await page.getByText('Needs a passkey, and an API key').waitFor();
    await look('person');
    const { userId } = await service.root.data('whoami');
    const { mfaPolicies } = await service.root.data('getMfaPolicies', { userId });
    expect(mfaPolicies).toMatchObject([{ condition: "activity.action == 'EXPORT'" }]);
  });

  test('an MFA policy is removed with all of its factors', async () => {
    const { page } = ann;
    const policies = page.getByRole('region', { name: 'MFA policies' });
    await policies.getByRole('button', { name: 'Remove' }).click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await told(ann, 'Your MFA policy requires another confirmation by you.');
    await policies.getByText('Needs a passkey, and an API key').waitFor();
    const { activities } = await service.root.data('listActivities', {});
    await service.root.result('approveActivity', { fingerprint: activities[0].fingerprint });
    await policies.getByText('One factor is enough for every request.').waitFor();
  });

  test('a private key is imported, exported and disabled, and never leaves in the clear', async () => {
    const { page } = ann;
    sent.length = 0;
    await visit(ann, '/wallets');
    await page.getByRole('tab', { name: 'Private keys' }).click();
    await button('Import').click();
    await dialog().getByLabel('Name').fill('Old key');
    await dialog().getByLabel('Private key').fill('0x123');
    await dialog().getByText('Enter 64 hexadecimal digits').waitFor();
    await dialog().getByLabel('Private key').fill(`0x${KEY}`);
    await dialog().getByRole('button', { name: 'Import' }).click();
    await told(ann, 'The private key was imported.');
    await page.getByText(ADDRESS).waitFor();

    await button('Export').click();
    await dialog().getByLabel('Type Old key to confirm').fill('Old key');
    await dialog().getByRole('button', { name: 'Show the private key' }).click();
    await dialog().getByText(KEY).waitFor();
    await page.keyboard.press('Escape');
    expect(sent.filter((request) => request.includes(KEY))).toEqual([]);
    expect(await stored()).not.toContain(KEY);

    await button('Disable').click();
    await dialog().getByLabel('Type Old key to confirm').fill('Old key');
    await dialog().getByRole('button', { name: 'Disable' }).click();
    await told(ann, 'The key was disabled.');
    await page.getByText('disabled', { exact: true }).waitFor();
    expect(await button('Disable').count()).toBe(0);
    await look('keys');
  });

  test('the key of one account is exported', async () => {
    const { page } = ann;
    const { walletId, addresses } = await createWallet(service.root);
    const [address = ''] = addresses;
    await visit(ann, `/wallets/${walletId}`);
    await page.getByRole('listitem').getByRole('button', { name: 'Export' }).click();
    await dialog().getByLabel(`Type ${address} to confirm`).fill(address);
    await dialog().getByRole('button', { name: 'Show the private key' }).click();
    await dialog()
      .getByText(/^[0-9a-f]{64}$/)
      .waitFor();
    await look('account-key');
    expect(ann.faults).toEqual([]);
    expect(ann.foreign).toEqual([]);
  });
});
