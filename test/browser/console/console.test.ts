import { randomUUID } from 'node:crypto';
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { consolePages, fill, openPage } from './console-pages.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { ACME, approve, createContact, openRequest, setUp, usdcPayment, visit } from './story.ts';

const hostile = (what: string) => `<img src=x onerror="window.broken=1"><b>${what}</b>`;

describe('the console', () => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;
  const stamps: { path: string; passkey: boolean }[] = [];

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl, { size: 'phone' });
    ann.page.on('request', (request) => {
      const [, path] = /\/submit\/(\w+)$/.exec(request.url()) ?? [];
      if (path !== undefined) stamps.push({ path, passkey: 'x-stamp-webauthn' in request.headers() });
    });
    await setUp(ann, service);
    await createContact(ann, 'Acme', ACME, 'vendors');
    await askAsBob();
    await openRequest(ann, /25,000 USDC/);
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Bob, who has an API key, asks for a payment that takes two. */
  async function askAsBob(): Promise<void> {
    const { root } = service;
    const key = newApiKey();
    await root.result('createUsers', { users: [{ ...userParams(key), userName: hostile('Bob') }] });
    await root.result('createPolicy', {
      policyName: 'Pay vendors',
      effect: 'EFFECT_ALLOW',
      condition:
        "tx.is_payment && tx.payments.all(p, p.asset == USDC && p.to in contacts.tagged('vendors')) && tx.max_fee <= 1 ETH",
      consensus: 'approvers.count() >= 2',
      notes: '',
    });
    const { addresses } = await root.result('createWallet', {
      walletName: 'Treasury',
      accounts: [
        {
          curve: 'CURVE_SECP256K1',
          pathFormat: 'PATH_FORMAT_BIP32',
          path: "m/44'/60'/0'/0/0",
          addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
        },
      ],
    });
    const payment = { signWith: addresses[0], unsignedTransaction: usdcPayment(25_000n), type: 'TRANSACTION_TYPE_ETHEREUM' };
    await root.with({ key }).submit('signTransaction', payment);
  }

  /** Changes the answers of a query on their way to Ann. */
  async function alter(queries: RegExp, change: (text: string) => string): Promise<void> {
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await ann.page.route(queries, async (route: Route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: change(await response.text()) });
    });
    await ann.page.reload();
  }

  const activityQueries = /query\/(get_activity|list_activities)$/;
  const sentence = () => ann.page.getByRole('heading', { level: 2 }).first();
  const alarm = () => ann.page.getByRole('alert').getByText('What the service shows is not what was stamped').waitFor();
  const checked = () => ann.page.getByText('Decoded and verified in this browser').waitFor();

  test('shows what a payment does, what is unusual, and which policy asks', async () => {
    const shown = await sentence().textContent();
    expect(shown).toContain(`send 25,000 USDC to "Acme" (${ACME}) on Ethereum, network fee at most 0.0002 ETH`);
    expect(shown).toMatch(/, signed by the (wallet|private key) ".+" \(0x[0-9a-fA-F]{40}\)$/);
    await ann.page.getByText('First payment to').waitFor();
    await ann.page.getByRole('link', { name: 'Pay vendors' }).waitFor();
  });

  test('A61: another amount in the effects of an activity is never approved', async () => {
    await alter(activityQueries, (text) =>
      text.replaceAll('"25000000000"', '"25000000"').replaceAll('25,000 USDC', '25 USDC').replaceAll('"25000"', '"25"'),
    );
    await alarm();
    expect(await ann.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await ann.page.keyboard.press('a');
    expect(await ann.page.getByText('25 USDC').count()).toBe(0);
  });

  test('A61: another sentence of the service is not shown: the browser reads the bytes', async () => {
    await alter(activityQueries, (text) => text.replaceAll('send 25,000 USDC', 'send 25 USDC'));
    await checked();
    expect(await sentence().textContent()).toContain('send 25,000 USDC');
  });

  test('A61: another message under the same fingerprint is never approved', async () => {
    // 25,000 USDC in base units, in the data of the call.
    await alter(activityQueries, (text) => text.replaceAll('5d21dba00', '017d78400'));
    await alarm();
    expect(await ann.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  test('A61: other decimals of a token do not move the point of an amount', async () => {
    const asset = 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
    const token = `{"tokenId":"t","asset":"${asset}","symbol":"USDC","decimals":9,"source":"ORGANIZATION"}`;
    await alter(/query\/get_activity_names$/, (text) => text.replace('"tokens":[]', `"tokens":[${token}]`));
    await checked();
    expect(await sentence().textContent()).toContain('send 25,000 USDC');
    await ann.page.getByText('with other decimals than the list in this browser').waitFor();
    expect(stamps.filter(({ path }) => path.includes('approve') || path.includes('reject'))).toEqual([]);
  });

  test('loads a long interface, which the list leaves out, to decode a call, and does not call a long policy one for anyone', async () => {
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    const to = `0x${'22'.repeat(20)}`;
    const inputs = [{ name: 'times', type: 'uint256' }];
    const functions = ['ping', ...Array.from({ length: 500 }, (_, at) => `other${at}`)].map((name) => ({
      ...{ type: 'function', name, inputs, outputs: [], stateMutability: 'nonpayable' },
    }));
    await service.root.result('createSmartContractInterface', {
      smartContractAddress: to,
      smartContractInterface: JSON.stringify(functions),
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      label: 'Pinger',
    });
    const { smartContractInterfaces } = await service.root.data('listSmartContractInterfaces');
    expect(smartContractInterfaces).toMatchObject([{ smartContractInterface: '', shortened: {} }]);
    await visit(ann, '/sign');
    // The selector of ping(uint256).
    const data = `0x773acdef${'7'.padStart(64, '0')}`;
    await ann.page.getByLabel('Unsigned transaction').fill(ethereumTransaction({ to, value: 0n, data }));
    await ann.page.getByText(/^call ping\(times: 7\) on/).waitFor();

    const many = (text: string, count: number) => Array.from({ length: count }, () => `'${text}'`).join(', ');
    const condition = `eth.tx.to in [${many(to, 680)}]`;
    const consensus = `approvers.any(user, user.id in [${many(randomUUID(), 780)}])`;
    const { policyId } = await service.root.result('createPolicy', {
      ...{ policyName: 'Long', effect: 'EFFECT_ALLOW', condition, consensus, notes: '' },
    });
    await visit(ann, '/policies');
    const listed = ann.page.locator(`a[href*="${policyId}"]`);
    await listed.getByText('Too long for this list').waitFor();
    expect(await listed.textContent()).toContain(to);
    expect(await listed.textContent()).not.toContain('anyone');
    await service.root.result('deletePolicy', { policyId });
  });

  test('A62: what people entered is shown as text on every page', async () => {
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await fill(service.root, hostile);
    for (const page of consolePages) {
      await openPage(ann, page);
      const found = await ann.page.evaluate(() => ({
        broken: 'broken' in window,
        elements: document.querySelectorAll('main img, main b').length,
      }));
      expect({ page: page.name, ...found }).toEqual({ page: page.name, broken: false, elements: 0 });
    }
    await visit(ann, '/contacts');
    await ann.page.getByText(hostile('Globex')).waitFor();
  });

  test('A63: the browser keeps nothing that a thief could use', async () => {
    const kept = await ann.page.evaluate(async () => {
      const opening = indexedDB.open('countersign');
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const reading = opening.result.transaction('keys').objectStore('keys').get('session');
      await new Promise((resolve) => {
        reading.onsuccess = resolve;
      });
      opening.result.close();
      const { privateKey } = reading.result as CryptoKeyPair;
      const stolen = await crypto.subtle.exportKey('pkcs8', privateKey).catch((error: DOMException) => error.name);
      return { stolen, local: localStorage.length, session: sessionStorage.length };
    });
    expect(kept).toEqual({ stolen: 'InvalidAccessError', local: 0, session: 0 });
    expect(await ann.context.cookies()).toEqual([]);
    const thief = await openPerson(browser, service.consoleUrl);
    await thief.page.goto(service.setupLink);
    await thief.page.getByRole('alert').getByText('This link was used, or it is not valid').waitFor();
    expect(thief.page.url()).toBe(`${service.consoleUrl}#/setup`);
    expect(await thief.page.getByRole('button', { name: 'Create a passkey' }).count()).toBe(0);
    await thief.context.close();
  });

  test('A64: the session reads; a passkey stamps every change and every vote', async () => {
    await openRequest(ann, /25,000 USDC/);
    await approve(ann);
    await ann.page.getByText('Completed', { exact: true }).first().waitFor();
    expect(stamps.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['stamp_login', 'create_contacts', 'approve_activity']),
    );
    const ofLink = ['exchange_one_time_key', 'recover_user'];
    expect(stamps.filter(({ path, passkey }) => !passkey && !ofLink.includes(path))).toEqual([]);
  });

  test('nothing broke the security policy, and no request left the origin', () => {
    expect(ann.faults).toEqual([]);
    expect(ann.foreign).toEqual([]);
  });
});
