import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { consolePages, fill, openPage } from './console-pages.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { ACME, createContact, setUp, told, visit } from './story.ts';

let browser: Browser;
let service: ConsoleService;
let ann: Person;
let page: Page;

beforeAll(async () => {
  const environment = { COUNTERSIGN_MAX_CONTACTS: '10000' };
  [browser, service] = await Promise.all([startChromium(), startConsoleService(environment)]);
  ann = await openPerson(browser, service.consoleUrl, {});
  ({ page } = ann);
  await setUp(ann, service);
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const dialog = () => page.getByRole('dialog');

/** What nobody sees, or what turns the order of text around: zero-width space, right-to-left override, isolate, soft hyphen. */
const unseen = '\u200b\u202e\u2066\u00ad';

/** A receiver of webhooks that answers with the status that it is told. */
async function startReceiver() {
  const seen: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push(JSON.parse(body).type);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    seen,
    answer(next: number) {
      status = next;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

test('the page of the network names the address of the browser, adds it, and asks before it removes an enforced one', async () => {
  await visit(ann, '/network');
  await page.getByText('Your address is 127.0.0.1.').waitFor();
  // D1177: it may be the address of a proxy.
  await page.getByText('This address belongs to a private network.').waitFor();
  await button('Add it').click();
  await dialog().getByText('Add the private address 127.0.0.1?').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  expect(await button('Add it').count()).toBe(1);
  await button('Add it').click();
  await dialog().getByRole('button', { name: 'Add the address' }).click();
  await told(ann, 'The list was saved.');
  await page.getByText('It is on the list.').waitFor();
  expect(await button('Add it').count()).toBe(0);
  await service.root.result('setIpAllowlist', {
    enabled: true,
    rules: [{ cidr: '127.0.0.1/32' }, { cidr: '192.0.2.0/24', label: 'Office' }],
  });
  await page.getByText('The list is enforced').waitFor();
  const rule = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  await rule('192.0.2.0/24').getByRole('button', { name: 'Remove' }).click();
  await dialog().getByText('Remove 192.0.2.0/24?').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  expect((await service.root.data('getIpAllowlist')).allowlist.rules).toHaveLength(2);
  await rule('192.0.2.0/24').getByRole('button', { name: 'Remove' }).click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await told(ann, 'The list was saved.');
  await rule('192.0.2.0/24').waitFor({ state: 'detached' });
  await button('Stop enforcing').click();
  await page.getByText('The list is not enforced').waitFor();
});

test('a webhook shows how its deliveries go, and gets a test event', async () => {
  const receiver = await startReceiver();
  try {
    const subscriptions = [{ eventType: 'ACTIVITY_UPDATES', isActive: false }];
    await service.root.result('createWebhookEndpoint', { name: 'Tests', url: receiver.url, subscriptions });
    await visit(ann, '/webhooks');
    await page.getByText('Nothing delivered yet').waitFor();
    await button('Send a test').click();
    await told(ann, 'A test event was sent.');
    await page.getByText(/^Last delivered/).waitFor();
    expect(receiver.seen).toEqual(['ACTIVITY_TYPE_TEST_WEBHOOK_ENDPOINT']);
    receiver.answer(503);
    await button('Send a test').click();
    await told(ann, 'A test event was sent.');
    await page.getByText(/the receiver responded with 503/).waitFor();
    await page.getByText(/1 event pending/).waitFor();
    receiver.answer(200);
    await page.getByText(/event pending/).waitFor({ state: 'detached', timeout: 60_000 });
  } finally {
    await receiver.close();
  }
});

test('a contact is changed; one that was removed comes back by one key', async () => {
  await createContact(ann, 'Acme', ACME, 'vendors');
  await button('Edit').click();
  await dialog().getByLabel('Name').fill('Acme Corporation');
  await dialog().getByLabel(/^Tags/).fill('vendors, payroll');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await told(ann, 'The contact was changed.');
  await page.getByText('Acme Corporation').waitFor();
  await page.getByText('payroll', { exact: true }).waitFor();

  await button('Remove').click();
  await page.getByText('The contact was removed.').waitFor();
  await page.getByText('No contact yet').waitFor();
  await page.keyboard.press('z');
  await page.getByText('Restored.').waitFor();
  await page.getByText('Acme Corporation').waitFor();
  const { contacts } = await service.root.data('listContacts');
  expect(contacts).toMatchObject([{ label: 'Acme Corporation', address: ACME, contactTags: ['vendors', 'payroll'] }]);
});

test('a policy that was deleted comes back as it was', async () => {
  const policy = {
    policyName: 'Anybody makes them',
    effect: 'EFFECT_ALLOW',
    condition: "activity.kind == 'CREATE_WALLET'",
    notes: 'Why',
  };
  await service.root.result('createPolicy', { ...policy, consensus: 'approvers.count() >= 1' });
  await visit(ann, '/policies');
  await page.getByRole('link', { name: /Anybody makes them/ }).click();
  await button('Delete policy').click();
  await dialog().getByRole('button', { name: 'Delete policy' }).click();
  await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Undo' }).click();
  await told(ann, 'Restored.');
  // What was told may be about the contact before.
  await expect
    .poll(async () => (await service.root.data('listPolicies')).policies, { timeout: 30_000 })
    .toMatchObject([{ ...policy, consensus: 'approvers.count() >= 1' }]);
});

test('D730, D731: the form shows a policy as its text says, changes nothing when it opens, and is locked where the text says more', async () => {
  const policy = { policyName: 'Pay vendors', effect: 'EFFECT_ALLOW', notes: '', consensus: 'approvers.count() >= 2' };
  const condition =
    "tx.is_payment && tx.payments.all(p, p.asset == USDC && p.to in contacts.tagged('vendors')) && tx.payments.total(USDC) <= 25_000 USDC";
  const { policyId } = await service.root.result('createPolicy', { ...policy, condition });
  const stored = async () => (await service.root.data('getPolicy', { policyId })).policy;
  await visit(ann, `/policies/${policyId}`);
  await page.getByRole('tab', { name: 'Form' }).click();
  await page
    .getByText('Allows payments of USDC on Ethereum to contacts tagged vendors, at most 25000 USDC each, with any fee')
    .waitFor();
  expect(await page.getByLabel('Recipients').inputValue()).toBe('tag vendors');
  expect(await page.getByLabel('Maximum per payment').inputValue()).toBe('25000');
  await page.getByRole('tab', { name: 'Text' }).click();
  await page.getByRole('tab', { name: 'Form' }).click();
  await button('Save policy').click();
  await page.getByText('A request needs a policy').waitFor();
  expect(await stored()).toMatchObject({ condition, consensus: policy.consensus });

  await visit(ann, `/policies/${policyId}`);
  await page.getByRole('tab', { name: 'Form' }).click();
  await page.getByLabel('Maximum network fee, in ETH').fill('0.02');
  await button('Save policy').click();
  await expect
    .poll(async () => (await stored()).condition.replace(/\s+/g, ' '), { timeout: 30_000 })
    .toBe(
      "tx.is_payment && tx.max_fee <= 0.02 ETH && tx.payments.all(p, p.asset == USDC && p.to in contacts.tagged('vendors')) && tx.payments.total(USDC) <= 25000 USDC",
    );

  await page.getByText('A request needs a policy').waitFor();
  const longer = `${condition} && tx.payments.count() == 1`;
  await service.root.result('updatePolicy', { policyId, policyCondition: longer });
  await visit(ann, `/policies/${policyId}`);
  await page.getByRole('tab', { name: 'Form' }).click();
  await page.getByText('It says more than the form has fields for:').waitFor();
  await page.locator('code', { hasText: 'tx.payments.count() == 1' }).waitFor();
  expect(await page.getByLabel('Recipients').count()).toBe(0);
  const consensus = page.getByRole('textbox', { name: 'Consensus' });
  await consensus.waitFor();
  await page.getByLabel('Effect').selectOption({ label: 'Deny' });
  await consensus.waitFor({ state: 'detached' });
  expect((await stored()).condition).toBe(longer);
  await service.root.result('deletePolicy', { policyId });
});

test('a key gets a tag and loses it; a limit is raised for a while and reset', async () => {
  const plain = (what: string) => what;
  await fill(service.root, (what) => `${what}${unseen}`, plain);
  await visit(ann, '/wallets');
  await page.getByRole('tab', { name: 'Private keys' }).click();
  await button('New tag').click();
  await dialog().getByLabel('Tag name').fill('Hot');
  await dialog()
    .getByLabel(/^Hot key/)
    .check();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await told(ann, 'The tag was created.');
  await page.getByRole('listitem').filter({ hasText: 'Hot' }).filter({ hasText: 'Hot key' }).first().waitFor();
  await button('Change').click();
  await dialog()
    .getByLabel(/^Hot key/)
    .uncheck();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await told(ann, 'The tag was changed.');
  await page.getByText('none', { exact: true }).waitFor();
  await button('Remove').click();
  await dialog().getByLabel('Type Hot to confirm').fill('Hot');
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await told(ann, 'The tag was removed.');

  await visit(ann, '/limits');
  await button('Raise').click();
  await dialog().getByLabel('Maximum').fill('250,000');
  await dialog().getByLabel('For').selectOption('72');
  await dialog().getByRole('button', { name: 'Raise' }).click();
  await told(ann, 'The limit is raised.');
  await page.getByText(/^Raised to 250,000 until/).waitFor();
  await button('Reset').click();
  await dialog().getByLabel('Type daily_usdc to confirm').fill('daily_usdc');
  await dialog().getByRole('button', { name: 'Reset' }).click();
  await told(ann, 'The limit was reset.');
});

test('a sub-organization opens: its people, wallets and activities', async () => {
  await visit(ann, '/organizations');
  await page.getByRole('link', { name: /^Customer/ }).click();
  await page.getByRole('heading', { name: /^Customer/ }).waitFor();
  await page.getByText('customer@example.com').waitFor();
  await page.getByRole('tab', { name: 'Wallets' }).click();
  await page.getByText('Its people have not created one yet.').waitFor();
  await page.getByRole('tab', { name: 'Activities' }).click();
  await page
    .getByText(/No activity|sub-organization/i)
    .first()
    .waitFor();
});

test('D211: characters that nobody sees are spelled out on every page', async () => {
  await service.root.result('createUserTag', { userTagName: 'Odd tag', userIds: [] });
  await service.root.result('createWallet', { walletName: 'Odd wallet', accounts: [] });
  await service.root.result('updateOrganizationName', { organizationName: 'Odd treasury' });
  // Names of earlier releases may contain what is rejected today.
  await page.route(/\/public\/v1\/query\//, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/Odd \w+|Globex|Hot key|Customer/g, (each) => `${each}${unseen}`);
    await route.fulfill({ response, body });
  });
  await page.reload();
  for (const each of consolePages) {
    await openPage(ann, each);
    const found = await page.evaluate(() => {
      const hidden = /[\u200b\u202e\u2066\u00ad]/;
      const attributes = [...document.querySelectorAll('body *')].flatMap((element) =>
        ['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''),
      );
      return [...attributes, document.title, document.body.textContent ?? ''].filter((text) => hidden.test(text)).length;
    });
    expect({ page: each.name, found }).toEqual({ page: each.name, found: 0 });
  }
  await visit(ann, '/contacts');
  await page.getByText('Globex\\u{200b}\\u{202e}\\u{2066}\\u{ad}').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('a form says that a name must not contain characters that nobody sees', async () => {
  await page.reload();
  await visit(ann, '/contacts');
  await button('New contact').first().click();
  await dialog().getByLabel('Name').fill(`Initech${unseen}`);
  await dialog().getByLabel('Address').fill('0x27b1fdb04752bbc536007a920d24acb045561c26');
  await dialog().getByRole('button', { name: 'New contact' }).click();
  await dialog().getByText('must not contain characters that are not displayed').waitFor();
  await page.keyboard.press('Escape');
});

test('the menu shows a new name of the person immediately', async () => {
  const { userId } = await service.root.data('whoami');
  await service.root.result('updateUser', { userId, userName: 'Anna Weber' });
  await page.getByRole('link', { name: 'Anna Weber' }).waitFor();
  await visit(ann, '/me');
  await page.getByRole('heading', { name: 'Anna Weber' }).waitFor();
});

test('names from right to left turn nothing around them', async () => {
  const name = 'شركة النور';
  await service.root.result('createContacts', {
    contacts: [{ label: name, address: '0xde709f2102306220921060314715629080e2fb77', contactTags: ['vendors'] }],
  });
  await visit(ann, '/contacts');
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.waitFor();
    const [label, remove] = [
      await row.getByText(name).boundingBox(),
      await row.getByRole('button', { name: 'Remove' }).boundingBox(),
    ];
    // On a phone the buttons are below.
    expect(label && remove && (label.x + label.width <= remove.x || label.y + label.height <= remove.y)).toBe(true);
    expect(await row.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
    expect(await row.getByText(name).evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
  }
});

test('a thousand contacts scroll, filter and can be acted on, with few of them in the page', async () => {
  const address = (index: number) => `0x${(0xc0ffee_0000n + BigInt(index)).toString(16).padStart(40, '0')}`;
  for (let from = 0; from < 1000; from += 100) {
    const contacts = Array.from({ length: 100 }, (_, index) => ({
      label: `Payee ${from + index}`,
      address: address(from + index),
    }));
    await service.root.result('createContacts', { contacts });
  }
  await visit(ann, '/people');
  await visit(ann, '/contacts');
  const rows = page.getByRole('list', { name: 'Contacts' }).getByRole('listitem');
  await rows.first().waitFor();
  // The newest are first. Further pages load as rows come into sight, and heights are measured, so the end moves.
  const toTheEnd = () => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect.poll(() => toTheEnd().then(() => page.getByText('Payee 0', { exact: true }).count()), { timeout: 30_000 }).toBe(1);
  expect(await rows.count()).toBeLessThan(60);
  await page.getByLabel('Search').fill('payee 512');
  await page.getByText('Payee 512').waitFor();
  expect(await rows.count()).toBe(1);
  await button('Edit').click();
  await dialog().getByLabel('Name').waitFor();
  await page.keyboard.press('Escape');
});

test('nothing broke the security policy, and no request left the origin', () => {
  expect({ faults: ann.faults, foreign: ann.foreign }).toEqual({ faults: [], foreign: [] });
});
