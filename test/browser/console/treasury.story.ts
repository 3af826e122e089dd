import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { missingAnvil } from '../../support/anvil.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createDatabase } from '../../support/postgres-database.ts';
import { consolePages, openPage } from './console-pages.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { type PaymentChain, startPaymentChain } from './payment-chain.ts';
import { openPerson, type Person, type Size, sizes } from './person.ts';
import { ACME, approve, askOnSendPage, foundTreasury, openRequest, visit } from './story.ts';
import { createWalk } from './walk.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
}, CHROMIUM_TIMEOUT_MS);

afterAll(() => browser?.close());

/** Runs in the page: the number of keys of links that the browser stores. */
async function storedLinkKeys(): Promise<number> {
  const settled = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await settled(indexedDB.open('countersign-links', 1));
  const count = await settled(database.transaction('values', 'readonly').objectStore('values').count());
  database.close();
  return count;
}

const ways: readonly [Size, 'SQLite' | 'PostgreSQL'][] = [
  ['phone', 'SQLite'],
  ['desk', 'SQLite'],
  ['desk', 'PostgreSQL'],
];

const skipped = missingAnvil === undefined ? '' : ` (skipped: ${missingAnvil})`;

describe.skipIf(missingAnvil !== undefined).each(Object.keys(sizes) as Size[])(
  `a treasury that pays through a node, at the size of a %s${skipped}`,
  (size) => {
    let chain: PaymentChain;
    let service: ConsoleService;
    let ann: Person;
    let bob: Person;
    const walk = createWalk();
    const { step } = walk;

    beforeAll(async () => {
      chain = await startPaymentChain();
      service = await step('The service starts for the first time', () => startConsoleService(chain.settings));
      ann = await openPerson(browser, service.consoleUrl, { size });
      bob = await openPerson(browser, service.consoleUrl, { size });
    });

    afterAll(async () => {
      console.log(walk.lines());
      await ann?.context.close();
      await bob?.context.close();
      await service?.close();
      await chain?.stop();
    });

    test('from the first start to USDC that arrived', async () => {
      await foundTreasury(ann, bob, service, {
        step,
        ask: async () => {
          await chain.fundFirstWallet(service.root);
          await askOnSendPage(ann, 'Acme', '25000');
        },
      });
      await openRequest(bob, /25,000 USDC/);
      // An address has no place to break a line, and is shown whole.
      const finding = bob.page.getByRole('listitem').filter({ hasText: 'First payment to' });
      await expect(finding.textContent()).resolves.toContain(ACME);
      const [right, limit] = await finding.evaluate((item) =>
        [item, item.parentElement as Element].map((element) => Math.round(element.getBoundingClientRect().right)),
      );
      expect(right).toBeLessThanOrEqual(limit as number);
      expect(await chain.received(ACME)).toBe(0n);
      await step('Bob types the amount and approves', () => approve(bob));
      await visit(ann, '/activities');
      await ann.page
        .getByRole('link', { name: /25,000 USDC/ })
        .first()
        .click();
      await step('Ann sees it paid', () => ann.page.getByText('Paid: the transaction is final.').waitFor());
      expect(await chain.received(ACME)).toBe(25_000_000_000n);
    });
  },
);

describe.each(ways)('a treasury of two people, at the size of a %s, on %s', (size, engine) => {
  let service: ConsoleService;
  let ann: Person;
  let bob: Person;
  let dropDatabase = async () => {};
  const walk = createWalk();
  const { step } = walk;

  beforeAll(async () => {
    const database = engine === 'PostgreSQL' ? await createDatabase() : undefined;
    if (database !== undefined) dropDatabase = database.drop;
    service = await startConsoleService(database && { COUNTERSIGN_DATABASE_URL: database.url });
    ann = await openPerson(browser, service.consoleUrl, { size });
    bob = await openPerson(browser, service.consoleUrl, { size });
  });

  afterAll(async () => {
    console.log(walk.lines());
    await ann?.context.close();
    await bob?.context.close();
    await service?.close();
    await dropDatabase();
  });

  test('from the first start to an approved payment in USDC', async () => {
    await foundTreasury(ann, bob, service, { step });
    await step('Bob opens the request', () => openRequest(bob, /25,000 USDC/));
    const shown = bob.page.getByRole('heading', { level: 2 }).first();
    await expect(shown.textContent()).resolves.toMatch(
      `send 25,000 USDC to "Acme" (${ACME}) on Ethereum, network fee at most 0.0002 ETH`,
    );
    await bob.page.getByText('First payment to').waitFor();
    await bob.page.getByRole('link', { name: 'Pay vendors' }).waitFor();

    await visit(ann, '/approvals');
    await ann.page.getByRole('tab', { name: /For others/ }).click();
    await ann.page.getByRole('link', { name: /25,000 USDC/ }).click();
    await step('Bob types the amount and approves', () => approve(bob));
    await step('Ann sees it completed', () => ann.page.getByText('Completed', { exact: true }).first().waitFor());
    await ann.page.getByRole('link', { name: 'Open the activity' }).click();
    await ann.page.getByText('signed transaction').first().waitFor();
    await step('Ann checks the proof in her browser', async () => {
      await ann.page.getByRole('button', { name: 'Verify in this browser' }).click();
      await ann.page.getByText('Included', { exact: true }).waitFor();
    });
  });

  test('no page is wider than the screen, with sentences as long as those of payments', async () => {
    for (const page of consolePages) {
      await openPage(ann, page);
      const { width } = sizes[size];
      expect({ page: page.name, width: await ann.page.evaluate(() => document.documentElement.scrollWidth) }).toEqual({
        page: page.name,
        width,
      });
    }
  });

  test('the overview says how long requests took', async () => {
    await visit(ann, '/');
    const section = ann.page.getByRole('region', { name: 'Request durations' });
    await section
      .getByText(/^Of \d+ requests in the last 24 hours, half were answered within [\d.]+ m?s, and 99 of 100 within/)
      .waitFor();
    await section.getByRole('figure', { name: 'Request durations' }).waitFor();
    await section.getByText('Show as a table').click();
    await section.getByRole('columnheader', { name: '99 of 100' }).waitFor();
    await section
      .getByRole('cell', { name: /^≤ [\d.]+ m?s$/ })
      .first()
      .waitFor();
  });

  test('the browser stamps and keeps nothing that a thief could use', async () => {
    for (const { page, context } of [ann, bob]) {
      expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
      expect(await context.cookies()).toEqual([]);
    }
  });

  test('signing out leaves nothing of the session in the browser', async () => {
    const { page } = bob;
    await visit(bob, '/me');
    await page.getByText('this device', { exact: true }).waitFor();
    if (size === 'phone') {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    } else await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    const left = await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name).sort());
    expect(left.filter((name) => name !== 'countersign-preferences' && name !== 'countersign-links')).toEqual([]);
    // Keys of links that were not used stay. Bob used his.
    expect(await page.evaluate(storedLinkKeys)).toBe(0);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('this device', { exact: true }).waitFor();
  });

  test('nothing broke the security policy, and no request left the origin', () => {
    expect({ ann: ann.faults, bob: bob.faults }).toEqual({ ann: [], bob: [] });
    expect([...ann.foreign, ...bob.foreign]).toEqual([]);
  });
});
