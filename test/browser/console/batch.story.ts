import { readFile } from 'node:fs/promises';
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil } from '../../support/anvil.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createMember, createWallet } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { ACME, createContact, setUp, visit } from './story.ts';

const CHAIN_ID = 11_155_111;
const GLOBEX = '0x52908400098527886E0F7030069857D2E4169EE7';
const skipped = missingAnvil === undefined ? '' : ` (skipped: ${missingAnvil})`;

describe.skipIf(missingAnvil !== undefined).each(Object.keys(sizes) as (keyof typeof sizes)[])(
  `payments of a file, at the size of a %s${skipped}`,
  (size) => {
    let browser: Browser;
    let anvil: Anvil;
    let service: ConsoleService;
    let ann: Person;
    let payer: string;

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
      [payer] = addresses as [string];
      await anvil.fund(payer, 10);
    }, CHROMIUM_TIMEOUT_MS);

    afterAll(async () => {
      await browser?.close();
      await service?.close();
      await anvil?.stop();
    });

    const submit = () => ann.page.getByRole('button', { name: /^Submit \d+ payment/ });
    const line = (number: number) => ann.page.getByRole('listitem').filter({ hasText: `Line ${number}` });
    const again = () => ann.page.getByLabel(/^Also submit/);
    const balance = async (address: string) => BigInt(await anvil.call<string>('eth_getBalance', [address, 'latest']));

    async function choose(lines: readonly string[]): Promise<void> {
      await visit(ann, '/send');
      await ann.page.reload();
      await ann.page.getByLabel('Network', { exact: true }).selectOption({ label: 'Sepolia' });
      await ann.page.getByRole('tab', { name: 'From a file' }).click();
      const file = { name: 'payments.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
      await ann.page.getByLabel('CSV file').setInputFiles(file);
    }

    test('a line that is wrong is shown with its number and reason, and nothing can be submitted', async () => {
      await choose(['recipient,amount', 'Acme,0.5', 'Acme,0.50', 'Nobody,1', `${GLOBEX},"1,5"`]);
      await ann.page.getByText('2 lines are wrong').waitFor();
      expect(await line(2).textContent()).toContain('Duplicate');
      expect(await line(3).textContent()).toContain('Duplicate');
      expect(await line(4).textContent()).toContain('Not an address of this network');
      expect(await line(5).textContent()).toContain('without separators of thousands');
      expect(await submit().isDisabled()).toBe(true);
      await choose(['to,amount', 'Acme,0.5']);
      await ann.page.getByRole('alert').filter({ hasText: 'must name the columns' }).waitFor();
    });

    const file = ['recipient,amount,asset,reference', 'Acme,0.5,ETH,INV-7', `"${GLOBEX}",0.25,,`];

    test('each row is read back, submitted as one activity and sent, and the result can be saved', async () => {
      await choose(file);
      await ann.page.getByText('2 payments', { exact: true }).waitFor();
      await ann.page.getByRole('listitem').filter({ hasText: '0.75 ETH' }).getByText('Balance: 10 ETH').waitFor();
      await ann.page.getByText(/^send 0\.5 ETH to "Acme"/).waitFor();
      expect(await seriousFaults(ann)).toEqual([]);
      expect(await ann.page.evaluate(() => document.documentElement.scrollWidth)).toBe(sizes[size].width);
      if (process.env.PICTURES !== undefined)
        await ann.page.screenshot({ path: `${process.env.PICTURES}/batch-${size}.png`, fullPage: true });
      await submit().click();
      await ann.page.getByText('2 of 2 submitted').waitFor();
      const download = ann.page.waitForEvent('download');
      await ann.page.getByRole('button', { name: 'Save the result' }).click();
      const saved = await readFile(await (await download).path(), 'utf8');
      expect(saved.split('\r\n')[1]).toMatch(/^2,Acme,0\.5,ETH,INV-7,COMPLETED,[0-9a-f-]{36},$/);
      const { activities } = await service.root.data('searchActivities', { reference: 'inv-7' });
      expect(activities).toHaveLength(1);
      await expect.poll(() => balance(ACME), { timeout: 60_000 }).toBe(5n * 10n ** 17n);
      await expect.poll(() => balance(GLOBEX), { timeout: 60_000 }).toBe(25n * 10n ** 16n);
    });

    test('the sum of a file that is above the balance is marked', async () => {
      await choose(['recipient,amount', 'Acme,6', `${GLOBEX},5`]);
      await ann.page.getByRole('listitem').filter({ hasText: '11 ETH' }).getByText('More than the balance of 9.').waitFor();
    });

    test('D966: a file that is submitted again after the page was closed pays nothing twice', async () => {
      await choose(file);
      await line(2).getByText('Left out').waitFor();
      await line(3).getByText('That request is signed').waitFor();
      expect(await submit().isDisabled()).toBe(true);
      await again().check();
      await submit().click();
      await ann.page.getByText('0 of 2 submitted, 2 sent before').waitFor();
      const { activities } = await service.root.data('searchActivities', { reference: 'inv-7' });
      expect(activities).toHaveLength(1);
      const link = line(2).getByRole('link', { name: 'Sent before. Nothing was sent again' });
      expect(await link.getAttribute('href')).toContain(activities[0].id);
      expect(await balance(ACME)).toBe(5n * 10n ** 17n);
      expect(await balance(GLOBEX)).toBe(25n * 10n ** 16n);
    });

    test('D1130: a file that broke off and was corrected goes on after the lines that were sent', async () => {
      const before = await balance(ACME);
      let requests = 0;
      await ann.page.route(/submit\/eth_send_transaction$/, (route: Route) => {
        requests += 1;
        return requests === 1 ? route.continue() : route.abort();
      });
      await choose(['recipient,amount', 'Acme,0.01', `${GLOBEX},0.02`, 'Acme,0.03']);
      await submit().click();
      await ann.page.getByText('1 of 3 submitted').waitFor();
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      const corrected = ['recipient,amount', 'Acme,0.01', `${GLOBEX},0.02`, 'Acme,0.04', ''];
      await choose(corrected);
      await line(2).getByText('Left out').waitFor();
      await again().check();
      await expect.poll(() => submit().textContent()).toBe('Submit 3 payments');
      await submit().click();
      await ann.page.getByText('2 of 3 submitted, 1 sent before').waitFor();
      await expect.poll(() => balance(ACME), { timeout: 60_000 }).toBe(before + 5n * 10n ** 16n);
      await expect.poll(() => balance(GLOBEX), { timeout: 60_000 }).toBe(27n * 10n ** 16n);
      await choose(corrected.slice(0, 4));
      await ann.page.getByLabel('Also submit the 3 payments that were requested before').waitFor();
      expect(await submit().isDisabled()).toBe(true);
    });

    test('D1131: a payment that somebody else requested, and that is pending, is left out until it is confirmed', async () => {
      const { userId, caller } = await createMember(service.root);
      await service.root.result('createPolicy', {
        policyName: 'Payments of two',
        ...{ effect: 'EFFECT_ALLOW', condition: 'eth.tx.value == 125000000000000000', notes: '' },
        consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
      });
      const pending = await caller.submit('ethSendTransaction', {
        ...{ from: payer, caip2: `eip155:${CHAIN_ID}`, to: GLOBEX, value: '125000000000000000', data: '0x' },
        ...{ gasLimit: '60000', maxFeePerGas: '20000000000', maxPriorityFeePerGas: '1000000000' },
      });
      expect(pending.body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      await choose(['recipient,amount', `${GLOBEX},0.125`, 'Acme,0.126']);
      await line(2).getByText(`0.125 ETH to ${GLOBEX}`).and(ann.page.getByText('That request is pending')).waitFor();
      const link = line(2).getByRole('link', { name: 'View' });
      expect(await link.getAttribute('href')).toContain(pending.body.activity.id);
      await expect.poll(() => submit().textContent()).toBe('Submit 1 payment');
      await again().check();
      await expect.poll(() => submit().textContent()).toBe('Submit 2 payments');
      await again().uncheck();
      await submit().click();
      await ann.page.getByText('1 of 2 submitted').waitFor();
      expect(await seriousFaults(ann)).toEqual([]);
    });

    test('a line whose expected decision is a denial needs a confirmation', async () => {
      const { root } = service;
      const bob = await createMember(root);
      const { userId: annId } = await root.data('whoami', {});
      await root.result('createPolicy', {
        policyName: 'Small payments',
        ...{ effect: 'EFFECT_ALLOW', condition: 'eth.tx.value <= 300000000000000000', notes: '' },
        consensus: `approvers.any(user, user.id == '${annId}')`,
      });
      await root.result('updateRootQuorum', { threshold: 1, userIds: [bob.userId] });
      try {
        await choose(['recipient,amount', 'Acme,0.301', 'Acme,0.201']);
        await line(2).getByText('Denied', { exact: true }).waitFor();
        await line(3).getByText('Allowed', { exact: true }).waitFor();
        await ann.page.getByText('Limits over time do not count the other lines').waitFor();
        expect(await submit().isDisabled()).toBe(true);
        await ann.page.getByLabel('Submit 1 payment although it will be denied').check();
        await expect.poll(() => submit().isEnabled()).toBe(true);
        await choose(['recipient,amount', 'Acme,0.201']);
        await line(2).getByText('Allowed', { exact: true }).waitFor();
        await submit().click();
        await ann.page.getByText('1 of 1 submitted').waitFor();
      } finally {
        await bob.caller.result('updateRootQuorum', { threshold: 1, userIds: [annId] });
      }
    });

    test('D965: a row with the name of a contact is refused if the list of contacts was altered', async () => {
      await ann.page.route(/query\/list_contacts$/, async (route: Route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: (await response.text()).replaceAll(ACME, GLOBEX) });
      });
      await choose(['recipient,amount', 'Acme,0.125']);
      await ann.page.getByText('does not prove the address of this contact').waitFor();
      expect(await submit().isDisabled()).toBe(true);
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    });

    test('nothing broke the security policy, and no request left the origin', () => {
      expect(ann.faults).toEqual([]);
      expect(ann.foreign).toEqual([]);
    });
  },
);
