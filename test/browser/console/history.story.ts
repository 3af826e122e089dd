import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil } from '../../support/anvil.ts';
import { deployToken } from '../../support/anvil-token.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { setUp, USDC, visit } from './story.ts';

const STRANGER = `0x${'22'.repeat(20)}`;
const SPAM = `0x${'5a'.repeat(20)}`;
const BLOCKS = 40;
const skipped = missingAnvil === undefined ? '' : ` (skipped: ${missingAnvil})`;
const transferCall = (to: string, amount: bigint) =>
  `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;

/** What ends beyond the right edge of a list. */
const tooWide = (list: Element) => {
  const { right } = list.getBoundingClientRect();
  return [...list.querySelectorAll('*')]
    .filter((each) => each.getBoundingClientRect().right > right)
    .map((each) => each.outerHTML);
};

describe.skipIf(missingAnvil !== undefined)(`the history of an account${skipped}`, () => {
  let browser: Browser;
  let anvil: Anvil;
  let service: ConsoleService;
  let ann: Person;
  let account: string;
  let walletId: string;
  let first: string;

  const receive = (token: string, amount: bigint): Promise<string> =>
    anvil.call('eth_sendTransaction', [{ from: STRANGER, to: token, data: transferCall(account, amount) }]);

  beforeAll(async () => {
    [browser, anvil] = await Promise.all([startChromium(), startAnvil({ chainId: 1 })]);
    service = await startConsoleService({
      COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ 'eip155:1': [anvil.url] }),
      COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
      COUNTERSIGN_CHAIN_HISTORY_BLOCKS: String(BLOCKS),
      COUNTERSIGN_EXPLORER_URLS: JSON.stringify({ 'eip155:1': 'https://explorer.example.com/tx/{hash}' }),
    });
    ann = await openPerson(browser, service.consoleUrl);
    await setUp(ann, service);
    const wallet = await createWallet(service.root);
    [account] = wallet.addresses as [string];
    walletId = wallet.walletId;
    for (const token of [USDC, SPAM]) await deployToken(anvil, token, STRANGER, 10_000_000_000n);
    await anvil.fund(STRANGER, 10);
    await anvil.call('anvil_impersonateAccount', [STRANGER]);
    first = await receive(USDC, 1_250_500_000n);
    await anvil.mine(2 * BLOCKS);
    // The service has not asked for the newest block before, so it keeps no older one.
    await receive(SPAM, 7n);
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await anvil?.stop();
  });

  const dialog = () => ann.page.getByRole('dialog');

  test.each(Object.entries(sizes))('lists transfers page by page, and says what is missing, at a %s', async (size, viewport) => {
    await ann.page.setViewportSize(viewport);
    await visit(ann, `/wallets/${walletId}`);
    await ann.page.reload();
    await ann.page.getByRole('button', { name: 'History', exact: true }).first().click();
    await dialog().getByText('This browser cannot prove any of it').waitFor();
    await dialog().getByText('Payments in the coin of the chain are missing').waitFor();
    // A token that no list names has no symbol, whatever its contract says.
    await dialog().getByText(`Received 7 of the smallest unit of an unlisted token (${SPAM})`).waitFor();
    await dialog()
      .getByText(/^Searched back to block \d+\.$/)
      .waitFor();
    expect(await dialog().getByText('USDC').count()).toBe(0);
    const earlier = dialog().getByRole('button', { name: 'Search earlier blocks' });
    for (let pages = 0; pages < 4 && (await earlier.count()) > 0; pages++) {
      await earlier.click();
      await expect.poll(async () => (await earlier.count()) === 0 || (await earlier.isEnabled()), { timeout: 30_000 }).toBe(true);
    }
    await dialog().getByText('This is all that the nodes list.').waitFor();
    await dialog().getByText('Received 1,250.5 USDC').waitFor();
    const link = dialog()
      .getByRole('link', { name: /explorer\.example\.com/ })
      .last();
    expect(await link.getAttribute('href')).toBe(`https://explorer.example.com/tx/${first}`);
    expect(await seriousFaults(ann)).toEqual([]);
    expect(await ann.page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
    // A card cuts what is wider, so the width of the page does not show it.
    expect(await dialog().getByRole('list').evaluate(tooWide)).toEqual([]);
    if (process.env.PICTURES !== undefined) await ann.page.screenshot({ path: `${process.env.PICTURES}/history-${size}.png` });
  });

  test('says that no node is connected to a network, and what a failure was', async () => {
    await dialog().getByLabel('Network').selectOption({ label: 'Base' });
    await dialog().getByText('No node lists it').waitFor();
    expect(await dialog().getByRole('list').count()).toBe(0);
    await ann.page.route(/query\/list_address_transactions$/, (route) => route.abort());
    await dialog().getByLabel('Network').selectOption({ label: 'OP Mainnet' });
    await dialog().getByRole('button', { name: 'Try again' }).waitFor();
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('names a block that the nodes do not list', async () => {
    await ann.page.route(/query\/list_address_transactions$/, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('"coverage":', '"unlistedBlock":"1234567","coverage":');
      await route.fulfill({ response, body });
    });
    await visit(ann, `/wallets/${walletId}`);
    await ann.page.reload();
    await ann.page.getByRole('button', { name: 'History', exact: true }).first().click();
    await dialog().getByText('These blocks contain more transfers than the nodes list.').waitFor();
    await dialog().getByText('1,234,567').waitFor();
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('an account without transfers has an empty list', async () => {
    const other = await createWallet(service.root);
    await visit(ann, `/wallets/${other.walletId}`);
    await ann.page.reload();
    await ann.page.getByRole('button', { name: 'History', exact: true }).first().click();
    await dialog().getByText('Nothing in the blocks searched so far.').waitFor();
    expect(ann.faults).toEqual([]);
    expect(ann.foreign).toEqual([]);
  });
});
