import { generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn } from '../../features/sign-in/otp-support.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { setUp, told, visit } from './story.ts';

const BOB = 'bob@example.com';

let browser: Browser;
let service: ConsoleService;
let ann: Person;
let bob: Person;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  ann = await openPerson(browser, service.consoleUrl);
  bob = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  await setUp(ann, service);
  await visit(ann, '/settings');
  const setting = ann.page.getByRole('region', { name: 'Sign-in without a passkey' });
  await setting.getByRole('button', { name: 'Turn on' }).click();
  await told(ann, 'People can now sign in without a passkey.');
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** Bob, whose wallets need a passkey and a code by email. */
async function createBob(): Promise<void> {
  const { root } = service;
  const { organizationId } = root;
  const user = { ...userParams(), userName: 'Bob', userEmail: BOB };
  const { userIds } = await root.result('createUsers', { users: [user] });
  const [userId] = userIds;
  const { apiPublicKey: publicKey, apiPrivateKey: token } = generateApiKey();
  await root.result('createSetupKey', { userId, publicKey });
  await bob.page.goto(setupLink(service.consoleUrl, { organizationId, userId, token }));
  await bob.page.getByRole('button', { name: 'Create a passkey', exact: true }).click();
  await bob.page.getByText('Latest activities').waitFor();
  await root.result('createPolicy', {
    policyName: 'Bob makes wallets',
    effect: 'EFFECT_ALLOW',
    condition: "activity.resource == 'WALLET'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
  });
  await root.result('createMfaPolicy', {
    userId,
    mfaPolicyName: 'Two factors',
    condition: "activity.resource == 'WALLET'",
    requiredAuthenticationMethods: ['PASSKEY', 'EMAIL_OTP'].map((type) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] })),
    order: 0,
  });
}

test('D315: a person with an MFA policy sees the missing factor, gives it, and the request is executed', async () => {
  await createBob();
  await visit(bob, '/wallets');
  await bob.page.getByRole('button', { name: 'New wallet' }).first().click();
  await bob.page.getByRole('dialog').getByLabel('Name').fill('Two factors');
  await bob.page.getByRole('dialog').getByRole('button', { name: 'New wallet' }).click();
  await told(bob, 'Your MFA policy requires another confirmation by you.');

  await visit(bob, '/approvals');
  await bob.page.locator('a[href*="/approvals/"]').first().click();
  await bob.page.getByText('a sign-in with a code by email').waitFor();
  expect(await bob.page.getByRole('button', { name: 'Confirm with a passkey' }).count()).toBe(0);
  await bob.page.getByRole('button', { name: 'Sign in another way' }).click();
  const ways = bob.page.getByRole('region', { name: 'Other sign-in methods' });
  await ways.getByLabel('Email', { exact: true }).fill(BOB);
  await ways.getByRole('button', { name: 'Send me a code' }).click();
  await ways.getByLabel('Code from the email').fill(await mailedCode());
  await ways.getByRole('button', { name: 'Sign in with the code' }).click();
  await bob.page.getByRole('button', { name: 'Confirm with this session' }).click();
  await told(bob, 'Approved and executed.');
  expect(bob.faults).toEqual([]);
});

/** The code of the newest mail. It may still be on its way. */
async function mailedCode(): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const [mail] = JSON.parse(await service.newestMail()).entries;
    if (mail !== undefined) return codeIn(mail.text);
  }
  throw new Error('no mail came');
}
