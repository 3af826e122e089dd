import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outcomeOf, submitPending } from '../../features/policies/support.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createPrivateKey, createWallet, signParams, userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { confirmStep, setUp, told, visit } from './story.ts';

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

const button = (name: string) => ann.page.getByRole('button', { name, exact: true });
const banner = () => ann.page.getByRole('status').filter({ hasText: 'frozen' });

const mark = () => ann.page.getByText('frozen', { exact: true });

async function freezeHere(reason: string): Promise<void> {
  await button('Freeze').first().click();
  const dialog = ann.page.getByRole('dialog');
  await dialog.getByLabel(/^Reason/).fill(reason);
  await dialog.getByRole('button', { name: 'Freeze' }).click();
  await told(ann, 'Frozen');
}

async function unfreezeHere(): Promise<void> {
  await button('Unfreeze').click();
  await told(ann, 'Unfrozen');
}

test('D300: a root user freezes a wallet with the passkey, everyone sees why, and the unfreeze ends it', async () => {
  const { root } = service;
  const { walletId, addresses } = await createWallet(root);
  const sign = async () => outcomeOf(await root.submit('signRawPayload', signParams(addresses[0] as string)));
  expect(await sign()).toBe('200 COMPLETED');
  await visit(ann, `/wallets/${walletId}`);
  await freezeHere('Payment to an unknown address');
  await banner().getByText('Payment to an unknown address').waitFor();
  await mark().waitFor();
  expect(await sign()).toBe('403 FROZEN');
  await visit(ann, '/wallets');
  await ann.page
    .getByRole('link', { name: /frozen/ })
    .filter({ hasText: 'Wallet' })
    .waitFor();
  await visit(ann, `/wallets/${walletId}`);
  await unfreezeHere();
  await banner().waitFor({ state: 'detached' });
  expect(await mark().count()).toBe(0);
  expect(await sign()).toBe('200 COMPLETED');
  // Each took the passkey: the session key of the page may not freeze.
  const types = ['ACTIVITY_TYPE_FREEZE', 'ACTIVITY_TYPE_UNFREEZE'];
  const { activities } = await root.data('listActivities', { filterByType: types });
  const kinds = activities.flatMap(({ votes }: Json) => votes.map(({ scheme }: Json) => scheme));
  expect(kinds).toEqual(['SIGNATURE_SCHEME_TK_WEBAUTHN', 'SIGNATURE_SCHEME_TK_WEBAUTHN']);
});

test('D300: the buttons of people, private keys and the organization freeze the right thing', async () => {
  const { root } = service;
  const privateKeyId = await createPrivateKey(root);
  const { userIds } = await root.result('createUsers', { users: [{ ...userParams(newApiKey()), userName: 'Bob' }] });
  const frozen = async () => (await root.data('listFreezes')).freezes.map(({ targetId }: Json) => targetId);
  const places = [
    ['/people', userIds[0]],
    ['/wallets', privateKeyId],
    ['/settings', root.organizationId],
  ] as const;
  for (const [route, id] of places) {
    await visit(ann, route);
    if (route === '/wallets') await ann.page.getByRole('tab', { name: 'Private keys' }).click();
    await freezeHere('Stolen laptop, ask Ann before anything else happens in this organization');
    expect(await frozen()).toEqual([id]);
    await unfreezeHere();
    expect(await frozen()).toEqual([]);
  }
});

test('D387: a frozen member of the root quorum sees in the console who froze her, asks for the unfreeze, and approves one', async () => {
  const { root } = service;
  const key = newApiKey();
  const { userIds } = await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Carl' }] });
  const carl = root.with({ key });
  const { userId } = await root.data('whoami');
  await root.result('updateRootQuorum', { threshold: 2, userIds: [userId, userIds[0]] });
  await carl.result('freeze', { userIds: [userId], reason: 'Stolen key' });
  await ann.page.reload();
  await banner().getByText('Stolen key').waitFor();
  await visit(ann, '/');
  await ann.page.getByRole('link', { name: 'Show all' }).click();
  await ann.page.getByText(`by user ${userIds[0]}`).waitFor();
  await button('Unfreeze').click();
  await told(ann, /Approval by others is pending/);
  const { activities } = await carl.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
  expect(outcomeOf(await carl.submit('approveActivity', { fingerprint: activities[0].fingerprint }))).toBe('200 COMPLETED');
  await ann.page.reload();
  await ann.page.getByRole('button', { name: 'Freeze', exact: true }).waitFor();
  await banner().waitFor({ state: 'detached' });

  await carl.result('freeze', { userIds: [userId], reason: 'Stolen key, again' });
  await submitPending(carl, 'unfreeze', { userIds: [userId] });
  await ann.page.reload();
  await banner().getByText('again').waitFor();
  await visit(ann, '/approvals');
  await ann.page.locator('a[href*="/approvals/"]').first().click();
  await button('Approve').click();
  await confirmStep(ann);
  await banner().waitFor({ state: 'detached' });
  expect(ann.faults).toEqual([]);
});
