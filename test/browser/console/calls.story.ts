import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { startChromium } from '../../support/chromium.ts';
import { signParams, userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { ACME, setUp, usdcPayment } from './story.ts';

const ROWS = 10_000;
const BATCH = 100;
const AT_ONCE = 20;
const MOST_CALLS = 10;

let browser: Browser;
let service: ConsoleService;
let ann: Person;
let activityId: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([
    startChromium(),
    startConsoleService({ COUNTERSIGN_MAX_CONTACTS: String(ROWS), COUNTERSIGN_MAX_USERS: String(ROWS + 10) }),
  ]);
  ann = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  await setUp(ann, service);
  await addContactsAndUsers();
  activityId = await requestPayment();
}, 1_200_000);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

async function addContactsAndUsers(): Promise<void> {
  const { root } = service;
  await root.result('createContacts', { contacts: [{ label: 'Acme', address: ACME, contactTags: [] }] });
  const address = (number: number) => `0x${(0xc0ffee_0000n + BigInt(number)).toString(16).padStart(40, '0')}`;
  for (let from = 0; from < ROWS; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, ROWS - 1 - from) }, (_, at) => from + at);
    const contacts = numbers.map((number) => ({ label: `Payee ${number}`, address: address(number), contactTags: [] }));
    const users = numbers.map((number) => ({ ...userParams(newApiKey()), userName: `Person ${number}` }));
    await Promise.all([root.result('createContacts', { contacts }), root.result('createUsers', { users })]);
  }
}

/** Signs payments and many payloads, and then leaves one more payment pending. */
async function requestPayment(): Promise<string> {
  const { root } = service;
  const key = newApiKey();
  await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Bob' }] });
  await root.result('createPolicy', {
    policyName: 'Pay anybody',
    ...{ effect: 'EFFECT_ALLOW', condition: 'tx.is_payment', consensus: 'approvers.count() >= 2', notes: '' },
  });
  const curve = { curve: 'CURVE_SECP256K1', pathFormat: 'PATH_FORMAT_BIP32', addressFormat: 'ADDRESS_FORMAT_ETHEREUM' };
  const { addresses } = await root.result('createWallet', {
    walletName: 'Treasury',
    accounts: [{ ...curve, path: "m/44'/60'/0'/0/0" }],
  });
  const [signWith] = addresses;
  const sign = (units: bigint, nonce: bigint) => ({
    ...{ signWith, unsignedTransaction: usdcPayment(units, nonce), type: 'TRANSACTION_TYPE_ETHEREUM' },
  });
  await root.result('signTransaction', sign(90_000n, 0n));
  await root.result('signTransaction', sign(10n, 1n));
  for (let signed = 0; signed < ROWS; signed += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => root.result('signRawPayload', signParams(signWith, `Message ${signed + at}`))),
    );
  const { body } = await root.with({ key }).submit('signTransaction', sign(25_000n, 2n));
  return body.activity.id;
}

/** Opens the request from nothing, as a link in a message does. Returns what the page asked the service for. */
async function openApproval(): Promise<readonly string[]> {
  const calls: string[] = [];
  await ann.page.goto('about:blank');
  const { pathname: files } = new URL(service.consoleUrl);
  ann.page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith(files)) calls.push(pathname);
  });
  await ann.page.goto(`${service.consoleUrl}#/approvals/${activityId}`);
  await ann.page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await ann.page.getByText('Can still approve').waitFor();
  await ann.page.getByText('Nothing unusual').waitFor();
  ann.page.removeAllListeners('request');
  return calls;
}

test('an approval among 10,000 contacts, users and activities opens with at most 10 calls', async () => {
  const begin = performance.now();
  const calls = await openApproval();
  console.log(`${calls.length} calls, ${Math.round(performance.now() - begin)} ms`);
  const sentence = await ann.page.getByRole('heading', { level: 2 }).first().textContent();
  expect(sentence).toContain(`send 25,000 USDC to "Acme" (${ACME})`);
  expect(sentence).toContain('the wallet "Treasury"');
  expect(calls.filter((path, at) => calls.indexOf(path) === at)).toContain('/public/v1/query/get_activity_names');
  expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(MOST_CALLS);
});
