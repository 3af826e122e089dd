import { toChecksumAddress } from '@countersign/chains';
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { words } from '../../../packages/console/src/words/index.ts';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { SubmitChoice } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, type Size } from './person.ts';
import { ACME, approve, createContact, openRequest, setUp, USDC, usdcPayment, visit } from './story.ts';

/** Text that a requester could write to deceive approvers. */
const CLAIM = 'INV-2041. Already approved by the CFO';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
}, CHROMIUM_TIMEOUT_MS);

afterAll(() => browser?.close());

describe.each<Size>(['phone', 'desk'])('approvals, at the size of a %s', (size) => {
  let service: ConsoleService;
  let ann: Person;
  let bob: ConsoleService['root'];
  let wallet: string;
  const votes: string[] = [];

  beforeAll(async () => {
    service = await startConsoleService();
    ann = await openPerson(browser, service.consoleUrl, { size });
    ann.page.on('request', (request) => {
      if (/submit\/(approve|reject)_activity$/.test(request.url())) votes.push(request.url());
    });
    await setUp(ann, service);
    await createContact(ann, 'Acme', ACME, 'vendors');
    const { root } = service;
    const key = newApiKey();
    await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Bob' }] });
    bob = root.with({ key });
    await root.result('createPolicy', {
      policyName: 'Pay anybody',
      ...{ effect: 'EFFECT_ALLOW', condition: 'tx.is_payment', consensus: 'approvers.count() >= 2', notes: '' },
    });
    const curve = { curve: 'CURVE_SECP256K1', pathFormat: 'PATH_FORMAT_BIP32', addressFormat: 'ADDRESS_FORMAT_ETHEREUM' };
    const { addresses } = await root.result('createWallet', {
      walletName: 'Treasury',
      accounts: [{ ...curve, path: "m/44'/60'/0'/0/0" }],
    });
    wallet = addresses[0];
    await ask(25_000n, 0n, { reference: CLAIM });
  });

  afterAll(async () => {
    await ann?.context.close();
    await service?.close();
  });

  /** Bob asks for a payment to Acme, and it waits for Ann. */
  const ask = (units: bigint, nonce: bigint, choice?: SubmitChoice) =>
    bob.submit(
      'signTransaction',
      { signWith: wallet, unsignedTransaction: usdcPayment(units, nonce), type: 'TRANSACTION_TYPE_ETHEREUM' },
      choice,
    );

  const { alter, sentence, button } = {
    /** Changes the responses of queries on their way to Ann, and loads the page again. */
    async alter(queries: RegExp, change: (text: string) => string) {
      await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
      await ann.page.route(queries, async (route: Route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: change(await response.text()) });
      });
      await ann.page.reload();
    },
    sentence: () => ann.page.getByRole('heading', { level: 2 }).first(),
    button: (name: string) => ann.page.getByRole('button', { name, exact: true }),
  };
  const finding = (text: string | RegExp) => ann.page.getByRole('listitem').filter({ hasText: text }).first().waitFor();

  test('a proven contact is named, with who wrote it and when', async () => {
    await openRequest(ann, /25,000 USDC/);
    await button('Approve').waitFor();
    expect(await sentence().textContent()).toContain(`send 25,000 USDC to "Acme" (${ACME}) on Ethereum`);
    expect(await sentence().textContent()).toContain('the wallet "Treasury"');
    await ann.page.getByRole('link', { name: /^Written by Root user, / }).waitFor();
  });

  test('D800: an altered list of contacts names nobody', async () => {
    await alter(/query\/get_activity_names$/, (text) => text.replaceAll('"Acme"', '"Acme GmbH"'));
    await finding(`The service calls ${ACME} “Acme GmbH”, and its log does not prove this name`);
    expect(await sentence().textContent()).not.toContain('Acme');
    expect(await sentence().textContent()).toContain(ACME);
    expect(await ann.page.getByText('Nothing unusual').count()).toBe(0);
  });

  test('D800: nor does a list that agrees with altered activities and an altered log', async () => {
    await alter(/query\/(get_activity_names|list_activities|get_log_proof|list_audit_records)$/, (text) =>
      text.replaceAll(/(?<=label\\*":\\*")Acme(?=\\*")/g, 'Acme GmbH'),
    );
    await finding('“Acme GmbH”, and its log does not prove this name');
    expect(await sentence().textContent()).not.toContain('Acme');
  });

  test('D801: an altered name of the wallet is not shown', async () => {
    await alter(/query\/get_activity_names$/, (text) => text.replaceAll('"Treasury"', '"Petty cash"'));
    await finding('The service calls the wallet “Petty cash”, and its log does not prove this name');
    expect(await sentence().textContent()).not.toContain('Petty cash');
  });

  test('D968: a reference is quoted as the words of its requester, and is in no sentence', async () => {
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await ann.page.reload();
    await button('Approve').waitFor();
    const quotation = ann.page.getByRole('figure', { name: 'Reference, in the words of Bob. Nobody checked it:' });
    expect(await quotation.locator('blockquote').textContent()).toBe(CLAIM);
    expect(await sentence().textContent()).not.toContain('CFO');
    expect(await ann.page.getByText('CFO').count()).toBe(2);
  });

  test('D967: a reference that the service alters is reported, and nothing can be approved', async () => {
    const altered = [
      (text: string) => text.replaceAll('"reference":"INV-2041', '"reference":"INV-9999'),
      (text: string) => text.replaceAll(/(?<=reference\\*":\\*")INV-2041/g, 'INV-9999'),
    ];
    for (const change of altered) {
      await alter(/query\/get_activity$/, change);
      await ann.page.getByRole('alert').filter({ hasText: words.approvals.mismatchTitle }).waitFor();
      expect(await button('Approve').count()).toBe(0);
      expect(await ann.page.getByRole('figure').count()).toBe(0);
    }
  });

  test('D802: an added payment of the past does not make a first payment usual', async () => {
    const { activities } = await service.root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
    const added = JSON.stringify({
      ...activities[0],
      ...{ id: '01890000-0000-7000-8000-000000000001', status: 'ACTIVITY_STATUS_COMPLETED' },
    });
    // Nothing was signed so far.
    await alter(/query\/list_activities$/, (text) => text.replace('"activities":[]', `"activities":[${added}]`));
    await finding('The service lists earlier payments that its log does not prove');
    await finding('First payment to');
  });

  test('D808: no button approves while a check is running', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await ann.page.route(/query\/list_activities$/, async (route) => {
      if (route.request().postData()?.includes('CONSENSUS_NEEDED')) await held;
      await route.continue();
    });
    await ann.page.reload();
    await ann.page.getByText('You can decide when every check has finished').waitFor();
    await ann.page.keyboard.press('a');
    expect(await button('Approve').count()).toBe(0);
    expect(await button('Reject').count()).toBe(1);
    release();
    await button('Approve').waitFor();
    expect(votes).toEqual([]);
  });

  test('D808: nor while the names cannot be loaded, which may be those of a look-alike', async () => {
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await ann.page.route(/query\/get_activity_names$/, (route) =>
      route.fulfill({ status: 500, json: { code: 13, message: 'No' } }),
    );
    await ann.page.reload();
    await ann.page.getByText('A check did not finish').waitFor();
    expect(await button('Approve').count()).toBe(0);
    expect(await button('Reject').count()).toBe(1);
  });

  test('D1073: nor while the earlier payments cannot be loaded, of which one may be the same', async () => {
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await ann.page.route(/query\/list_activities$/, (route) =>
      route.request().postData()?.includes('ACTIVITY_STATUS_COMPLETED')
        ? route.fulfill({ status: 500, json: { code: 13, message: 'No' } })
        : route.continue(),
    );
    await ann.page.reload();
    await ann.page.getByText('A check did not finish').waitFor();
    // The request itself is shown with its names.
    expect(await sentence().textContent()).toContain('"Acme"');
    await ann.page.keyboard.press('a');
    expect(await button('Approve').count()).toBe(0);
    expect(votes).toEqual([]);
    const activity = new URL(ann.page.url()).hash.slice(1);
    await visit(ann, '/approvals');
    await ann.page
      .locator('a[href*="/approvals/"]')
      .filter({ hasText: '25,000 USDC' })
      .filter({ hasText: 'Not checked' })
      .waitFor();
    await visit(ann, activity);
  });

  test('D804: a large first payment is approved by typing its amount', async () => {
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await ann.page.reload();
    await button('Approve').click();
    const step = ann.page.getByRole('dialog');
    await step.getByLabel('Type the amount, 25,000, to approve').fill('2500');
    expect(await step.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await ann.page.keyboard.press('Enter');
    expect(votes).toEqual([]);
    await step.getByRole('button', { name: 'Cancel' }).click();
    await approve(ann);
    expect(votes).toHaveLength(1);
    await ann.page.getByText('Approved and signed. Not sent yet.').first().waitFor();
  });

  test('D805: the same payment again is marked in the list, is first in it, and names the other one', async () => {
    await ask(25_000n, 1n);
    await ask(10n, 2n);
    await visit(ann, '/approvals');
    const rows = ann.page.locator('a[href*="/approvals/"]').filter({ hasText: 'USDC' });
    await rows.filter({ hasText: '25,000 USDC' }).filter({ hasText: 'Warning' }).waitFor();
    await expect.poll(() => rows.first().textContent()).toContain('25,000 USDC');
    await rows.first().click();
    await finding('Bob also requested 25,000 USDC');
    await finding('That request is signed');
    await ann.page.getByRole('listitem').filter({ hasText: 'also requested' }).getByRole('link', { name: 'View' }).waitFor();
  });

  test('a small payment to a contact who was paid before is approved with one touch', async () => {
    await visit(ann, '/approvals');
    await ann.page.locator('a[href*="/approvals/"]').filter({ hasText: '10 USDC' }).first().click();
    await ann.page.getByText('Nothing unusual').waitFor();
    await button('Approve').click();
    await ann.page.getByText('Approved and signed. Not sent yet.').first().waitFor();
    expect(votes).toHaveLength(2);
  });

  test('D1104: an address that looks like that of a contact is whole in the list', async () => {
    const fake = toChecksumAddress(`${ACME.slice(0, 10)}${'0'.repeat(26)}${ACME.slice(-6)}`.toLowerCase());
    const words = [fake.slice(2).toLowerCase(), 7_000_000n.toString(16)].map((digits) => digits.padStart(64, '0'));
    const unsignedTransaction = ethereumTransaction({ to: USDC, value: 0n, nonce: 3n, data: `0xa9059cbb${words.join('')}` });
    await bob.submit('signTransaction', { signWith: wallet, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' });
    await visit(ann, '/approvals');
    const rows = ann.page.locator('a[href*="/approvals/"]').filter({ hasText: 'USDC' });
    await rows.filter({ hasText: '7 USDC' }).filter({ hasText: 'Warning' }).waitFor();
    expect(await rows.filter({ hasText: '7 USDC' }).textContent()).toContain(fake);
    await expect.poll(() => rows.filter({ hasText: '25,000 USDC' }).textContent()).toContain(`${ACME.slice(0, 8)}…`);
  });

  test('D810: a change of a policy shows both versions, the new worst case and the back-test before it is approved', async () => {
    const { root } = service;
    await root.result('createPolicy', {
      policyName: 'Change policies',
      ...{ effect: 'EFFECT_ALLOW', condition: "activity.resource == 'POLICY'", consensus: 'approvers.count() >= 2', notes: '' },
    });
    const { policies } = await root.data('listPolicies');
    const { policyId } = policies.find(({ policyName }: { policyName: string }) => policyName === 'Pay anybody');
    await bob.submit('updatePolicy', { policyId, policyConsensus: 'approvers.count() >= 1' });
    await visit(ann, '/approvals');
    const row = ann.page.locator('a[href*="/approvals/"]').filter({ hasText: 'update policy' });
    await row.filter({ hasText: 'Warning' }).click();
    await finding('Changes who can act for the organization');
    await finding(/Worst case: .*new: any user may/);
    const change = ann.page.getByRole('region', { name: 'What changes' });
    await change.locator('del').filter({ hasText: 'approvers.count() >= 2' }).waitFor();
    await change.locator('ins').filter({ hasText: 'approvers.count() >= 1' }).waitFor();
    await change.getByText('Test against past activities').waitFor();
    await button('Approve').click();
    const step = ann.page.getByRole('dialog');
    expect(await step.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await step.getByRole('button', { name: 'Cancel' }).click();
    expect(votes).toHaveLength(2);
  });

  test('D1071, D1074: an allowance for a stranger and the deletion of a wallet are not approved with one touch', async () => {
    const { root } = service;
    const before = votes.length;
    await root.result('createPolicy', {
      policyName: 'Allowances and wallets',
      ...{ effect: 'EFFECT_ALLOW', consensus: 'approvers.count() >= 2', notes: '' },
      condition: "activity.action in ['SIGN', 'DELETE']",
    });
    const { wallets } = await root.data('listWallets');
    const stranger = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
    const data = `0x095ea7b3${stranger.slice(2).toLowerCase().padStart(64, '0')}${900_000_000_000n.toString(16).padStart(64, '0')}`;
    const unsignedTransaction = ethereumTransaction({ to: USDC, value: 0n, nonce: 9n, data });
    const requests = [
      await bob.submit('signTransaction', { signWith: wallet, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }),
      await bob.submit('deleteWallets', { walletIds: [wallets[0].walletId], deleteWithoutExport: true }),
    ];
    const texts = [`Allows ${stranger} to take 900,000 USDC later, without another approval`, 'Destroys keys'];
    for (const [index, { body }] of requests.entries()) {
      await visit(ann, `/approvals/${body.activity.id}`);
      await finding(texts[index] as string);
      await button('Approve').click();
      const step = ann.page.getByRole('dialog');
      await step.getByText(texts[index] as string).waitFor();
      expect(await step.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
      await step.getByRole('button', { name: 'Cancel' }).click();
    }
    expect(votes).toHaveLength(before);
  });

  test('D1096: the wallet that a request deletes has its proven name, and no altered one', async () => {
    const { wallets } = await service.root.data('listWallets');
    const [{ walletId }] = wallets;
    const { body } = await bob.submit('deleteWallets', { walletIds: [walletId], deleteWithoutExport: true });
    await visit(ann, `/approvals/${body.activity.id}`);
    await button('Approve').waitFor();
    expect(await sentence().textContent()).toMatch(/delete wallets “Treasury”$/i);
    const keys = ann.page.getByRole('region', { name: 'Wallets and keys' });
    await keys.getByText(walletId).waitFor();
    await keys.getByRole('link', { name: /^Written by Root user, / }).waitFor();
    await alter(/query\/get_activity_names$/, (text) => text.replaceAll('"Treasury"', '"Test"'));
    await finding(`The service calls the wallet ${walletId} “Test”, and its log does not prove this name`);
    expect(await sentence().textContent()).toContain(walletId);
    expect(await sentence().textContent()).not.toContain('Test');
    expect(await keys.textContent()).not.toContain('Test');
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('D1120: a change of webhooks is approved with the whole URL, which the log has and the fingerprint proves', async () => {
    const { root } = service;
    await root.result('createPolicy', {
      policyName: 'Webhooks',
      ...{ effect: 'EFFECT_ALLOW', consensus: 'approvers.count() >= 2', notes: '' },
      condition: "activity.kind == 'CREATE_WEBHOOK_ENDPOINT'",
    });
    const subscriptions = [{ eventType: 'ACTIVITY_UPDATES' }];
    const url = 'http://127.0.0.1:9/services/T0/token';
    const { body } = await bob.submit('createWebhookEndpoint', { name: 'Chat', url, subscriptions });
    const activityId = body.activity.id;
    const { activity } = await root.data('getActivity', { activityId });
    expect(activity.votes[0].message).toBe('');
    await visit(ann, `/approvals/${activityId}`);
    await ann.page.getByText('This browser read it there and verified it').waitFor();
    await button('Approve').waitFor();
    expect(await ann.page.getByText(url).first().isVisible()).toBe(true);
    await alter(/query\/list_audit_records$/, (text) => text.replaceAll('/services/T0/token', '/services/T0/other'));
    await ann.page.getByRole('alert').filter({ hasText: words.approvals.mismatchTitle }).waitFor();
    expect(await button('Approve').count()).toBe(0);
    expect(await ann.page.getByText('verified it').count()).toBe(0);
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await ann.page.reload();
    await approve(ann);
    expect((await root.data('getActivity', { activityId })).activity.status).toBe('ACTIVITY_STATUS_COMPLETED');
  });

  test('D1095: a request whose message the service hides, also in the log, is rejected and cannot be approved', async () => {
    const { root } = service;
    const { body } = await ask(11n, 4n);
    await ann.page.route(/query\/list_audit_records$/, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const record of json.activity?.result?.records ?? json.records) delete record.content;
      await route.fulfill({ response, json });
    });
    await ann.page.route(/query\/(get_activity|list_activities)$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(/"message":"(?:[^"\\]|\\.)*"/g, '"message":""') });
    });
    await visit(ann, `/approvals/${body.activity.id}`);
    await ann.page.reload();
    await ann.page.getByText('so you can reject it here, but not approve it').waitFor();
    expect(await button('Approve').count()).toBe(0);
    await ann.page.keyboard.press('a');
    expect(await ann.page.getByRole('dialog').count()).toBe(0);
    await button('Reject').click();
    await ann.page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    const status = async () => (await root.data('getActivity', { activityId: body.activity.id })).activity.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('ACTIVITY_STATUS_REJECTED');
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await ann.page.reload();
  });

  test('D1076: the form of policies refuses separators, which could change an amount', async () => {
    await visit(ann, '/policies/new');
    await ann.page.getByLabel('Name', { exact: true }).fill('Fees');
    const fee = ann.page.getByLabel(/^Maximum network fee/);
    const most = ann.page.getByLabel('Maximum per payment');
    const refusal = ann.page.getByText('Enter a number, such as');
    for (const field of [most, fee]) {
      for (const text of ['0,5', '1,500']) {
        await field.fill(text);
        await refusal.waitFor();
        expect(await field.inputValue()).toBe(text);
        expect(await button('Save policy').isDisabled()).toBe(true);
      }
      await field.fill(' 0.5 ');
      await refusal.waitFor({ state: 'detached' });
    }
    await ann.page.getByText(/at most 0\.5 USDC each, with a fee of at most 0\.5 ETH/).waitFor();
  });

  test('D809: a template cannot be saved before its places are filled in', async () => {
    await visit(ann, '/policies/new');
    await ann.page.getByRole('listitem').filter({ hasText: 'Petty cash' }).getByRole('button', { name: 'Use' }).click();
    await ann.page.getByText('Replace <office wallet>, <tag of the office>').waitFor();
    expect(await button('Save policy').isDisabled()).toBe(true);
  });

  test('the editor of a policy shows what the draft changes', async () => {
    await visit(ann, '/policies');
    await ann.page.getByRole('link', { name: /^Pay anybody/ }).click();
    await ann.page.getByText('Nothing was changed.').waitFor();
    await ann.page.getByLabel('Consensus').click();
    await ann.page.keyboard.press('ControlOrMeta+a');
    await ann.page.keyboard.type('approvers.count() >= 1');
    const difference = ann.page.getByRole('region', { name: 'Changes since the saved version' });
    await difference.locator('mark').filter({ hasText: '2' }).waitFor();
    await difference.locator('mark').filter({ hasText: '1' }).waitFor();
  });

  test('the changed pages have no finding of axe', async () => {
    await visit(ann, '/approvals');
    await ann.page.locator('a[href*="/approvals/"]').filter({ hasText: '25,000 USDC' }).first().click();
    await button('Approve').waitFor();
    expect(await seriousFaults(ann)).toEqual([]);
    await button('Approve').click();
    await ann.page.getByRole('dialog').waitFor();
    expect(await seriousFaults(ann)).toEqual([]);
    await ann.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  test('nothing broke the security policy', () => {
    expect(ann.faults).toEqual([]);
  });
});
