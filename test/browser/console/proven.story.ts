import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { newApiKey } from '../../support/api-key.ts';
import { startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { approve, setUp, visit } from './story.ts';

/** A contract with a stored interface, and one without. */
const [VAULT, STRANGER] = ['0x00000000000000000000000000000000000000aa', '0x00000000000000000000000000000000000000bb'];
/** A call of harvest(address,uint256), whose text is not among the known ones. */
const CALL = `0x018ee9b7${STRANGER.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`;
const ABI = JSON.stringify([
  {
    ...{ type: 'function', name: 'harvest', stateMutability: 'nonpayable', outputs: [] },
    inputs: [
      { name: 'recipient', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
  },
]);

let browser: Browser;
let service: ConsoleService;
let ann: Person;
let bob: ConsoleService['root'];
let wallet: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  ann = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  await setUp(ann, service);
  const { root } = service;
  const key = newApiKey();
  await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Bob' }] });
  bob = root.with({ key });
  await root.result('createPolicy', {
    ...{ policyName: 'Sign', effect: 'EFFECT_ALLOW', notes: '' },
    ...{ condition: "activity.action == 'SIGN'", consensus: 'approvers.count() >= 2' },
  });
  const curve = { curve: 'CURVE_SECP256K1', pathFormat: 'PATH_FORMAT_BIP32', addressFormat: 'ADDRESS_FORMAT_ETHEREUM' };
  const { addresses } = await root.result('createWallet', {
    walletName: 'Treasury',
    accounts: [{ ...curve, path: "m/44'/60'/0'/0/0" }],
  });
  wallet = addresses[0];
  await root.result('createSmartContractInterface', {
    ...{ label: 'Vault', smartContractAddress: VAULT, smartContractInterface: ABI },
    ...{ type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM', notes: '' },
  });
}, 240_000);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

beforeEach(() => ann.page.unrouteAll({ behavior: 'ignoreErrors' }));

/** Changes the responses of queries on their way to Ann, and loads the page again. */
async function alter(queries: RegExp, change: (text: string, url: string) => string) {
  await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
  await ann.page.route(queries, async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text(), route.request().url()) });
  });
  await ann.page.reload();
}

const sentence = () => ann.page.getByRole('heading', { level: 2 }).first();
const button = (name: string) => ann.page.getByRole('button', { name, exact: true });
const finding = (text: string | RegExp) => ann.page.getByRole('listitem').filter({ hasText: text }).first().waitFor();

/** An approval needs a second step, which shows a text. */
async function expectSecondStep(text: string) {
  await button('Approve').click();
  const step = ann.page.getByRole('dialog');
  await step.getByText(text).first().waitFor();
  expect(await step.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
  await step.getByRole('button', { name: 'Cancel' }).click();
}

/** Bob asks for a call of a contract, and Ann opens the request. */
async function askCall(to: string, nonce: bigint): Promise<void> {
  const unsignedTransaction = ethereumTransaction({ to, value: 0n, nonce, data: CALL });
  const { body } = await bob.submit('signTransaction', {
    ...{ signWith: wallet, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' },
  });
  await visit(ann, `/approvals/${body.activity.id}`);
  await button('Approve').waitFor();
}

describe('interfaces of contracts', () => {
  test('D1110: a call is named by an interface that the log proves, and by no altered one', async () => {
    await askCall(VAULT, 1n);
    expect(await sentence().textContent()).toContain('harvest(');
    expect(await sentence().textContent()).toContain('amount');
    expect(await ann.page.getByText('does not prove').count()).toBe(0);
    await alter(/query\/list_smart_contract_interfaces$/, (text) => text.replaceAll('amount', 'minimum'));
    await finding(/^The service reads calls of 0x\w+ with the interface “Vault”, and its log does not prove that interface/);
    expect(await sentence().textContent()).not.toMatch(/harvest|minimum/);
    await expectSecondStep('its log does not prove that interface');
  });

  test('D1110: an interface that only altered responses state names no call', async () => {
    await askCall(STRANGER, 2n);
    expect(await sentence().textContent()).not.toContain('harvest');
    await alter(/query\/(list_smart_contract_interfaces|get_activity)$/, (text, url) =>
      url.endsWith('interfaces')
        ? text.replaceAll(new RegExp(VAULT, 'gi'), STRANGER)
        : text
            .replaceAll(/"kind":"UNKNOWN","what":"[^"]*"/g, '"kind":"CALL","what":"harvest(recipient: 0x00, amount: 5)"')
            .replaceAll(/,"bytes":"?\d+"?/g, ''),
    );
    await finding('with the interface “Vault”, and its log does not prove that interface');
    expect(await sentence().textContent()).not.toContain('harvest');
    await expectSecondStep('its log does not prove that interface');
  });
});

describe('names of people', () => {
  const head = () => ann.page.getByRole('article').getByText(/asks to$/);
  const votes = () => ann.page.getByRole('region', { name: 'Votes' });
  let bobId: string;

  beforeAll(async () => {
    const { users } = await service.root.data('listUsers');
    bobId = users.find(({ userName }: { userName: string }) => userName === 'Bob').userId;
  });

  test('the names of the requester, of voters and of writers are proven', async () => {
    await askCall(VAULT, 3n);
    expect(await head().textContent()).toBe('Bob asks to');
    expect(await votes().textContent()).toContain('Bob');
    expect(await ann.page.getByText('not proven').count()).toBe(0);
  });

  test('D1111: an altered name of the requester is not shown, and the approval needs a second step', async () => {
    await alter(/query\/get_activity$/, (text) => text.replaceAll('"userName":"Bob"', '"userName":"CFO"'));
    await finding(`The service calls the person ${bobId} “CFO”, and its log says otherwise`);
    expect(await head().textContent()).toBe(`${bobId} asks to`);
    expect(await votes().textContent()).toContain(bobId);
    expect(await votes().textContent()).not.toContain('CFO');
    await expectSecondStep('its log says otherwise');
  });

  test('D1111: nor is one that agrees with altered evidence', async () => {
    await alter(/query\/(get_activity|get_activity_names|list_activities|list_audit_records)$/, (text) =>
      text.replaceAll(/(?<=userName\\*":\\*")Bob(?=\\*")/g, 'CFO'),
    );
    await finding('“CFO”, and its log says otherwise');
    expect(await head().textContent()).toBe(`${bobId} asks to`);
  });

  test('D1111: a request of another person is not that of the first one', async () => {
    const { users } = await service.root.data('listUsers');
    const { userId: annId, userName } = users.find(({ userId }: { userId: string }) => userId !== bobId);
    await alter(/query\/get_activity$/, (text) =>
      text.replaceAll(bobId, annId).replaceAll('"userName":"Bob"', `"userName":"${userName}"`),
    );
    await head()
      .filter({ hasText: `${annId} asks to` })
      .waitFor();
    await finding(`The service calls the person ${annId} “${userName}”, and its log says otherwise`);
  });

  test('the name of a voter with a passkey is proven', async () => {
    await ann.page.reload();
    await askCall(VAULT, 5n);
    await approve(ann);
    await votes().getByText('Root user approved').waitFor();
    expect(await votes().textContent()).toContain('Bob requested');
    expect(await ann.page.getByText('not proven').count()).toBe(0);
  });

  test('D1111: an altered name of who wrote a contact or an interface is not shown', async () => {
    await service.root.result('createContacts', { contacts: [{ label: 'Payee', address: STRANGER, contactTags: [] }] });
    const unsignedTransaction = ethereumTransaction({ to: STRANGER, value: 1n, nonce: 4n });
    const { body } = await bob.submit('signTransaction', {
      ...{ signWith: wallet, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' },
    });
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    await visit(ann, `/approvals/${body.activity.id}`);
    await ann.page.reload();
    await ann.page
      .getByRole('link', { name: /^Written by Root user, / })
      .first()
      .waitFor();
    await alter(/query\/get_activity_names$/, (text) => text.replaceAll('"userName":"Root user"', '"userName":"CFO"'));
    await finding('“CFO”, and its log says otherwise');
    expect(await ann.page.getByRole('link', { name: /^Written by .*CFO/ }).count()).toBe(0);
  });
});
