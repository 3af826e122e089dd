import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { ACME, setUp, usdcPayment, visit } from './story.ts';

const CONTACTS = 10_000;
const BATCH = 100;

describe('paying and signing with 10,000 contacts and more accounts than a page has', () => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;
  let oldest: string;
  /** Requests for contacts, with what they ask for. */
  const asked: string[] = [];

  beforeAll(async () => {
    browser = await startChromium();
    service = await startConsoleService({ COUNTERSIGN_MAX_CONTACTS: String(CONTACTS) });
    ann = await openPerson(browser, service.consoleUrl);
    await setUp(ann, service);
    const { root } = service;
    const first = await root.result('createWallet', {
      walletName: 'Old treasury',
      accounts: [
        {
          ...{ curve: 'CURVE_SECP256K1', pathFormat: 'PATH_FORMAT_BIP32', path: "m/44'/60'/0'/0/0" },
          addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
        },
      ],
    });
    [oldest] = first.addresses as [string];
    for (let wallets = 0; wallets < 2; wallets++) await createWallet(root, 60);
    for (let from = 0; from < CONTACTS; from += BATCH) {
      const contacts = Array.from({ length: BATCH }, (_, index) => ({
        label: from + index === 5_000 ? 'Acme' : `Payee ${from + index}`,
        address: from + index === 5_000 ? ACME : `0x${(0xc0ffee_0000n + BigInt(from + index)).toString(16).padStart(40, '0')}`,
        contactTags: ['vendors'],
      }));
      await root.result('createContacts', { contacts });
    }
    ann.page.on('request', (request) => {
      if (request.url().endsWith('/query/list_contacts')) asked.push(request.postData() ?? '');
    });
  }, CHROMIUM_TIMEOUT_MS * 4);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const field = (name: string) => ann.page.getByLabel(name, { exact: true });

  async function chooseOldest(): Promise<void> {
    await field('Find an account').fill('Old trea');
    const option = field('From').locator('option', { hasText: oldest });
    await option.waitFor({ state: 'attached' });
    await field('From').selectOption((await option.getAttribute('value')) as string);
  }

  test('the send page finds an old account and a contact, and loads no whole list', async () => {
    await visit(ann, '/send');
    await chooseOldest();
    await field('Recipient').fill('acm');
    await ann.page.getByRole('button', { name: 'Acme', exact: true }).click();
    await field('Amount').fill('1');
    await field('Nonce').fill('0');
    await field('Most per unit of gas, in gwei').fill('20');
    await field('Of it for the validator, in gwei').fill('1');
    await ann.page.getByText(/^send 1 ETH to "Acme"/).waitFor();
    await ann.page.getByText(new RegExp(`signed by the wallet "Old treasury" \\(${oldest}\\)`)).waitFor();
    expect(await ann.page.getByText('The recipient is not in your contacts').count()).toBe(0);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((body) => !/"matching"|"addresses"/.test(body))).toEqual([]);
  });

  test('D803: an address that resembles one of 10,000 contacts is marked', async () => {
    await field('Recipient').fill(`${ACME.slice(0, 8)}${'0'.repeat(28)}${ACME.slice(-6)}`.toLowerCase());
    await ann.page.getByRole('alert').filter({ hasText: 'The recipient resembles “Acme”' }).waitFor();
  });

  test('the sign page names a contact of a pasted transaction, and loads no whole list', async () => {
    asked.length = 0;
    await visit(ann, '/sign');
    await field('Unsigned transaction').fill(usdcPayment(5n));
    await ann.page.getByText(/to "Acme"/).waitFor();
    expect(asked.filter((body) => !/"addresses"/.test(body))).toEqual([]);
  });
});
