import { chains } from '@countersign/chains';
import { base58 } from '@scure/base';
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BitcoinAccount, type BitcoinServer, bitcoinAccount, serveBitcoin } from '../../features/sending/bitcoin-support.ts';
import { fundedSolana, lamportsOf, SOL } from '../../features/sending/solana-support.ts';
import { fundedTron, serveTron, TRX, type TronServer } from '../../features/sending/tron-support.ts';
import { type BitcoinLedger, createBitcoinLedger } from '../../support/bitcoin-ledger.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts';
import { createTronLedger, type TronLedger } from '../../support/tron-ledger.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { createContact, setUp, told, visit } from './story.ts';

const TRON = 'tron:0x2b6653dc';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
/** Receivers that nobody of the organization has the keys of. */
const SOLANA_ACME = '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS';
const TRON_ACME = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const BITCOIN_ACME = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const ACME_SCRIPT = '0014751e76e8199196d454941c45d1b3a323f1433bd6';

/** The account in which a wallet holds the token. */
const tokenAccount = (wallet: string) =>
  (chains.solana.effects.holdsTokensOf?.(wallet, `solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:${USDC}`) ?? [])[0] as string;

describe.each(Object.keys(sizes) as (keyof typeof sizes)[])(
  'payments on Solana, Tron and Bitcoin, at the size of a %s',
  (size) => {
    let browser: Browser;
    let solana: SolanaNode;
    let tron: TronServer;
    let tronLedger: TronLedger;
    let bitcoin: BitcoinServer;
    let coins: BitcoinLedger;
    let service: ConsoleService;
    let ann: Person;
    let solanaPayer: string;
    let tronPayer: string;
    let bitcoinPayer: BitcoinAccount;

    beforeAll(async () => {
      tronLedger = createTronLedger({ chain: TRON });
      coins = createBitcoinLedger();
      coins.mine(2);
      [browser, solana, tron, bitcoin] = await Promise.all([
        startChromium(),
        startSolanaNode(),
        serveTron(tronLedger),
        serveBitcoin(coins),
      ]);
      service = await startConsoleService({
        COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({
          [solana.chain]: [solana.url],
          [TRON]: [tron.url],
          [coins.chain]: [bitcoin.url],
        }),
        COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
        COUNTERSIGN_SEND_CONFIRMATIONS: '1',
      });
      ann = await openPerson(browser, service.consoleUrl, { size });
      await setUp(ann, service);
      const { root } = service;
      bitcoinPayer = await bitcoinAccount(root, coins, { kind: 'P2TR' });
      tronPayer = await fundedTron(root, tronLedger);
      tronLedger.fund(tronPayer, 5_000_000n, USDT);
      solanaPayer = await fundedSolana(root, solana);
      solana.putMint(USDC, 6);
      solana.putTokens(tokenAccount(solanaPayer), { mint: USDC, owner: solanaPayer, amount: 5_000_000n });
      solana.airdrop(SOLANA_ACME, SOL);
    }, CHROMIUM_TIMEOUT_MS);

    afterAll(async () => {
      await browser?.close();
      await service?.close();
      await Promise.all([solana?.close(), tron?.close(), bitcoin?.close()]);
    });

    const field = (name: string) => ann.page.getByLabel(name, { exact: true });
    const submit = () => ann.page.getByRole('button', { name: 'Submit' });

    /** Opens the page anew for an account, with altered answers of some queries. */
    async function open(account: string, altered?: { queries: RegExp; change(text: string): string }): Promise<void> {
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      if (altered !== undefined)
        await ann.page.route(altered.queries, async (route: Route) => {
          const response = await route.fetch();
          await route.fulfill({ response, body: altered.change(await response.text()) });
        });
      await visit(ann, '/send');
      await ann.page.reload();
      const option = field('From').locator('option', { hasText: account });
      await option.waitFor({ state: 'attached' });
      await field('From').selectOption((await option.getAttribute('value')) as string);
      await field('Recipient').waitFor();
    }

    /** Submits what is shown, and makes blocks until it is final. */
    async function pay(picture: string, advance: () => void): Promise<void> {
      await ann.page.getByText('Expected decision').waitFor();
      expect(await seriousFaults(ann)).toEqual([]);
      expect(await ann.page.evaluate(() => document.documentElement.scrollWidth)).toBe(sizes[size].width);
      if (process.env.PICTURES !== undefined)
        await ann.page.screenshot({ path: `${process.env.PICTURES}/send-${picture}-${size}.png`, fullPage: true });
      await submit().click();
      await told(ann, 'The payment was submitted.');
      expect(await field('Amount').inputValue()).toBe('');
      await ann.page.getByRole('link', { name: 'Open the activity' }).click();
      const isPaid = ann.page.getByText('Paid: the transaction is final.');
      await expect
        .poll(
          async () => {
            advance();
            return isPaid.isVisible();
          },
          { timeout: 90_000, interval: 500 },
        )
        .toBe(true);
    }

    test('SOL is paid to a contact, with a memo', async () => {
      await createContact(ann, 'Acme on Solana', SOLANA_ACME, 'vendors');
      await open(solanaPayer);
      await ann.page.getByText('Balance: 10 SOL').waitFor();
      await field('Recipient').fill('acme');
      await ann.page.getByRole('button', { name: 'Acme on Solana' }).click();
      await field('Amount').fill('1.5');
      await ann.page.getByLabel(/^Memo/).fill('Invoice 7');
      await ann.page.getByText(/memo "Invoice 7".*send 1\.5 SOL to "Acme on Solana"/).waitFor();
      const before = await lamportsOf(solana, SOLANA_ACME);
      await pay('solana', () => solana.ledger.advance(3));
      expect((await lamportsOf(solana, SOLANA_ACME)) - before).toBe((3n * SOL) / 2n);
    });

    test('a token on Solana is paid to a wallet without a token account, which is created', async () => {
      await open(solanaPayer);
      await field('Recipient').fill(SOLANA_ACME);
      await field('Asset').selectOption({ label: 'USDC' });
      await ann.page.getByText('Balance: 5 USDC').waitFor();
      await field('Amount').fill('2.5');
      await field('Priority fee').selectOption({ label: 'Set it yourself' });
      await field('Priority fee, in SOL').fill('0.02');
      await ann.page.getByText('The console takes at most 0.01 SOL').waitFor();
      expect(await submit().isDisabled()).toBe(true);
      await field('Priority fee, in SOL').fill('0.00002');
      const created = /create an account \S+ \(held by "Acme on Solana".*for 0\.00203928 SOL, send 2\.5 USDC/;
      await ann.page.getByText(created).waitFor();
      await pay('solana-token', () => solana.ledger.advance(3));
      const held = (await solana.call('getTokenAccountsByOwner', [
        SOLANA_ACME,
        { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
      ])) as {
        value: readonly { pubkey: string; account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[];
      };
      expect(held.value).toMatchObject([
        { pubkey: tokenAccount(SOLANA_ACME), account: { data: { parsed: { info: { tokenAmount: { amount: '2500000' } } } } } },
      ]);
    });

    test.each([
      ['TRX', '1.5', undefined],
      ['USDT', '2.5', USDT],
    ])('%s is paid on Tron', async (symbol, amount, token) => {
      await open(tronPayer);
      await field('Recipient').fill(TRON_ACME);
      await field('Asset').selectOption({ label: symbol });
      await ann.page.getByText(/Balance: \d/).waitFor();
      await field('Amount').fill(amount);
      if (token !== undefined)
        await field('Fee limit').locator('option', { hasText: 'Normal · 15 TRX' }).waitFor({ state: 'attached' });
      await ann.page.getByText(new RegExp(`^send ${amount} ${symbol} to ${TRON_ACME} on Tron`)).waitFor();
      await pay(`tron-${symbol}`, () => tronLedger.advance(2));
      expect(tronLedger.balanceOf(TRON_ACME, token)).toBe((BigInt(amount.replace('.', '')) * TRX) / 10n);
    });

    test('D987: Bitcoin is paid with the coins of pasted transactions, also if its node suggests no fee', async () => {
      const coin = bitcoinPayer.newCoin(200_000n);
      coins.mine(1);
      await open(bitcoinPayer.address);
      await field('Recipient').fill(BITCOIN_ACME);
      await field('Amount').fill('0.0015');
      await field('Transactions that paid this account').fill(`${coin.raw}\n`);
      await field('Network fee, in satoshis per virtual byte').fill('5');
      await ann.page.getByText(/send 0\.0015 BTC to bcrt1qw508\S+, return 0\.0004\d+ BTC to the signing key/).waitFor();
      await pay('bitcoin', () => coins.mine(1));
      expect(coins.balanceOf(ACME_SCRIPT)).toBe(150_000n);
      expect(coins.balanceOf(bitcoinPayer.script)).toBeGreaterThan(48_000n);
    });

    test('a coin that was altered does not exist: the nodes refuse the payment', async () => {
      const coin = bitcoinPayer.newCoin(200_000n);
      await open(bitcoinPayer.address);
      await field('Recipient').fill(BITCOIN_ACME);
      await field('Amount').fill('0.0015');
      // The amount of the only output is before its script.
      await field('Transactions that paid this account').fill(coin.raw.replace('400d030000000000', '400d040000000000'));
      await field('Network fee, in satoshis per virtual byte').fill('5');
      await ann.page.getByText(/send 0\.0015 BTC/).waitFor();
      await submit().click();
      await ann.page
        .getByRole('region', { name: 'Notifications' })
        .getByText(/does not know/)
        .first()
        .waitFor();
      expect(coins.balanceOf(ACME_SCRIPT)).toBe(150_000n);
    });

    test('an address is shown whole, in groups', async () => {
      await open(tronPayer);
      await field('Recipient').fill(TRON_ACME);
      expect((await ann.page.getByTitle(TRON_ACME).innerText()).replaceAll(/\s/g, '')).toBe(TRON_ACME);
    });

    test('D800: an altered list of contacts does not name a stranger in the sentence', async () => {
      const stranger = base58.encode(new Uint8Array(32).fill(5));
      await open(solanaPayer, {
        queries: /query\/list_contacts$/,
        change: (text) => text.replaceAll(SOLANA_ACME, stranger),
      });
      await field('Recipient').fill('acme');
      await ann.page.getByRole('button', { name: 'Acme on Solana' }).click();
      await field('Amount').fill('1');
      await ann.page.getByRole('alert').filter({ hasText: 'its log does not prove this name' }).waitFor();
      await ann.page.getByText(new RegExp(`^send 1 SOL to ${stranger}`)).waitFor();
    });

    test('D982: an address that resembles that of a contact is marked, also if only its letters are in another case', async () => {
      await open(solanaPayer);
      await field('Recipient').fill(SOLANA_ACME.replace(/S$/, 's'));
      const alarm = ann.page.getByRole('alert').filter({ hasText: 'The recipient resembles “Acme on Solana”' });
      await alarm.waitFor();
      expect(await alarm.textContent()).toContain(SOLANA_ACME);
    });

    test('nothing broke the security policy, and no request left the origin', () => {
      expect(ann.faults).toEqual([]);
      expect(ann.foreign).toEqual([]);
    });
  },
);

describe('a network that the service is not connected to', () => {
  test('leads to signing a pasted transaction on Solana, and to nothing on Bitcoin', async () => {
    const [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    try {
      const ann = await openPerson(browser, service.consoleUrl, { size: 'desk' as keyof typeof sizes });
      await setUp(ann, service);
      const coins = createBitcoinLedger();
      const payer = await bitcoinAccount(service.root, coins);
      const account = {
        ...{ curve: 'CURVE_ED25519', pathFormat: 'PATH_FORMAT_BIP32', path: "m/44'/501'/0'/0'" },
        addressFormat: 'ADDRESS_FORMAT_SOLANA',
      };
      await service.root.result('createWallet', { walletName: 'Solana', accounts: [account] });
      const field = (name: string) => ann.page.getByLabel(name, { exact: true });
      await visit(ann, '/send');
      await ann.page.getByText('The service is not connected to this network').waitFor();
      await ann.page.getByRole('link', { name: 'Sign a transaction' }).waitFor();
      const option = field('From').locator('option', { hasText: payer.address });
      await field('From').selectOption((await option.getAttribute('value')) as string);
      await ann.page.getByText('The console pays here only through a node.').waitFor();
      expect(await ann.page.getByRole('link', { name: 'Sign a transaction' }).count()).toBe(0);
      expect(await ann.page.getByRole('button', { name: 'Submit' }).count()).toBe(0);
    } finally {
      await browser.close();
      await service.close();
    }
  });
});
