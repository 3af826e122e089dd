import { generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { codeIn } from '../../features/sign-in/otp-support.ts';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet, userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { ACME, confirmStep, setUp, told, USDC, visit } from './story.ts';

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

test('D1124: a vote from elsewhere is confirmed after every check, and with the second step', async () => {
  const { root } = service;
  const key = newApiKey();
  await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Cid' }] });
  const sign = "activity.action == 'SIGN'";
  await root.result('createPolicy', {
    policyName: 'Two sign',
    ...{ effect: 'EFFECT_ALLOW', condition: sign, consensus: 'approvers.count() >= 2', notes: '' },
  });
  const { userId } = await root.data('whoami');
  await root.result('createMfaPolicy', {
    ...{ userId, mfaPolicyName: 'Key and passkey', condition: sign, order: 0 },
    requiredAuthenticationMethods: ['PASSKEY', 'API_KEY'].map((type) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] })),
  });
  const [signWith] = (await createWallet(root)).addresses;
  const data = `0x095ea7b3${ACME.slice(2).toLowerCase().padStart(64, '0')}${'f'.repeat(64)}`;
  const unsignedTransaction = ethereumTransaction({ to: USDC, value: 0n, data, nonce: 0n });
  const { body } = await root
    .with({ key })
    .submit('signTransaction', { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' });
  const activityId = body.activity.id;
  const state = async () => (await root.data('getActivity', { activityId })).activity;
  await root.submit('approveActivity', { fingerprint: (await state()).fingerprint });
  expect((await state()).status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');

  const votes: string[] = [];
  ann.page.on('request', (request) => {
    if (/submit\/approve_activity$/.test(request.url())) votes.push(request.url());
  });
  const confirm = ann.page.getByRole('button', { name: 'Confirm with a passkey' });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await ann.page.route(/query\/list_activities$/, async (route) => {
    if (route.request().postData()?.includes('CONSENSUS_NEEDED')) await held;
    await route.continue();
  });
  await visit(ann, `/approvals/${activityId}`);
  await ann.page.reload();
  await ann.page.getByText('You can decide when every check has finished').waitFor();
  expect(await confirm.count()).toBe(0);
  release();
  await confirm.waitFor();

  await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
  await ann.page.route(/query\/list_activities$/, (route) => route.fulfill({ status: 500, json: { code: 13, message: 'No' } }));
  await ann.page.reload();
  await ann.page.getByText('A check did not finish').waitFor();
  expect(await confirm.count()).toBe(0);

  await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
  await ann.page.reload();
  await confirm.click();
  const step = ann.page.getByRole('dialog');
  await step.getByText('to take any amount at any time').waitFor();
  expect(await step.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
  expect(votes).toEqual([]);
  await confirmStep(ann);
  await told(ann, /^Approved/);
  expect(votes).toHaveLength(1);
  expect((await state()).status).toBe('ACTIVITY_STATUS_COMPLETED');
});

/** The code of the newest mail. It may still be on its way. */
async function mailedCode(): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const [mail] = JSON.parse(await service.newestMail()).entries;
    if (mail !== undefined) return codeIn(mail.text);
  }
  throw new Error('no mail came');
}
