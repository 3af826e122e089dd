import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { setUp, visit } from './story.ts';

/** Two ether at most, for anyone. */
const DRAFT = "tx.understood && effects.all(e, e.kind == 'FEE' || (e.kind == 'TRANSFER' && e.asset == ETH && e.amount <= 2 ETH))";
const WASM = /\/prover\/z3-built\.wasm$/;
/** The solver compiles 35 MB, also on a busy machine. */
const slowly = { timeout: 150_000 };

let browser: Browser;
let service: ConsoleService;
let ann: Person;
let bob: Caller;
let policyId: string;
let account: string;
const loaded: string[] = [];

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  ann = await openPerson(browser, service.consoleUrl);
  ann.page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  await setUp(ann, service);
  const { root } = service;
  const key = newApiKey();
  await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Bob' }] });
  bob = root.with({ key });
  ({ policyId } = await root.result('createPolicy', {
    policyName: 'Petty cash',
    effect: 'EFFECT_ALLOW',
    condition: DRAFT,
    consensus: 'approvers.count() >= 1',
    notes: '',
  }));
  const { addresses } = await root.result('createWallet', {
    walletName: 'Office',
    accounts: [
      {
        curve: 'CURVE_SECP256K1',
        pathFormat: 'PATH_FORMAT_BIP32',
        path: "m/44'/60'/0'/0/0",
        addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
      },
    ],
  });
  account = addresses[0];
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

afterEach(() => ann.page.unrouteAll({ behavior: 'ignoreErrors' }));

const dialog = () => ann.page.getByRole('dialog');
const press = (name: string) => dialog().getByRole('button', { name, exact: true }).click();

async function openDialog(): Promise<void> {
  await visit(ann, `/policies/${policyId}`);
  await ann.page.reload();
  await ann.page.getByRole('button', { name: 'Prove…' }).click();
  await dialog().getByLabel('Never allowed').waitFor();
}

async function proveAmount(amount: string): Promise<void> {
  await dialog().getByLabel('Never allowed').selectOption({ label: 'a transfer above an amount' });
  await dialog().getByLabel('More than').fill(amount);
  await press('Prove');
}

const picture = async (name: string) => {
  if (process.env.PICTURES === undefined) return;
  await ann.page.screenshot({ path: `${process.env.PICTURES}/prover-${name}.png` });
};

test('D1060: the page cannot compile WebAssembly, and loads nothing of the prover before its button is pressed', async () => {
  await openDialog();
  const compiled = await ann.page.evaluate(() =>
    WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(
      () => 'compiled',
      (error: Error) => error.message,
    ),
  );
  expect(compiled).toContain('Content Security');
  expect(await ann.page.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(loaded.filter((path) => path.includes('/prover/'))).toEqual([]);
  // Chromium may also report the attempt above.
  ann.faults.length = 0;
  await press('Close');
});

describe.each(Object.entries(sizes))('at a %s', (size, viewport) => {
  beforeAll(async () => {
    await ann.page.setViewportSize(viewport);
  });

  test('a property that holds is proven, with what was assumed', async () => {
    await openDialog();
    await picture(`form-${size}`);
    await proveAmount('2');
    await dialog().getByText('Proven: the policies never allow this').waitFor(slowly);
    await dialog().getByText('for every request of kind SIGN_TRANSACTION, with lists of any length').waitFor();
    await dialog().getByText('The root quorum does not approve the request: it may do everything.').waitFor();
    await dialog()
      .getByText(/^1 policy, read at/)
      .click();
    await dialog().getByText('Petty cash').last().waitFor();
    await dialog().getByText('2 people', { exact: true }).waitFor();
    await dialog().getByText('Proven: the policies never allow this').scrollIntoViewIfNeeded();
    await picture(`proven-${size}`);
    expect(await seriousFaults(ann)).toEqual([]);
    const width = await ann.page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(viewport.width);
    // The worker of a normal run violates no policy.
    expect(ann.faults).toEqual([]);
  });

  test('D1065: the result is dropped when the property or the draft changes', async () => {
    await dialog().getByLabel('More than').fill('3');
    await expect.poll(() => dialog().getByText('Proven: the policies never allow this').count()).toBe(0);
    await press('Prove');
    await dialog().getByText('Proven: the policies never allow this').waitFor(slowly);
    await press('Close');
    const shown = ann.page.getByText('Proven: the policies never allow this');
    await shown.waitFor();
    await ann.page.getByLabel('Condition', { exact: true }).fill("tx.understood && effects.all(e, e.kind == 'FEE')");
    await shown.waitFor({ state: 'detached' });
    await ann.page.reload();
  });
});

test('a property that does not hold has a counterexample, and the service allows such a request', async () => {
  await ann.page.setViewportSize(sizes.desk);
  await openDialog();
  await proveAmount('1');
  await dialog().getByText('Possible: the policies allow such a request').waitFor(slowly);
  await dialog().getByText('allowed by: Petty cash').waitFor();
  const lines = await dialog().getByRole('listitem').allTextContents();
  const amounts = lines.flatMap((line) => /^effects\[\d\]\.amount: (\d+)$/.exec(line)?.[1] ?? []).map(BigInt);
  expect(amounts.some((amount) => amount > 10n ** 18n && amount <= 2n * 10n ** 18n)).toBe(true);
  await dialog().getByText('Possible: the policies allow such a request').scrollIntoViewIfNeeded();
  await picture('possible-desk');
  const unsignedTransaction = ethereumTransaction({ value: 1_000_000_000_000_000_001n, data: '0x' });
  const request = { signWith: account, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' } as const;
  const signed = await bob.result('signTransaction', request);
  expect(signed).toHaveProperty('signedTransaction');
});

test('the draft is proven, and not the stored policy', async () => {
  await visit(ann, `/policies/${policyId}`);
  await ann.page.reload();
  await ann.page.getByLabel('Condition', { exact: true }).fill(DRAFT.replace('2 ETH', '1 ETH'));
  await ann.page.getByRole('button', { name: 'Prove…' }).click();
  await proveAmount('1');
  await dialog().getByText('Proven: the policies never allow this').waitFor(slowly);
  await press('Close');
});

test('what a proof cannot model is unknown, with the part', async () => {
  await openDialog();
  await dialog().getByLabel('Never allowed').selectOption({ label: 'own condition' });
  await dialog().getByLabel('Condition that is never allowed').fill("eth.tx.contract_call_args['amount'] > 500");
  await press('Prove');
  await dialog().getByText('Unknown: this proves nothing').waitFor(slowly);
  await dialog().getByText('the answer depends on parts of the policies that a proof cannot model').first().waitFor();
  await press('Close');
});

test('a property with an error cannot be proven', async () => {
  await openDialog();
  await dialog().getByLabel('Never allowed').selectOption({ label: 'own condition' });
  await dialog().getByLabel('Condition that is never allowed').fill('eth.tx.valeu > 1');
  await dialog().getByText('did you mean `value`').waitFor();
  expect(await dialog().getByRole('button', { name: 'Prove', exact: true }).isDisabled()).toBe(true);
  await press('Close');
});

test('D1062, D1063: a solver that is absent, other or late proves nothing', async () => {
  await openDialog();
  const failing = async (respond: { status: number; body: string }, text: string) => {
    await ann.page.context().route(WASM, (route) => route.fulfill(respond));
    await proveAmount('2');
    await dialog().getByText('Unknown: this proves nothing').waitFor(slowly);
    await dialog().getByText(text).waitFor();
    await ann.page.context().unroute(WASM);
    await dialog().getByLabel('More than').fill('');
  };
  await failing({ status: 404, body: 'The solver is not installed.' }, 'The service has no solver.');
  await failing({ status: 200, body: 'another solver' }, 'The service has another version of the solver');
  await failing({ status: 500, body: '' }, 'The solver could not be loaded');
  // Stopped while it loads: nothing is shown, and the next proof works.
  await ann.page.context().route(WASM, () => {});
  await proveAmount('2');
  await dialog().getByText('Loading the solver…').waitFor(slowly);
  await press('Stop');
  expect(
    await dialog()
      .getByText(/Proven|Unknown|Possible/)
      .count(),
  ).toBe(0);
  expect(ann.page.workers()).toEqual([]);
  await ann.page.context().unroute(WASM);
  await press('Prove');
  await dialog().getByText('Proven: the policies never allow this').waitFor(slowly);
  expect(ann.faults).toEqual([]);
  expect(ann.foreign).toEqual([]);
});
