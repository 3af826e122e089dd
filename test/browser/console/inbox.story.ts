import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet, userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { setUp, visit } from './story.ts';

const ROWS = 30;
/** Calls of the whole page: those of the frame, the lists, the names, and the files of the log key. */
const MOST_CALLS = 12;
const QUIET_MS = 3_000;
const NAMES = /query\/get_activity_names$/;

const payee = (at: number) => `0x${(0xc0ffee_0000n + BigInt(at)).toString(16).padStart(40, '0')}`;
/** Begins and ends like the first payee, and is nobody's. */
const FAKE = `0x${payee(0).slice(2, 10)}${'b'.repeat(8)}${payee(0).slice(-24)}`;

let browser: Browser;
let service: ConsoleService;
let ann: Person;
let bob: ConsoleService['root'];
let signWith: string;

const sign = (to: string, nonce: number, ether = 1n) => ({
  ...{ signWith, type: 'TRANSACTION_TYPE_ETHEREUM' },
  unsignedTransaction: ethereumTransaction({ to, value: ether * 10n ** 18n, nonce: BigInt(nonce) }),
});

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService({ COUNTERSIGN_MAX_OPEN_ACTIVITIES: '200' })]);
  ann = await openPerson(browser, service.consoleUrl);
  await setUp(ann, service);
  const { root } = service;
  const key = newApiKey();
  await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Bob' }] });
  const contacts = Array.from({ length: ROWS }, (_, at) => ({ label: `Payee ${at}`, address: payee(at), contactTags: [] }));
  await root.result('createContacts', { contacts });
  await root.result('createPolicy', {
    policyName: 'Pay anybody',
    ...{ effect: 'EFFECT_ALLOW', condition: 'tx.is_payment', consensus: 'approvers.count() >= 2', notes: '' },
  });
  signWith = (await createWallet(root)).addresses[0] as string;
  // Earlier payments, which the rows are compared with. The address of the first contact is known from the contacts alone.
  for (let at = 1; at < ROWS; at += 1) await root.result('signTransaction', sign(payee(at), at, 2n));
  bob = root.with({ key });
  for (let at = 1; at < ROWS; at += 1) await bob.submit('signTransaction', sign(payee(at), ROWS + at));
  await bob.submit('signTransaction', sign(FAKE, 2 * ROWS));
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const row = (text: string | RegExp) => ann.page.getByRole('listitem').filter({ hasText: text });

/** Opens the inbox from nothing. Returns what the page asked the service for, once it stopped. `change` alters responses with names. */
async function openInbox(change?: (answer: Json, call: number) => void): Promise<readonly string[]> {
  const { page } = ann;
  const calls: string[] = [];
  await visit(ann, '/');
  await page.goto('about:blank');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const { pathname: files } = new URL(service.consoleUrl);
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith(files)) calls.push(pathname);
  });
  let altered = 0;
  if (change !== undefined)
    await page.route(NAMES, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      altered += 1;
      change(body.activity.result, altered);
      await route.fulfill({ response, json: body });
    });
  await page.goto(`${service.consoleUrl}#/approvals`);
  await row(/send 1 ETH to/)
    .nth(ROWS - 1)
    .waitFor();
  // The page keeps waiting for events, so the network is never idle.
  for (let known = -1; known !== calls.length; await page.waitForTimeout(QUIET_MS)) known = calls.length;
  page.removeAllListeners('request');
  return calls;
}

const namesAsked = (calls: readonly string[]) => calls.filter((path) => NAMES.test(path)).length;

test('an inbox with thirty requests asks for their names once', async () => {
  const calls = await openInbox();
  console.log(`${calls.length} calls: ${calls.join(' ')}`);
  for (let at = 1; at < ROWS; at += 1) expect(await row(`"Payee ${at}" (`).count(), `Payee ${at}`).toBe(1);
  expect(await row('"Payee 0"').count()).toBe(0);
  await row('Warning').waitFor();
  expect(namesAsked(calls)).toBe(1);
  expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(MOST_CALLS);
});

test('D1054: a row whose names the response does not include asks for them alone, and warns', async () => {
  const { activities } = await service.root.data('listActivities', {
    filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'],
    paginationOptions: { limit: '1' },
  });
  const calls = await openInbox((answer, call) => {
    if (call > 1) return;
    answer.namedActivityIds = answer.namedActivityIds.filter((id: string) => id !== activities[0].id);
    answer.similarContacts = [];
  });
  await row('Warning').waitFor();
  expect(namesAsked(calls)).toBe(2);
});

test('D800: altered and missing names of a list leave the addresses', async () => {
  await openInbox((answer) => {
    answer.contacts = answer.contacts.filter(({ label }: Json) => label !== 'Payee 3');
    for (const contact of answer.contacts) if (contact.label === 'Payee 2') contact.label = 'Payee 4';
  });
  await row('"Payee 5" (').waitFor();
  expect(await row('"Payee 2"').count()).toBe(0);
  expect(await row('"Payee 3"').count()).toBe(0);
  expect(await row('"Payee 4" (').count()).toBe(1);
});

test('D1123: the same payment that is not among the newest hundred is found with one more call', async () => {
  const { page } = ann;
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const { root } = service;
  await root.result('signTransaction', sign(payee(1), 1_000, 7n));
  for (let at = 0; at < 100; at += 1) await root.result('signTransaction', sign(payee(2), 2_000 + at));
  const { body } = await bob.submit('signTransaction', sign(payee(1), 3_000, 7n));
  await page.goto('about:blank');
  const calls: string[] = [];
  page.on('request', (request) => calls.push(new URL(request.url()).pathname));
  await page.goto(`${service.consoleUrl}#/approvals/${body.activity.id}`);
  const finding = page.getByRole('listitem').filter({ hasText: 'also requested 7 ETH' });
  await finding.getByRole('link', { name: 'View' }).waitFor();
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  await page.waitForTimeout(QUIET_MS);
  page.removeAllListeners('request');
  expect(calls.filter((path) => path.endsWith('/search_activities'))).toHaveLength(1);
  const asked = calls.filter((path) => path.startsWith('/public/'));
  console.log(`${asked.length} calls: ${asked.join(' ')}`);
});

test('D1125: all pending requests are in the list, a hundred at a time', async () => {
  const before = (
    await service.root.data('listActivities', {
      ...{ filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'], paginationOptions: { limit: '100' } },
    })
  ).activities.length;
  const all = 104;
  for (let at = before; at < all; at += 1) {
    const { status, body } = await bob.submit('signTransaction', sign(payee(3), 4_000 + at));
    expect(status, JSON.stringify(body)).toBe(200);
  }
  const { page } = ann;
  await visit(ann, '/');
  await visit(ann, '/approvals');
  const rows = page.locator('a[href*="/approvals/"]').filter({ hasText: 'send' });
  await expect.poll(() => page.getByRole('tab', { name: /^For you/ }).textContent(), { timeout: 30_000 }).toBe(`For you${all}`);
  await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(100);
  await page.getByRole('button', { name: `Show 4 more of ${all}` }).click();
  await expect.poll(() => rows.count(), { timeout: 60_000 }).toBe(all);
  expect(await page.getByRole('button', { name: /^Show .* more of/ }).count()).toBe(0);
  // The oldest are those of the first payees.
  await rows.filter({ hasText: '"Payee 1" (' }).first().waitFor();
  expect(await rows.filter({ hasText: 'Not checked' }).count()).toBe(0);
});

test('nothing broke the security policy, and no request left the origin', () => {
  expect(ann.faults).toEqual([]);
  expect(ann.foreign).toEqual([]);
});
