import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil } from '../../support/anvil.ts';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createWallet, userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { ACME, approve, confirmStep, createContact, openRequest, setUp, visit } from './story.ts';

/** Sepolia, as the test node pretends to be: a network that the console knows by name. */
const CHAIN_ID = 11_155_111;
const CHAIN = `eip155:${CHAIN_ID}`;

/** A service that sends through a node. */
export function sendingService({ url }: Pick<Anvil, 'url'>): Promise<ConsoleService> {
  return startConsoleService({
    COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ [CHAIN]: [url] }),
    COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
    COUNTERSIGN_SEND_CONFIRMATIONS: '2',
    COUNTERSIGN_EXPLORER_URLS: JSON.stringify({ [CHAIN]: 'https://explorer.example.com/tx/{hash}' }),
  });
}

describe.skipIf(missingAnvil !== undefined).each(Object.keys(sizes) as (keyof typeof sizes)[])(
  `a payment that the service sends, at the size of a %s${missingAnvil === undefined ? '' : ` (skipped: ${missingAnvil})`}`,
  (size) => {
    let browser: Browser;
    let anvil: Anvil;
    let service: ConsoleService;
    let ann: Person;
    let from: string;
    const bob = newApiKey();

    beforeAll(async () => {
      [browser, anvil] = await Promise.all([startChromium(), startAnvil({ chainId: CHAIN_ID })]);
      service = await sendingService(anvil);
      ann = await openPerson(browser, service.consoleUrl, { size });
      await setUp(ann, service);
      await createContact(ann, 'Acme', ACME, 'vendors');
      const { root } = service;
      await root.result('createUsers', { users: [{ ...userParams(bob), userName: 'Bob' }] });
      const { addresses } = await createWallet(root);
      [from] = addresses as [string];
      await anvil.fund(from, 10);
      await root.result('createPolicy', {
        ...{ policyName: 'Pay vendors', effect: 'EFFECT_ALLOW', notes: '' },
        condition: "tx.is_payment && tx.payments.all(p, p.to in contacts.tagged('vendors')) && tx.max_fee <= 1 ETH",
        consensus: 'approvers.count() >= 2',
      });
    }, CHROMIUM_TIMEOUT_MS);

    afterAll(async () => {
      await browser?.close();
      await service?.close();
      await anvil?.stop();
    });

    const ask = (more: object) =>
      service.root.with({ key: bob }).submit('ethSendTransaction', { from, caip2: CHAIN, to: ACME, value: '1', ...more });

    test('an approver reads it in the browser, and sees the state of its broadcast until it is final', async () => {
      await anvil.call('evm_setAutomine', [false]);
      await ask({ value: '1500000000000000000' });
      await openRequest(ann, /1\.5 ETH/);
      const sentence = ann.page.getByRole('heading', { level: 2 }).first();
      expect(await sentence.textContent()).toMatch(`send 1.5 ETH to "Acme" (${ACME}) on Sepolia, network fee at most 0.`);
      await ann.page.getByText('The service sets the network fee').waitFor();
      await approve(ann);
      await ann.page.getByText('Sent. Waiting for a block.').waitFor();
      expect(await ann.page.getByText('Not sent yet').count()).toBe(0);
      await anvil.mine(1);
      await ann.page.getByText('In a block. Waiting for confirmations.').waitFor();
      await anvil.mine(1);
      await ann.page.getByText('Paid: the transaction is final.').waitFor();
      const explorer = ann.page.getByRole('link', { name: 'Open at explorer.example.com' }).first();
      expect(await explorer.getAttribute('href')).toMatch(/^https:\/\/explorer\.example\.com\/tx\/0x[0-9a-f]{64}$/);
      expect(await explorer.getAttribute('rel')).toBe('noopener noreferrer');
      await ann.page.getByRole('link', { name: 'Open the activity' }).click();
      await ann.page.getByText('Paid: the transaction is final.').waitFor();
      expect(await explorer.count()).toBe(1);
      expect(BigInt(await anvil.call<string>('eth_getBalance', [ACME, 'latest']))).toBe(15n * 10n ** 17n);
    });

    test('a payment that fails after the approval is red, with the reason', async () => {
      await ask({ value: '100000000000000000000', gasLimit: '21000', maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1' });
      await openRequest(ann, /100 ETH/);
      expect(await ann.page.getByText('The service sets the network fee').count()).toBe(0);
      await ann.page.getByRole('button', { name: 'Approve' }).click();
      // Much more than was ever paid to this receiver.
      await confirmStep(ann);
      const alert = ann.page.getByRole('alert').filter({ hasText: 'Approved, but it failed' });
      await alert.waitFor();
      expect(await alert.textContent()).toContain('Nothing was sent.');
    });

    test('nothing broke the security policy, and no request left the origin', async () => {
      await visit(ann, '/');
      expect(ann.faults).toEqual([]);
      expect(ann.foreign).toEqual([]);
    });
  },
);
