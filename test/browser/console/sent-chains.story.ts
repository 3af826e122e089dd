import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fundedSolana, solPayment } from '../../features/sending/solana-support.ts';
import { fundedTron, serveTron, type TronServer, tronPayment } from '../../features/sending/tron-support.ts';
import { type Anvil, missingAnvil, startAnvil } from '../../support/anvil.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts';
import { createTronLedger, type TronLedger } from '../../support/tron-ledger.ts';
import { createWallet, userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { ACME, approve, createContact, openRequest, setUp, visit } from './story.ts';

const CHAIN_ID = 11_155_111;
const CHAIN = `eip155:${CHAIN_ID}`;
const STRANGER = `0x${'99'.repeat(20)}`;
/** The receiver outside the stamped text. */
const toAcme = new RegExp(`"to":"${ACME}"`, 'gi');

describe.skipIf(missingAnvil !== undefined).each(Object.keys(sizes) as (keyof typeof sizes)[])(
  `requests that send or replace a transaction, at the size of a %s${missingAnvil === undefined ? '' : ` (skipped: ${missingAnvil})`}`,
  (size) => {
    let browser: Browser;
    let anvil: Anvil;
    let solana: SolanaNode;
    let ledger: TronLedger;
    let tron: TronServer;
    let service: ConsoleService;
    let ann: Person;
    let from: string;
    const bob = newApiKey();

    beforeAll(async () => {
      ledger = createTronLedger();
      [browser, anvil, solana, tron] = await Promise.all([
        startChromium(),
        startAnvil({ chainId: CHAIN_ID }),
        startSolanaNode(),
        serveTron(ledger),
      ]);
      service = await startConsoleService({
        COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({
          [CHAIN]: [anvil.url],
          [solana.chain]: [solana.url],
          [ledger.chain]: [tron.url],
        }),
        COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
      });
      ann = await openPerson(browser, service.consoleUrl, { size });
      await setUp(ann, service);
      await createContact(ann, 'Acme', ACME, 'vendors');
      const { root } = service;
      await root.result('createUsers', { users: [{ ...userParams(bob), userName: 'Bob' }] });
      const { addresses } = await createWallet(root);
      [from] = addresses as [string];
      await anvil.fund(from, 10);
      await anvil.call('evm_setAutomine', [false]);
      await root.result('createPolicy', {
        ...{ policyName: 'Sign', effect: 'EFFECT_ALLOW', notes: '' },
        condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
        consensus: 'approvers.count() >= 2',
      });
    }, CHROMIUM_TIMEOUT_MS);

    afterAll(async () => {
      await browser?.close();
      await service?.close();
      await Promise.all([anvil?.stop(), solana?.close(), tron?.close()]);
    });

    const sentence = () => ann.page.getByRole('heading', { level: 2 }).first();

    /** Bob asks, and the policy needs another approval. */
    async function askAsBob(name: Parameters<Caller['submit']>[0], parameters: object): Promise<void> {
      const { body } = await service.root.with({ key: bob }).submit(name, parameters);
      expect(body).toMatchObject({ activity: { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' } });
    }

    /** A payment of a root user that is signed, sent, and in no block. */
    async function sent(value: string): Promise<string> {
      const fees = { gasLimit: '21000', maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1' };
      const payment = { from, caip2: CHAIN, to: ACME, value, ...fees };
      return (await service.root.result('ethSendTransaction', payment)).sendTransactionStatusId;
    }

    const ask = (replacement: string, sendTransactionStatusId: string, more: object = {}) =>
      askAsBob('ethReplaceTransaction', { from, caip2: CHAIN, sendTransactionStatusId, replacement, ...more });

    /** Changes the answers of a query on their way to Ann. */
    async function alter(query: string, change: (text: string) => string): Promise<void> {
      await ann.page.route(`**/query/${query}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: change(await response.text()) });
      });
      await ann.page.reload();
    }

    test('a payment that is sped up says what it repeats, and both fees', async () => {
      const id = await sent('1500000000000000000');
      await ask('SPEED_UP', id, { maxFeePerGas: '9000000000', maxPriorityFeePerGas: '2' });
      await openRequest(ann, /speed up a pending transaction: send 1\.5 ETH/);
      expect(await sentence().textContent()).toMatch(
        `speed up a pending transaction: send 1.5 ETH to "Acme" (${ACME}) on Sepolia, network fee at most 0.000189 ETH`,
      );
      const replaced = ann.page.getByRole('region', { name: 'What it replaces' });
      expect(await replaced.textContent()).toContain('network fee at most 0.000063 ETH');
      expect(await ann.page.getByText('also requested').count()).toBe(0);
      expect(await ann.page.getByText('The service sets the network fee').count()).toBe(0);
      expect(await seriousFaults(ann)).toEqual([]);
      await approve(ann);
      await ann.page.getByText('Sent. Waiting for a block.').waitFor();
    });

    test('a cancellation names what it cancels, also of what was sped up', async () => {
      const { addresses } = await createWallet(service.root);
      [from] = addresses as [string];
      await anvil.fund(from, 10);
      const first = await sent('2500000000000000000');
      const second = (
        await service.root.result('ethReplaceTransaction', {
          ...{ from, caip2: CHAIN, sendTransactionStatusId: first, replacement: 'SPEED_UP' },
        })
      ).sendTransactionStatusId;
      await ask('CANCEL', second);
      await openRequest(ann, /cancel a pending transaction/);
      const shown = await sentence().textContent();
      expect(shown).toContain(`cancel a pending transaction: send 2.5 ETH to "Acme" (${ACME}) on Sepolia`);
      expect(shown).toContain(`Instead, send 0 ETH to ${from}`);
      await ann.page.getByText('The service sets the network fee').waitFor();
      expect(await ann.page.getByText('First payment to').count()).toBe(0);
    });

    test('D976: a response that attributes the transaction to another payment makes the request unreadable', async () => {
      const { activities } = await service.root.data('listActivities', { filterByType: ['ACTIVITY_TYPE_ETH_SEND_TRANSACTION'] });
      const other = activities[activities.length - 1].id;
      await alter('get_send_transaction_status', (text) => text.replace(/"activityId":"[^"]+"/, `"activityId":"${other}"`));
      await ann.page.getByText('This browser cannot determine what the request does').first().waitFor();
      expect(await ann.page.getByText('send 1.5 ETH').count()).toBe(0);
      expect(await ann.page.getByText('send 2.5 ETH').count()).toBe(0);
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      await ann.page.reload();
      await openRequest(ann, /cancel a pending transaction/);
    });

    test('D976: a receiver of a stranger in the answer is not shown as what is sped up', async () => {
      const { addresses } = await createWallet(service.root);
      [from] = addresses as [string];
      await anvil.fund(from, 10);
      await ask('SPEED_UP', await sent('3500000000000000000'));
      await openRequest(ann, /speed up a pending transaction: send 3\.5 ETH/);
      await alter('get_activity', (text) => text.replace(toAcme, `"to":"${STRANGER}"`));
      await ann.page.getByText('What the service shows is not what was stamped').waitFor();
      expect(await ann.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      await visit(ann, '/');
    });

    test('a payment on Solana is read in the browser', async () => {
      const payer = await fundedSolana(service.root, solana);
      await askAsBob('solSendTransaction', solPayment(solana, payer));
      await openRequest(ann, /send 1 SOL/);
      expect(await sentence().textContent()).toMatch(/^send 1 SOL to .* on Solana, network fee at most 0.000005 SOL/);
      expect(await ann.page.getByText('The service sets the network fee').count()).toBe(0);
      expect(await seriousFaults(ann)).toEqual([]);
      await approve(ann);
    });

    test('D978: a payment on Tron is read in the browser, and another network than the main one is named', async () => {
      const payer = await fundedTron(service.root, ledger);
      await askAsBob('tronSendTransaction', tronPayment(ledger, payer));
      await openRequest(ann, /send 1 TRX/);
      expect(await sentence().textContent()).toMatch(/^send 1 TRX to /);
      await ann.page.getByText(`It is sent on the network ${ledger.chain}`).first().waitFor();
      await approve(ann);
    });

    test('nothing broke the security policy, and no request left the origin', () => {
      expect(ann.faults).toEqual([]);
      expect(ann.foreign).toEqual([]);
    });
  },
);
