import { activities } from '@countersign/contract';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { seriousFaults } from './axe.ts';
import { consolePages, fill, openPage } from './console-pages.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { acceptInvitation, createWallet, invite, setUp, visit } from './story.ts';

let browser: Browser;
let service: ConsoleService;
let ann: Person;
/** An auditor: a user that no policy names. */
let bob: Person;
const submitted: string[] = [];
const answers = /query\/get_denied_activity_types$/;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  ann = await openPerson(browser, service.consoleUrl);
  bob = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  await setUp(ann, service);
  await fill(service.root, (what) => what);
  await createWallet(ann, 'Treasury');
  await acceptInvitation(bob, await invite(ann, service, 'Bob', 'bob@example.com'));
  bob.page.on('request', (request) => {
    const [, path] = /\/submit\/(\w+)$/.exec(request.url()) ?? [];
    if (path !== undefined) submitted.push(path);
  });
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

afterEach(async () => {
  for (const { page } of [ann, bob]) await page.unrouteAll({ behavior: 'ignoreErrors' });
});

const button = ({ page }: Person, name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).first();
const denied = ({ page }: Person) => page.locator('[aria-disabled=true]');
const reason = () => bob.page.getByRole('tooltip');
/** What a screen reader says after the name of a button. */
const described = (of: Locator) =>
  of.evaluate((element) => document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent);

/** A page reloads, and then asks. */
const slowly = { timeout: 30_000, interval: 100 };

const NO_POLICY = 'You cannot do this: no policy allows it.';
const ROOT_ONLY = 'Only members of the root quorum can do this.';
const places = [
  ['/wallets', 'Import', NO_POLICY],
  ['/contacts', 'New contact', NO_POLICY],
  ['/policies', 'New policy', NO_POLICY],
  ['/limits', 'New limit', NO_POLICY],
  ['/limits', 'Raise', ROOT_ONLY],
  ['/people', 'Invite', NO_POLICY],
  ['/people', 'New tag', NO_POLICY],
  ['/people', 'Change', ROOT_ONLY],
  ['/people', 'Freeze', NO_POLICY],
  ['/secrets', 'Import a secret', NO_POLICY],
  ['/organizations', 'New sub-organization', NO_POLICY],
  ['/webhooks', 'New webhook', NO_POLICY],
] as const;

const open = async (route: string) => {
  const page = consolePages.find((each) => each.route === route);
  if (page !== undefined) await openPage(bob, page);
};

describe.each(Object.entries(sizes))('an auditor at a %s', (size, viewport) => {
  beforeEach(async () => {
    await bob.page.setViewportSize(viewport);
    await bob.page.reload();
    submitted.length = 0;
  });

  test.each(places)('%s: reads why "%s" cannot be used, by keyboard and by touch', async (route, name, text) => {
    await open(route);
    const found = button(bob, name);
    await expect.poll(() => found.getAttribute('aria-disabled'), slowly).toBe('true');
    expect(await described(found)).toBe(text);
    await found.focus();
    await reason().getByText(text).waitFor();
    const box = await reason().boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
    expect((box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= viewport.height).toBe(true);
    expect(await seriousFaults(bob)).toEqual([]);
    await bob.page.keyboard.press('Escape');
    await reason().waitFor({ state: 'detached' });
    await bob.page.keyboard.press('Enter');
    await reason().getByText(text).waitFor();
    await found.evaluate((element: HTMLElement) => element.blur());
    await reason().waitFor({ state: 'detached' });
    // Playwright waits for a disabled button to become usable, unless it is forced.
    await (size === 'phone' ? found.tap({ force: true }) : found.hover({ force: true }));
    await reason().getByText(text).waitFor();
    expect(await bob.page.getByRole('dialog').count()).toBe(0);
    if (process.env.PICTURES !== undefined)
      await bob.page.screenshot({
        path: `${process.env.PICTURES}/denied-${name.toLowerCase().replaceAll(' ', '-')}-${size}.png`,
      });
    expect(submitted).toEqual([]);
  });

  test('D1142: reads on the page of another person why its buttons cannot be used, and keeps those for own credentials', async () => {
    const { users } = await service.root.data('listUsers');
    const idOf = (name: string) =>
      (users as { userId: string; userName: string }[]).find((each) => each.userName === name)?.userId;
    const names = ['Change name and contact', 'Passkey link', 'Add an API key', 'Remove', 'End', 'Require several factors'];
    await visit(bob, `/people/${idOf('Root user')}`);
    for (const name of names) {
      // The name of a button that ends a session says which one.
      const found = name === 'End' ? bob.page.getByRole('button', { name: /^End the session of/ }).first() : button(bob, name);
      await expect.poll(() => found.getAttribute('aria-disabled'), slowly).toBe('true');
      expect(await described(found)).toBe(NO_POLICY);
    }
    expect(await seriousFaults(bob)).toEqual([]);
    await visit(bob, `/people/${idOf('Bob')}`);
    await bob.page.getByRole('heading', { name: 'Bob', exact: true }).waitFor();
    for (const name of ['Add an API key', 'Require several factors'])
      expect(await button(bob, name).getAttribute('aria-disabled')).toBeNull();
    expect(submitted).toEqual([]);
  });

  test('reads it before filling in a form, and Enter in a field sends nothing', async () => {
    await visit(bob, '/sign');
    await bob.page.getByText('Paste a transaction').first().waitFor();
    await bob.page.getByRole('main').getByText(NO_POLICY).first().waitFor();
    await visit(bob, '/send');
    await bob.page.getByRole('main').getByText(NO_POLICY).first().waitFor();
    if (process.env.PICTURES !== undefined)
      await bob.page.screenshot({ path: `${process.env.PICTURES}/denied-send-${size}.png`, fullPage: true });
    await open('/settings');
    const name = bob.page.getByLabel('Organization name');
    await bob.page.getByRole('main').getByText(NO_POLICY).and(bob.page.locator(':visible')).first().waitFor();
    await name.fill('Renamed');
    await name.press('Enter');
    if (process.env.PICTURES !== undefined)
      await bob.page.screenshot({ path: `${process.env.PICTURES}/denied-settings-${size}.png` });
    expect(submitted).toEqual([]);
    expect(await seriousFaults(bob)).toEqual([]);
  });

  test('no page scrolls sideways', async () => {
    for (const page of consolePages) {
      await openPage(bob, page);
      const width = await bob.page.evaluate(() => document.documentElement.scrollWidth);
      expect({ page: page.name, isWider: width > viewport.width }).toEqual({ page: page.name, isWider: false });
    }
  });
});

test('a member of the root quorum sees no disabled button on any page', async () => {
  for (const viewport of Object.values(sizes)) {
    await ann.page.setViewportSize(viewport);
    for (const page of consolePages) {
      const answered = ann.page.waitForResponse(answers, { timeout: 1_000 }).catch(() => undefined);
      await openPage(ann, page);
      await answered;
      expect({ page: page.name, denied: await denied(ann).count() }).toEqual({ page: page.name, denied: 0 });
    }
  }
});

/** An answer in the envelope of the specification. */
const answerOf = (denials: unknown) => ({ activity: { result: { denials } } });
const types = Object.values(activities).map(({ type }) => type);
const unusable = [
  ['an older service', { status: 404, json: { code: 5, message: 'no such path', details: [] } }],
  ['an error', { status: 500, json: { code: 13, message: 'INTERNAL', details: [] } }],
  ['another form', { status: 200, json: answerOf('all') }],
  ['no JSON', { status: 200, body: '<html>' }],
] as const;

test.each(unusable)('D1050: with an answer of %s, no button is disabled', async (_, response) => {
  await bob.page.route(answers, (route) => route.fulfill(response as Parameters<typeof route.fulfill>[0]));
  await bob.page.reload();
  const answered = bob.page.waitForResponse(answers);
  await open('/contacts');
  await answered;
  await button(bob, 'New contact').click();
  await bob.page.getByRole('dialog').getByRole('button', { name: 'New contact' }).waitFor();
  expect(await denied(bob).count()).toBe(0);
});

test('D1050: an answer that denies everything disables no vote', async () => {
  const { root } = service;
  await root.result('createPolicy', {
    ...{ policyName: 'Two for contacts', effect: 'EFFECT_ALLOW', condition: "activity.resource == 'CONTACT'", notes: '' },
    consensus: 'approvers.count() >= 2',
  });
  const everything = answerOf([{ by: 'POLICY', text: '', types }]);
  await ann.page.route(answers, (route) => route.fulfill({ json: everything }));
  await ann.page.reload();
  await visit(ann, '/contacts');
  await denied(ann).first().waitFor();
  await bob.page.reload();
  await open('/contacts');
  await button(bob, 'New contact').click();
  const form = bob.page.getByRole('dialog');
  await form.getByLabel('Name').fill('Initech');
  await form.getByLabel('Address').fill('0x8617E340B3D01FA5F11F306F4090FD50E238070D');
  await form.getByRole('button', { name: 'New contact' }).click();
  await form.waitFor({ state: 'detached' });
  await visit(ann, '/approvals');
  await ann.page.locator('a[href*="/approvals/"]').first().click();
  for (const name of ['Approve', 'Reject']) {
    await button(ann, name).waitFor();
    expect(await button(ann, name).getAttribute('aria-disabled')).toBeNull();
    expect(await button(ann, name).isEnabled()).toBe(true);
  }
});

test('D1008: a button becomes usable as soon as a policy allows it, and after a press if the answer was old', async () => {
  const { root } = service;
  await bob.page.reload();
  await open('/webhooks');
  await denied(bob).first().waitFor();
  const { policyId } = await root.result('createPolicy', {
    ...{ policyName: 'Webhooks', effect: 'EFFECT_ALLOW', condition: "activity.kind == 'CREATE_WEBHOOK_ENDPOINT'", notes: '' },
  });
  await expect.poll(() => button(bob, 'New webhook').getAttribute('aria-disabled'), slowly).toBeNull();
  await root.result('deletePolicy', { policyId });
  await expect.poll(() => button(bob, 'New webhook').getAttribute('aria-disabled'), slowly).toBe('true');

  const old = answerOf([{ by: 'IMPLICIT', text: '', types: [activities.createContacts.type] }]);
  await bob.page.route(answers, (route) => route.fulfill({ json: old }));
  await bob.page.reload();
  await open('/contacts');
  await denied(bob).first().waitFor();
  await bob.page.unrouteAll({ behavior: 'ignoreErrors' });
  await button(bob, 'New contact').click({ force: true });
  await expect.poll(() => button(bob, 'New contact').getAttribute('aria-disabled'), slowly).toBeNull();
  expect([...ann.faults, ...bob.faults]).toEqual([]);
});
