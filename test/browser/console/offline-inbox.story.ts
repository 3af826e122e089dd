import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet, userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { type PrefixProxy, startPrefixProxy } from './prefix-proxy.ts';
import { visit } from './story.ts';

const ACME = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
/** A page loads from the worker, and the queries give up after two retries. */
const slowly = { timeout: 60_000 };

let browser: Browser;
let service: ConsoleService;
let proxy: PrefixProxy;
let ann: Person;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  proxy = await startPrefixProxy(service.url, '/keys/eu');
  const consoleUrl = `${proxy.origin}/keys/eu/console/`;
  ann = await openPerson(browser, consoleUrl, { keepsFiles: true });
  await ann.page.goto(consoleUrl + new URL(service.setupLink).hash);
  await ann.page.getByRole('button', { name: 'Create a passkey' }).click();
  await ann.page.getByText('Latest activities').waitFor();
  const { root } = service;
  const key = newApiKey();
  await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Bob' }] });
  await root.result('createContacts', { contacts: [{ label: 'Acme', address: ACME, contactTags: [] }] });
  await root.result('createPolicy', {
    policyName: 'Pay anybody',
    ...{ effect: 'EFFECT_ALLOW', condition: 'tx.is_payment', consensus: 'approvers.count() >= 2', notes: '' },
  });
  const { addresses } = await createWallet(root);
  const unsignedTransaction = ethereumTransaction({ to: ACME, value: 25n * 10n ** 18n });
  const payment = { signWith: addresses[0], type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction };
  await root.with({ key }).submit('signTransaction', payment);
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await service?.close();
});

/** A record of the console's database, changed by `change` if given. */
const inDatabase = (name: 'inbox' | 'session', change?: Readonly<Record<string, unknown>>) =>
  ann.page.evaluate(
    async ([key, changed]) => {
      const opening = indexedDB.open('countersign-console', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('values');
      await new Promise((resolve) => opening.addEventListener('success', resolve));
      const store = opening.result.transaction('values', 'readwrite').objectStore('values');
      const reading = store.get(key);
      await new Promise((resolve) => reading.addEventListener('success', resolve));
      const writing = changed && store.put({ ...reading.result, ...changed }, key);
      if (writing) await new Promise((resolve) => writing.addEventListener('success', resolve));
      opening.result.close();
      const { key: secret, ...rest } = reading.result ?? {};
      return reading.result === undefined ? undefined : { ...rest, extractable: (secret as CryptoKey | undefined)?.extractable };
    },
    [name, change] as const,
  );

const row = () => ann.page.getByRole('main').getByRole('listitem').filter({ hasText: 'send 25 ETH to' });

/** Opens the inbox, and waits until the checked list is kept. */
async function openInbox(): Promise<void> {
  await visit(ann, '/approvals');
  await row().getByText('Look twice').waitFor();
  // The list is kept half a second after its last change.
  await ann.page.waitForTimeout(2_000);
  await expect.poll(() => inDatabase('inbox')).toBeDefined();
}

test('D1161: the kept list is encrypted with a key that no script can read', async () => {
  await openInbox();
  expect(await inDatabase('inbox')).toMatchObject({ extractable: false });
  const stored = await ann.page.evaluate(async () => {
    const texts: string[] = [];
    for (const { name = '' } of await indexedDB.databases()) {
      const opening = indexedDB.open(name);
      await new Promise((resolve) => opening.addEventListener('success', resolve));
      for (const store of opening.result.objectStoreNames) {
        const reading = opening.result.transaction(store).objectStore(store).getAll();
        await new Promise((resolve) => reading.addEventListener('success', resolve));
        const latin1 = (_: string, value: unknown) =>
          value instanceof ArrayBuffer ? String.fromCharCode(...new Uint8Array(value)) : value;
        texts.push(JSON.stringify(reading.result, latin1));
      }
      opening.result.close();
    }
    return texts.join();
  });
  expect(stored).toContain('sealed');
  expect(stored).not.toMatch(/Acme|Bob|25 ETH/);
});

test.each(Object.entries(sizes))(
  'without a network the inbox shows the kept list with its time, at a %s',
  async (_, viewport) => {
    proxy.cut(true);
    await ann.page.setViewportSize(viewport);
    await visit(ann, '/approvals');
    await ann.page.reload();
    await ann.page.getByText(/^As of .*\d\d:\d\d\. You are offline\.$/).waitFor(slowly);
    await row().getByText('Bob asks to').waitFor();
    expect(
      await row()
        .getByText(/^(Look twice|Warning)$/)
        .count(),
    ).toBe(1);
    expect(await seriousFaults(ann)).toEqual([]);
    expect(await ann.page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    await row().getByRole('link').click();
    await ann.page.getByRole('main').getByRole('link', { name: 'Approvals' }).waitFor();
    await row().getByText('Bob asks to').waitFor();
    expect(await ann.page.getByRole('button', { name: /^(Approve|Reject)$/ }).count()).toBe(0);
  },
);

test('the inbox is complete again when the service responds', async () => {
  proxy.cut(false);
  await ann.page.getByRole('button', { name: 'Approve', exact: true }).waitFor(slowly);
});

test('D1161: the list of another organization is not shown', async () => {
  const { organizationId } = service.root;
  await openInbox();
  await inDatabase('session', { organizationId: '00000000-0000-4000-8000-000000000000' });
  proxy.cut(true);
  await ann.page.reload();
  await ann.page.getByText('It has no list of this session.').waitFor(slowly);
  expect(await row().count()).toBe(0);
  await inDatabase('session', { organizationId });
  await ann.page.reload();
  await row().waitFor(slowly);
});

test('D1161: an expired session leaves no list, also without a network', async () => {
  await inDatabase('session', { expiresAtMs: Date.now() - 1_000 });
  await ann.page.reload();
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor(slowly);
  await expect.poll(() => inDatabase('inbox')).toBeUndefined();
});

async function signIn(): Promise<void> {
  proxy.cut(false);
  await ann.page.reload();
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor({ state: 'detached' });
  await openInbox();
}

test('D1161: a session that the service ended leaves no list', async () => {
  await signIn();
  await service.root.result('endSessions', {});
  await visit(ann, '/wallets');
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await expect.poll(() => inDatabase('inbox')).toBeUndefined();
});

test('D1161: signing out removes the list', async () => {
  await signIn();
  await ann.page.getByRole('button', { name: 'Sign out' }).click();
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await expect.poll(() => inDatabase('inbox')).toBeUndefined();
  expect(ann.faults).toEqual([]);
  expect(ann.foreign).toEqual([]);
});
