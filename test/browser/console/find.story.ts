import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet, privateKeyParams, signParams, userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, type Size } from './person.ts';
import { ACME, setUp, visit } from './story.ts';

const axe = readFileSync(
  createRequire(new URL('../../../packages/console/package.json', import.meta.url)).resolve('axe-core/axe.min.js'),
  'utf8',
);
const ETH = 10n ** 18n;
/** More than the console loads at first. */
const SIGNATURES = 120;

/** A folder for screenshots, to look at. */
const pictures = process.env.CONSOLE_PICTURES;

describe.each<Size>(['desk', 'phone'])('finding things, at the size of a %s', (size) => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl, { size });
    await setUp(ann, service);
    const { root } = service;
    await root.result('createContacts', { contacts: [{ label: 'Acme GmbH', address: ACME, contactTags: ['vendors'] }] });
    await root.result('createUsers', { users: [{ ...userParams(newApiKey()), userName: '=Carol' }] });
    const { addresses } = await createWallet(root);
    const pay = (value: bigint, nonce: bigint) => {
      const unsignedTransaction = ethereumTransaction({ to: ACME, value, nonce });
      return root.result('signTransaction', { signWith: addresses[0], unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' });
    };
    await pay((3n * ETH) / 2n, 0n);
    await root.result('createPrivateKeys', {
      privateKeys: [{ ...privateKeyParams('CURVE_SECP256K1'), privateKeyName: 'Treasury key' }],
    });
    await root.submit('signRawPayload', signParams(addresses[0] as string), { reference: 'Invoice INV-2041' });
    for (let at = 0; at < SIGNATURES; at++) await root.result('signRawPayload', signParams(addresses[0] as string));
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const look = async (name: string) => {
    if (pictures !== undefined) await ann.page.screenshot({ path: join(pictures, `${name}-${size}.png`) });
  };
  const serious = async () => {
    await ann.page.evaluate(axe);
    const { violations } = (await ann.page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
      violations: { id: string; impact: string; nodes: { target: string[] }[] }[];
    };
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  };
  const focused = () =>
    ann.page.evaluate(() => document.activeElement?.id || (document.activeElement as HTMLElement | null)?.innerText);
  const rows = () => ann.page.getByRole('list', { name: 'Activities' }).getByRole('listitem');

  test('a view of activities is saved in this browser, opens again, and is forgotten', async () => {
    const { page } = ann;
    await visit(ann, '/activities');
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('policies');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill('Changes of policies');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const view = page
      .getByRole('list', { name: 'Saved views' })
      .getByRole('button', { name: 'Changes of policies', exact: true });
    await view.waitFor();
    await look('activities-saved-view');
    expect(await serious()).toEqual([]);
    await visit(ann, '/activities');
    await page.reload();
    await view.click();
    await expect.poll(() => page.getByRole('combobox', { name: 'Kind' }).inputValue()).toBe('policies');
    await page.getByRole('button', { name: 'Forget the view Changes of policies' }).click();
    await view.waitFor({ state: 'detached' });
    await visit(ann, '/activities');
  });

  test('the list finds a payment that it did not load, by amount, receiver and name', async () => {
    const { page } = ann;
    await visit(ann, '/activities');
    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.fill('1.5 ETH');
    await page.getByRole('link', { name: /send 1.5 ETH/ }).waitFor();
    expect(await rows().count()).toBe(1);
    await look('activities-amount');
    expect(await serious()).toEqual([]);
    await search.fill(ACME);
    await page.getByRole('link', { name: /send 1.5 ETH/ }).waitFor();
    await search.fill('2 ETH');
    await page.getByText('No matching activity').waitFor();
    await search.fill('acme');
    await page.getByRole('button', { name: 'to Acme GmbH' }).click();
    await page.getByRole('link', { name: /send 1.5 ETH/ }).waitFor();
    expect(page.url()).toContain(`to=${ACME}`);
    await look('activities-contact');
    await page.reload();
    await page.getByRole('link', { name: /send 1.5 ETH/ }).waitFor();
    expect(await page.getByLabel('Receiver').inputValue()).toBe(ACME);
  });

  test('D1151: a text in the search field is in the address, in a saved view, and there again with Back', async () => {
    const { page } = ann;
    await visit(ann, '/activities');
    const search = page.getByRole('searchbox', { name: 'Search' });
    const status = page.getByRole('combobox', { name: 'Status' });
    await status.selectOption({ label: 'Completed' });
    await search.fill('1.5 ETH');
    const link = page.getByRole('link', { name: /send 1.5 ETH/ });
    await link.waitFor();
    await expect.poll(() => page.url()).toContain('text=');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill('One and a half');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await link.click();
    await page.getByRole('button', { name: 'Verify in this browser' }).waitFor();
    await page.goBack();
    await link.waitFor();
    expect(await search.inputValue()).toBe('1.5 ETH');
    expect(await rows().count()).toBe(1);
    await search.fill('carol');
    await page.getByText('The list is not limited to carol.', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Export CSV' }).isDisabled()).toBe(true);
    await look('activities-name');
    const view = page.getByRole('list', { name: 'Saved views' }).getByRole('button', { name: 'One and a half', exact: true });
    await view.click();
    await link.waitFor();
    expect(await search.inputValue()).toBe('1.5 ETH');
    expect(await rows().count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Export CSV' }).isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Forget the view One and a half' }).click();
    await view.waitFor({ state: 'detached' });
  });

  test('D1150: an amount with a separator is refused, and nothing is listed for it', async () => {
    const { page } = ann;
    await visit(ann, '/activities');
    await page.getByRole('searchbox', { name: 'Search' }).fill('1,5 ETH');
    await page.getByText('Nothing was searched').waitFor();
    expect(await rows().count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Export CSV' }).isDisabled()).toBe(true);
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await rows().first().waitFor();
    await page.getByText('Time, receiver, asset, amount and reference').click();
    await page.getByLabel('Amount from').fill('1,5');
    await page.getByText('Nothing was searched').waitFor();
    expect(await page.getByLabel('Amount from').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Amount from').fill('1.5');
    await page.getByRole('link', { name: /send 1.5 ETH/ }).waitFor();
    expect(await rows().count()).toBe(1);
  });

  test('an export has a row for each effect', async () => {
    const { page } = ann;
    await visit(ann, `/activities?to=${ACME}`);
    await page.getByRole('link', { name: /send 1.5 ETH/ }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    const lines = text.trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('Time,Activity,Kind,Status');
    expect(lines[1]?.toLowerCase()).toContain(`transfer,${ACME.toLowerCase()},eth,eip155:1/slip44:60,1.5`);
  });

  test('the palette finds people, wallets, contacts, addresses and payments', async () => {
    const { page } = ann;
    await visit(ann, '/');
    await page.getByText('Latest activities').waitFor();
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(text);
    };
    await find('carol');
    await look('palette');
    await page.getByRole('option', { name: /=Carol/ }).click();
    await page.getByRole('heading', { name: '=Carol' }).waitFor();
    await find('acme');
    await page.getByRole('option', { name: /Acme GmbH/ }).click();
    await page.getByRole('link', { name: /send 1.5 ETH/ }).waitFor();
    await find('wallet');
    await page
      .getByRole('option', { name: /Wallet \d+/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /Wallet \d+/ }).waitFor();
    await find('Treasury key');
    await page.getByRole('option', { name: /Treasury key.*Private key/ }).click();
    await page.getByRole('list', { name: 'Private keys' }).getByText('Treasury key').waitFor();
    await find('INV-2041');
    await page.getByRole('option', { name: /reference or memo INV-2041/ }).click();
    await page.getByRole('link', { name: /INV-2041/ }).waitFor();
    expect(await rows().count()).toBe(1);
    await find('1.5 ETH');
    await page.getByRole('option', { name: 'Activities of 1.5 ETH' }).click();
    await page.getByRole('link', { name: /send 1.5 ETH/ }).waitFor();
  });

  test('a person has a page, with a name that can be changed', async () => {
    const { page } = ann;
    await visit(ann, '/people');
    await page.getByRole('link', { name: '=Carol' }).click();
    await page.getByText('No policy counts an approval of this person.').waitFor();
    await page.getByText('You can see no activity of this person.').waitFor();
    await look('person');
    expect(await serious()).toEqual([]);
    await page.getByRole('button', { name: 'Change name and contact' }).click();
    const name = page.getByRole('dialog').getByLabel('Name');
    expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
    await name.fill('Carol');
    await page
      .getByRole('dialog')
      .getByLabel(/^Email/)
      .fill('carol@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Carol' }).waitFor();
    await expect.poll(() => page.title()).toBe('Carol · People · Countersign');
    await expect.poll(focused, { message: 'the focus returns from the dialog' }).toBe('Change name and contact');
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('left');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Unfreeze' }).waitFor();
    await expect.poll(focused, { message: 'the focus stays on the button that changed' }).toBe('Unfreeze');
    await page.getByText('carol@example.com').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'People' }).click();
    await page.getByRole('link', { name: 'Carol' }).waitFor();
  });

  test('a credential of another person is removed after a confirmation', async () => {
    const { page } = ann;
    await visit(ann, '/people');
    await page.getByRole('link', { name: 'Carol' }).click();
    const credentials = page.getByRole('region', { name: 'Credentials' });
    await credentials.getByRole('button', { name: 'Remove' }).click();
    await page.keyboard.press('Escape');
    expect(await credentials.getByText('API key', { exact: true }).count()).toBe(1);
    await expect.poll(focused).toBe('Remove');
    await credentials.getByRole('button', { name: 'Remove' }).click();
    await page
      .getByRole('dialog')
      .getByText(/can no longer sign in or act for Carol/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await credentials.getByText('API key', { exact: true }).waitFor({ state: 'detached' });
  });

  test('the page about oneself names sessions by device, and cuts nothing off', async () => {
    const { page } = ann;
    await visit(ann, '/me');
    const sessions = page.getByRole('region', { name: 'Sessions' });
    await sessions.getByText(/^Chrome on .*127\.0\.0\.1$/).waitFor();
    await sessions.getByText(/^Sign-in, opened/).waitFor();
    expect(await sessions.innerText()).not.toMatch(/\dT\d\d:/);
    const cut = await page.getByRole('main').evaluate((main) =>
      [...main.querySelectorAll('li *')]
        .filter((each) => getComputedStyle(each).textOverflow === 'ellipsis' || each.scrollWidth > each.clientWidth + 1)
        .filter((each) => getComputedStyle(each).display !== 'inline' && !each.classList.contains('rounded-full'))
        .map(({ textContent }) => textContent),
    );
    expect(cut).toEqual([]);
    await look('me');
  });

  test('the filters stay open when a field is emptied, and name a person after a reload', async () => {
    const { page } = ann;
    await visit(ann, '/activities');
    await page.getByText('Time, receiver, asset, amount and reference').click();
    const field = page.getByLabel('Words of the reference or memo');
    await field.fill('x');
    await page.getByText('No matching activity').waitFor();
    await field.fill('');
    await rows().first().waitFor();
    expect(await field.isVisible()).toBe(true);
    await page.getByLabel('Search').fill('carol');
    await page.getByRole('button', { name: 'by Carol' }).click();
    await page.getByText('by Carol', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('by Carol', { exact: true }).waitFor();
  });

  test('an account signs only transactions of its chain, and a form that was sent is empty', async () => {
    const { page } = ann;
    await visit(ann, '/sign');
    await page.getByLabel('Unsigned transaction').waitFor();
    expect(await page.getByLabel('Chain', { exact: true }).locator('option').allTextContents()).toEqual(['Ethereum']);
    const field = page.getByLabel('Unsigned transaction');
    await field.fill(ethereumTransaction({ to: ACME, value: ETH, nonce: 7n }));
    await page.getByText(/^send 1 ETH to/).waitFor();
    await page.getByRole('button', { name: 'Sign', exact: true }).click();
    await page.getByText('signed transaction', { exact: false }).first().waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  });

  test('the console can be installed', async () => {
    const { page } = ann;
    const manifest = await page.evaluate(async () => {
      const { href } = document.querySelector('link[rel=manifest]') as HTMLLinkElement;
      const read = await (await fetch(href)).json();
      const icons = await Promise.all(
        (read.icons as { src: string; sizes: string }[]).map(async ({ src, sizes }) => {
          const icon = await createImageBitmap(await (await fetch(new URL(src, href))).blob());
          return sizes === `${icon.width}x${icon.height}`;
        }),
      );
      return { start: new URL(read.start_url, href).href, display: read.display, icons };
    });
    expect(manifest).toEqual({ start: `${service.consoleUrl}#/approvals`, display: 'standalone', icons: [true, true, true] });
    const devtools = await ann.context.newCDPSession(page);
    const { errors } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
  });

  test('every page has its own title, and the focus moves to its content', async () => {
    const { page } = ann;
    await visit(ann, '/people');
    await expect.poll(() => page.title()).toBe('People · Countersign');
    await visit(ann, '/wallets');
    await expect.poll(() => page.title()).toBe('Wallets · Countersign');
    if (size === 'phone') {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Find' }).click();
      await page.getByRole('combobox', { name: 'Find' }).fill('acme');
      await page.getByRole('option', { name: /Acme GmbH/ }).waitFor();
      await page.keyboard.press('Escape');
      return;
    }
    await page.getByRole('link', { name: 'Contacts' }).click();
    await expect.poll(() => page.title()).toBe('Contacts · Countersign');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content');
  });

  test('nothing broke the security policy, and no request left the origin', () => {
    expect(ann.faults).toEqual([]);
    expect(ann.foreign).toEqual([]);
  });
});
