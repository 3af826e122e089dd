import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil } from '../../support/anvil.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createMember, createWallet } from '../../support/world.ts';
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

    test('an amount that leaves too little for the highest fee is marked', async () => {
      await open('Sepolia');
      await pickAcme();
      const wei = BigInt(await anvil.call<string>('eth_getBalance', [from, 'latest']));
      await field('Amount').fill(`${wei / 10n ** 18n}.${`${wei % 10n ** 18n}`.padStart(18, '0')}`);
      await ann.page.getByText('does not pay the highest network fee').waitFor();
      await field('Amount').fill('0.5');
      await ann.page.getByText(/^send 0\.5 ETH to "Acme"/).waitFor();
      expect(await ann.page.getByText('does not pay the highest network fee').count()).toBe(0);
    });

    test('D1131: a payment that was requested before is marked, with a link to the request', async () => {
      await open('Sepolia');
      await pickAcme();
      await field('Amount').fill('1.5');
      const before = ann.page.getByRole('alert').filter({ hasText: 'This payment was requested before' });
      await before.getByText(`1.5 ETH to ${ACME}`).waitFor();
      const { activities } = await service.root.data('searchActivities', { reference: 'inv-2041' });
      expect(await before.getByRole('link').getAttribute('href')).toContain(activities[0].id);
      await field('Amount').fill('1.50001');
      await ann.page.getByText(/^send 1\.50001 ETH/).waitFor();
      await expect.poll(() => submit().isEnabled()).toBe(true);
      expect(await before.count()).toBe(0);
    });

    test('D1131: nothing can be submitted while earlier requests are not known', async () => {
      await open('Sepolia');
      await ann.page.route(/query\/search_activities$/, (route: Route) => route.abort());
      await pickAcme();
      await field('Amount').fill('0.7');
      await ann.page.getByText(/^send 0\.7 ETH to "Acme"/).waitFor();
      await ann.page.getByRole('alert').filter({ hasText: 'The service does not respond.' }).waitFor();
      expect(await submit().isDisabled()).toBe(true);
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      await ann.page.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(() => submit().isEnabled()).toBe(true);
    });

    test('what is typed stays with another account and, where it is valid, with another network', async () => {
      const { addresses } = await createWallet(service.root);
      await open('Sepolia');
      await field('Recipient').fill(ACME);
      await field('Amount').fill('0.25');
      await reference().fill('INV-9');
      const option = field('From').locator('option', { hasText: (addresses as [string])[0] });
      await field('From').selectOption((await option.getAttribute('value')) as string);
      expect(await field('Recipient').inputValue()).toBe(ACME);
      expect(await field('Amount').inputValue()).toBe('0.25');
      await field('Network').selectOption({ label: 'Ethereum' });
      await field('Nonce').waitFor();
      expect(await field('Recipient').inputValue()).toBe(ACME);
      expect(await field('Amount').inputValue()).toBe('');
      expect(await reference().inputValue()).toBe('INV-9');
    });

    test('D1132: the expected decision is never that of another payment', async () => {
      const decision = ann.page.locator('summary').filter({ hasText: 'Expected decision' });
      const shows = (text: string) => decision.getByText(text, { exact: true }).waitFor();
      const { userId } = await service.root.data('whoami', {});
      const bob = await createMember(service.root);
      await open('Sepolia');
      await pickAcme();
      await field('Amount').fill('0.31');
      await shows('Allowed');
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await ann.page.route(/query\/simulate_activity$/, async (route: Route) => {
        await held;
        await route.continue();
      });
      await field('Amount').fill('0.32');
      await ann.page.getByText(/^send 0\.32 ETH/).waitFor();
      await shows('Checking…');
      expect(await decision.getByText('Allowed').count()).toBe(0);
      release();
      await shows('Allowed');
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      await ann.page.route(/query\/simulate_activity$/, (route: Route) => route.abort());
      await field('Amount').fill('0.33');
      await ann.page.getByText('The expected decision could not be loaded').waitFor();
      expect(await decision.count()).toBe(0);
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      await service.root.result('createPolicy', {
        policyName: 'Payments of two',
        ...{ effect: 'EFFECT_ALLOW', condition: 'eth.tx.value == 340000000000000000', notes: '' },
        consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
      });
      await service.root.result('updateRootQuorum', { threshold: 1, userIds: [bob.userId] });
      try {
        await field('Amount').fill('0.34');
        await shows('Needs more approvals');
        await field('Amount').fill('0.35');
        await shows('Denied');
      } finally {
        await bob.caller.result('updateRootQuorum', { threshold: 1, userIds: [userId] });
      }
    });

    test('a private key with an address pays, and signs a message', async () => {
      const { privateKeys } = await service.root.result('createPrivateKeys', {
        privateKeys: [
          {
            ...{ privateKeyName: 'Cold store', curve: 'CURVE_SECP256K1', privateKeyTags: [] },
            addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
          },
        ],
      });
      const { address } = privateKeys[0].addresses[0];
      await anvil.fund(address, 1);
      const choose = async (label: string) => {
        const option = field(label).locator('option', {
          hasText: `Cold store (private key) · Ethereum and EVM chains · ${address}`,
        });
        await option.waitFor({ state: 'attached' });
        await field(label).selectOption((await option.getAttribute('value')) as string);
      };
      await open('Sepolia');
      await choose('From');
      await pickAcme();
      await field('Amount').fill('0.125');
      await ann.page.getByText(/^send 0\.125 ETH to "Acme".*signed by the private key "Cold store"/).waitFor();
      await submit().click();
      await told(ann, 'The payment was submitted.');
      await ann.page.getByRole('link', { name: 'Open the activity' }).click();
      await ann.page.getByText('Paid: the transaction is final.').waitFor();
      await visit(ann, '/sign');
      await choose('Sign with');
      await ann.page.getByRole('tab', { name: 'Message' }).click();
      await ann.page.getByRole('textbox', { name: 'Message', exact: true }).fill('hello');
      await ann.page.getByRole('button', { name: 'Sign message' }).click();
      await told(ann, 'Signed.');
    });

    test('nothing broke the security policy, and no request left the origin', () => {
      expect(ann.faults).toEqual([]);
      expect(ann.foreign).toEqual([]);
    });
  },
);
