import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil } from '../../support/anvil.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { ACME, createContact, setUp, told, visit } from './story.ts';

const CHAIN_ID = 11_155_111;
const USDC = 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const skipped = missingAnvil === undefined ? '' : ` (skipped: ${missingAnvil})`;

describe.skipIf(missingAnvil !== undefined).each(Object.keys(sizes) as (keyof typeof sizes)[])(
  `the send page, at the size of a %s${skipped}`,
  (size) => {
    let browser: Browser;
    let anvil: Anvil;
    let service: ConsoleService;
    let ann: Person;
    let from: string;

    beforeAll(async () => {
      [browser, anvil] = await Promise.all([startChromium(), startAnvil({ chainId: CHAIN_ID })]);
      service = await startConsoleService({
        COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ [`eip155:${CHAIN_ID}`]: [anvil.url] }),
        COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
        COUNTERSIGN_SEND_CONFIRMATIONS: '1',
      });
      ann = await openPerson(browser, service.consoleUrl, { size });
      await setUp(ann, service);
      await createContact(ann, 'Acme', ACME, 'vendors');
      const { addresses } = await createWallet(service.root);
      [from] = addresses as [string];
      await anvil.fund(from, 10);
    }, CHROMIUM_TIMEOUT_MS);

    afterAll(async () => {
      await browser?.close();
      await service?.close();
      await anvil?.stop();
    });

    const field = (name: string) => ann.page.getByLabel(name, { exact: true });
    const submit = () => ann.page.getByRole('button', { name: 'Submit' });
    const reference = () => ann.page.getByLabel(/^Reference/);

    /** Opens the page anew, with altered answers of some queries. */
    async function open(network: string, altered?: { queries: RegExp; change(text: string): string }): Promise<void> {
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      if (altered !== undefined)
        await ann.page.route(altered.queries, async (route: Route) => {
          const response = await route.fetch();
          await route.fulfill({ response, body: altered.change(await response.text()) });
        });
      await visit(ann, '/send');
      await ann.page.reload();
      await field('Network').selectOption({ label: network });
      await field('Recipient').waitFor();
    }

    async function pickAcme(): Promise<void> {
      await field('Recipient').fill('acm');
      await ann.page.getByRole('button', { name: 'Acme', exact: true }).click();
    }

    test('a payment by the name of a contact is read back, submitted, sent and final', async () => {
      await open('Sepolia');
      await ann.page.getByText('Balance: 10 ETH').waitFor();
      expect(await submit().isDisabled()).toBe(true);
      await pickAcme();
      await ann.page.getByTitle(ACME).waitFor();
      await field('Amount').fill('11');
      await ann.page.getByText('More than the balance of 10 ETH').waitFor();
      await field('Amount').fill('1,5');
      await ann.page.getByText('without separators of thousands').waitFor();
      expect(await submit().isDisabled()).toBe(true);
      await field('Amount').fill('1.5');
      await reference().fill('x'.repeat(141));
      await ann.page.getByText('The reference must have at most 140 characters.').waitFor();
      await ann.page.getByText(/^send 1\.5 ETH to "Acme"/).waitFor();
      expect(await submit().isDisabled()).toBe(true);
      await reference().fill(' Invoice  INV-2041 ');
      await ann.page.getByText('Expected decision').waitFor();
      expect(await seriousFaults(ann)).toEqual([]);
      expect(await ann.page.evaluate(() => document.documentElement.scrollWidth)).toBe(sizes[size].width);
      if (process.env.PICTURES !== undefined)
        await ann.page.screenshot({ path: `${process.env.PICTURES}/send-${size}.png`, fullPage: true });
      await submit().click();
      await told(ann, 'The payment was submitted.');
      expect(await field('Amount').inputValue()).toBe('');
      expect(await field('Recipient').inputValue()).toBe('');
      expect(await reference().inputValue()).toBe('');
      await ann.page.getByRole('link', { name: 'Open the activity' }).click();
      await ann.page.getByText('Paid: the transaction is final.').waitFor();
      expect(BigInt(await anvil.call<string>('eth_getBalance', [ACME, 'latest']))).toBe(15n * 10n ** 17n);
      await ann.page.getByText('Invoice INV-2041', { exact: true }).waitFor();
      await visit(ann, '/activities?reference=inv-2041');
      await ann.page.getByText('“Invoice INV-2041”').waitFor();
      await visit(ann, '/activities?reference=inv-2042');
      await ann.page.getByText('No matching activity').waitFor();
    });

    test('without a node, the payment is signed with a nonce and a fee that the person types', async () => {
      await open('Ethereum');
      await ann.page.getByText('it shows no balance').waitFor();
      await field('Recipient').fill(ACME.toLowerCase());
      await field('Asset').selectOption({ label: 'USDC' });
      await field('Amount').fill('1500.25');
      await field('Most per unit of gas, in gwei').fill('20');
      await field('Of it for the validator, in gwei').fill('1');
      expect(await submit().isDisabled()).toBe(true);
      await field('Nonce').fill('7');
      await ann.page.getByText(/^send 1,500\.25 USDC to "Acme"/).waitFor();
      await submit().click();
      await told(ann, 'Approved and signed.');
      await ann.page.getByRole('link', { name: 'Open the activity' }).click();
      await ann.page.getByText('Approved and signed. Not sent yet.').waitFor();
      const { activities } = await service.root.data('listActivities', { filterByType: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] });
      expect(activities[0].parsed.effects[0]).toMatchObject({ amount: '1500250000', asset: { id: USDC } });
    });

    test('an address that looks like that of a contact is marked, in full', async () => {
      await open('Ethereum');
      await field('Recipient').fill(`${ACME.slice(0, 8)}${'0'.repeat(28)}${ACME.slice(-6)}`.toLowerCase());
      const alarm = ann.page.getByRole('alert').filter({ hasText: 'The recipient resembles “Acme”' });
      await alarm.waitFor();
      expect(await alarm.textContent()).toContain(ACME);
    });

    test('D800: an altered list of contacts does not name a stranger in the sentence', async () => {
      const stranger = '0x52908400098527886E0F7030069857D2E4169EE7';
      await open('Sepolia', {
        queries: /query\/list_contacts$/,
        change: (text) => text.replaceAll(ACME, stranger),
      });
      await pickAcme();
      await field('Amount').fill('1');
      await ann.page.getByRole('alert').filter({ hasText: 'its log does not prove this name' }).waitFor();
      await ann.page.getByText(new RegExp(`^send 1 ETH to ${stranger}`)).waitFor();
    });

    test('D963: a fee that the service exaggerates cannot be submitted', async () => {
      await open('Sepolia', {
        queries: /query\/get_fee_suggestion$/,
        change: (text) => text.replaceAll(/"maxFeePerGas":"\d+"/g, '"maxFeePerGas":"900000000000000"'),
      });
      await pickAcme();
      await field('Amount').fill('1');
      await ann.page.getByText('The console takes at most 500 gwei').waitFor();
      expect(await submit().isDisabled()).toBe(true);
    });

    test('an altered balance changes nothing of the request', async () => {
      await open('Sepolia', {
        queries: /query\/get_wallet_address_balances$/,
        change: (text) => text.replaceAll(/"balance":"\d+"/g, '"balance":"1"'),
      });
      await pickAcme();
      await field('Amount').fill('1');
      await ann.page.getByText('More than the balance of 0.000000000000000001 ETH').waitFor();
      await ann.page.getByText(/^send 1 ETH to "Acme"/).waitFor();
    });

    test('nothing broke the security policy, and no request left the origin', () => {
      expect(ann.faults).toEqual([]);
      expect(ann.foreign).toEqual([]);
    });
  },
);
