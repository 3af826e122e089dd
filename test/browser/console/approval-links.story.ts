import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { createPrivateKey, signParams, userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { setUp, visit } from './story.ts';

const ELSEWHERE = '019a8c5e-0000-7000-8000-000000000001';

let browser: Browser;
let service: ConsoleService;
let ann: Person;
const requests: { readonly id: string; readonly payload: string }[] = [];

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  ann = await openPerson(browser, service.consoleUrl);
  await ann.page.addInitScript(() => {
    const badges: (number | undefined)[] = [];
    Object.assign(window, { badges });
    navigator.setAppBadge = async (count) => void badges.push(count);
  });
  await setUp(ann, service);
  const { root } = service;
  const key = newApiKey();
  await root.result('createUsers', { users: [{ ...userParams(key), userName: 'Bob' }] });
  const keyId = await createPrivateKey(root);
  await root.result('createPolicy', {
    policyName: 'Two sign',
    ...{ effect: 'EFFECT_ALLOW', condition: `private_key.id == '${keyId}'`, consensus: 'approvers.count() >= 2', notes: '' },
  });
  for (const payload of ['first', 'second']) {
    const params = {
      ...signParams(keyId),
      payload,
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_SHA256',
    };
    const { body } = await root.with({ key }).submit('signRawPayload', params);
    requests.push({ id: body.activity.id, payload });
  }
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const main = () => ann.page.getByRole('main');
const badges = () => ann.page.evaluate(() => (window as unknown as { badges: (number | undefined)[] }).badges);
const focused = () => ann.page.evaluate(() => document.activeElement?.tagName);

test('the icon has no number before the approvals are known, and then theirs', async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await ann.page.route(/query\/list_activities$/, async (route) => {
    await answered;
    await route.continue();
  });
  await visit(ann, '/wallets');
  await ann.page.reload();
  await ann.page.getByText('No wallet yet').waitFor();
  expect(await badges()).toEqual([]);
  answer();
  await expect.poll(badges).toEqual([requests.length]);
  await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
});

describe.each(Object.entries(sizes))('a request at a %s', (_, viewport) => {
  test('has its sentence as the title, and the focus', async () => {
    await ann.page.setViewportSize(viewport);
    await visit(ann, '/approvals');
    await ann.page.reload();
    for (const { id, payload } of requests) {
      await visit(ann, '/approvals');
      await main().locator(`a[href*="/approvals/${id}"]`).click();
      await main().getByRole('article').getByRole('heading', { name: payload }).waitFor();
      await expect.poll(() => ann.page.title()).toMatch(new RegExp(`^\\(2\\) .*${payload}.* · Approvals · Countersign$`));
      await expect.poll(focused).toBe('ARTICLE');
    }
    await visit(ann, '/approvals');
    await expect.poll(() => ann.page.title()).toBe('(2) Approvals · Countersign');
  });

  test('of another organization offers the sign-in there, and keeps the link', async () => {
    await ann.page.setViewportSize(viewport);
    const [{ id }] = requests as [(typeof requests)[number]];
    await visit(ann, `/approvals/${id}?organization=${service.root.organizationId}`);
    await main().getByRole('article').waitFor();
    await visit(ann, `/approvals/${id}?organization=${ELSEWHERE}`);
    await main().getByText('This link is for another organization').waitFor();
    expect(await main().getByText(ELSEWHERE).count()).toBeGreaterThan(0);
    expect(await main().getByRole('article').count()).toBe(0);
    expect(await seriousFaults(ann)).toEqual([]);
    await main().getByRole('button', { name: 'Stay here' }).click();
    await main().getByRole('article').waitFor();
    expect(new URL(ann.page.url()).hash).toBe(`#/approvals/${id}`);
    await visit(ann, `/approvals/${id}?organization=${ELSEWHERE}`);
    await main().getByRole('button', { name: 'Sign in there' }).click();
    await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(await ann.page.getByLabel('Organization id').inputValue()).toBe(ELSEWHERE);
    // The person has no passkey there. With the own organization, the same link opens the request.
    await ann.page.getByLabel('Organization id').fill(service.root.organizationId);
    await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await main().getByText('This link is for another organization').waitFor();
    await main().getByRole('button', { name: 'Stay here' }).click();
    await main().getByRole('article').waitFor();
  });
});

test('a signed-out person signs in to the organization of the link, and reads the request', async () => {
  const [{ id, payload }] = requests as [(typeof requests)[number]];
  await ann.page.setViewportSize(sizes.desk);
  await ann.page.getByRole('button', { name: 'Sign out' }).click();
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await visit(ann, `/approvals/${id}?organization=${service.root.organizationId}`);
  await expect.poll(() => ann.page.getByLabel('Organization id').inputValue()).toBe(service.root.organizationId);
  await ann.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await main().getByRole('article').getByRole('heading', { name: payload }).waitFor();
  expect(ann.faults).toEqual([]);
  expect(ann.foreign).toEqual([]);
});
