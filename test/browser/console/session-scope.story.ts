import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { submitPending } from '../../features/policies/support.ts';
import { codeIn } from '../../features/sign-in/otp-support.ts';
import { newTarget } from '../../features/sign-in/transfer-support.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { apiKeyParams, createWallet, signParams, uniqueName, userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { sendByPageScript } from './page-script.ts';
import { openPerson, type Person } from './person.ts';
import { approve, openRequest, setUp, told, usdcPayment, visit } from './story.ts';

const BOB = 'bob@example.com';

let browser: Browser;
let service: ConsoleService;
let ann: Person;

beforeAll(async () => {
  browser = await startChromium();
  service = await startConsoleService();
  ann = await openPerson(browser, service.consoleUrl);
  await setUp(ann, service);
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** Submits an activity by script in a person's page. */
function submit({ page }: Person, name: Parameters<Caller['submitPath']>[0], params: object) {
  const { root } = service;
  return sendByPageScript(page, { url: root.submitPath(name), body: root.submitBody(name, params) });
}

function ask({ page }: Person, name: Parameters<Caller['queryPath']>[0], fields: object = {}) {
  const { root } = service;
  const body = JSON.stringify({ organizationId: root.organizationId, ...fields });
  return sendByPageScript(page, { url: root.queryPath(name), body });
}

/** Activities that give an attacker rights or keys. */
async function attacks(userId: string) {
  const { walletId } = await createWallet(service.root);
  return [
    ['createPolicy', { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', notes: '' }],
    ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
    ['exportWallet', { walletId, targetPublicKey: newTarget().hex }],
    ['stampLogin', { publicKey: newApiKey().publicKey }],
    ['createReadWriteSession', { targetPublicKey: newTarget().hex }],
    ['endSessions', { all: true }],
  ] as const;
}

test('D293: script in the page of a root user changes nothing with the session key', async () => {
  const { userId } = await service.root.data('whoami');
  const wallet = ['createWallet', { walletName: uniqueName('Wallet'), accounts: [] }] as const;
  for (const [name, params] of [wallet, ...(await attacks(userId))]) {
    const { status, text } = await submit(ann, name, params);
    expect({ name, status, text }).toMatchObject({ name, status: 403, text: expect.stringContaining('profile of this session') });
  }
  expect(await ask(ann, 'whoami')).toMatchObject({ status: 200, text: expect.stringContaining(userId) });
  expect(await ask(ann, 'listWallets')).toMatchObject({ status: 200 });
});

test('D293: the person still votes with the passkey, and signs out', async () => {
  const { root } = service;
  const key = newApiKey();
  const { addresses } = await createWallet(root);
  await root.result('createUsers', { users: [userParams(key)] });
  await root.result('createPolicy', {
    policyName: uniqueName('Two sign'),
    effect: 'EFFECT_ALLOW',
    condition: "activity.action == 'SIGN'",
    consensus: 'approvers.count() >= 2',
    notes: '',
  });
  const { fingerprint } = await submitPending(root.with({ key }), 'signTransaction', {
    signWith: addresses[0],
    type: 'TRANSACTION_TYPE_ETHEREUM',
    unsignedTransaction: usdcPayment(25_000n),
  });
  for (const name of ['approveActivity', 'rejectActivity'] as const)
    expect(await submit(ann, name, { fingerprint })).toMatchObject({
      status: 403,
      text: expect.stringContaining('profile of this session'),
    });
  await openRequest(ann, /25,000 USDC/);
  await approve(ann);
  await ann.page.getByRole('button', { name: 'Sign out' }).first().click();
  await ann.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const { userId } = await root.data('whoami');
  const { apiKeys } = await root.data('getApiKeys', { userId });
  expect(
    apiKeys.filter(({ credential }: { credential: { type: string } }) => credential.type === 'CREDENTIAL_TYPE_LOGIN'),
  ).toEqual([]);
});

test('D294: script in the page of a person without a passkey signs as policies allow, and gets no further rights', async () => {
  const { root } = service;
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).first().click();
  await ann.page.getByRole('button', { name: 'Sign out' }).first().waitFor();
  const { userIds } = await root.result('createUsers', { users: [{ ...userParams(), userName: 'Bob', userEmail: BOB }] });
  const { addresses } = await createWallet(root);
  await root.result('createPolicy', {
    policyName: uniqueName('Bob does everything'),
    effect: 'EFFECT_ALLOW',
    consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
    notes: '',
  });
  await visit(ann, '/settings');
  await ann.page.getByRole('region', { name: 'Sign-in without a passkey' }).getByRole('button', { name: 'Turn on' }).click();
  await told(ann, 'People can now sign in without a passkey.');

  const bob = await openPerson(browser, service.consoleUrl);
  await bob.page.goto(`${service.consoleUrl}#/sign-in?organization=${root.organizationId}`);
  const others = bob.page.getByRole('region', { name: 'Other sign-in methods' });
  await others.getByLabel('Email', { exact: true }).fill(BOB);
  await others.getByRole('button', { name: 'Send me a code' }).click();
  await others.getByLabel('Code from the email').fill(await mailedCode());
  await others.getByRole('button', { name: 'Sign in with the code' }).click();
  await bob.page.getByText('You signed in without a passkey').waitFor();
  for (const [name, params] of await attacks(userIds[0])) {
    const { status, text } = await submit(bob, name, params);
    expect({ name, status, text }).toMatchObject({ name, status: 403, text: expect.stringContaining('profile of this session') });
  }
  expect(await submit(bob, 'signRawPayload', signParams(addresses[0] as string))).toMatchObject({ status: 200 });
  const { apiKeys } = await root.data('getApiKeys', { userId: userIds[0] });
  expect(apiKeys).toMatchObject([{ expirationSeconds: '900', credential: { type: 'CREDENTIAL_TYPE_LOGIN' } }]);
  expect([...ann.faults, ...bob.faults]).toEqual([]);
});

/** The code of the newest mail. It may still be on its way. */
async function mailedCode(): Promise<string> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const [mail] = JSON.parse(await service.newestMail()).entries;
    if (mail !== undefined) return codeIn(mail.text);
  }
  throw new Error('no mail came');
}
