import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { words } from '../../../packages/console/src/words/index.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, type Size } from './person.ts';
import { setUp, told, visit } from './story.ts';

/** A folder for screenshots, to look at. */
const pictures = process.env.CONSOLE_PICTURES;

describe.each<Size>(['desk', 'phone'])('the first start, at the size of a %s', (size) => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl, { size });
    await setUp(ann, service);
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const look = async (name: string) => {
    if (pictures !== undefined) await ann.page.screenshot({ path: join(pictures, `${name}-${size}.png`), fullPage: true });
    expect(await seriousFaults(ann)).toEqual([]);
  };

  test('asks for the name and email of the person and the name of the organization, until they have names', async () => {
    const { page } = ann;
    const card = page.getByRole('region', { name: 'Introduce yourself' });
    await card.getByRole('button', { name: 'Later' }).click();
    await card.waitFor({ state: 'detached' });
    await page.reload();
    await card.waitFor();
    await look('introduction');
    await card.getByLabel('Your name').fill('Ann');
    await card.getByLabel('Your email').fill('ann@example.com');
    await card.getByRole('button', { name: 'Save your name' }).click();
    await told(ann, 'The person was changed.');
    await card.getByLabel('Your name').waitFor({ state: 'detached' });
    await card.getByLabel('Name of the organization').fill('Northwind');
    await card.getByRole('button', { name: 'Save the name' }).click();
    await page.getByRole('heading', { level: 1, name: 'Northwind' }).waitFor();
    await card.waitFor({ state: 'detached' });
    const { userId, username, organizationName } = await service.root.data('whoami');
    expect({ username, organizationName }).toEqual({ username: 'Ann', organizationName: 'Northwind' });
    expect((await service.root.data('getUser', { userId })).user.userEmail).toBe('ann@example.com');
    expect(ann.faults).toEqual([]);
  });

  test('a template for auditors keeps its consensus, which names the people whom it denies', async () => {
    const { page } = ann;
    await visit(ann, '/policies/new');
    const template = page.getByRole('listitem').filter({ hasText: 'Auditors do nothing' });
    await template.getByRole('button', { name: 'Use' }).click();
    await page.getByText('Replace <tag of the auditors>').waitFor();
    await page.getByText('CREDENTIAL_TYPE_RECOVER_USER_KEY_P256').first().waitFor();
    await look('auditor-template');
    const { userTagId } = await service.root.result('createUserTag', { userTagName: 'Auditors', userIds: [] });
    await page.getByLabel('tag of the auditors').selectOption({ label: 'Auditors' });
    await page.getByText(`user.tags.contains('${userTagId}')`).waitFor();
    await page.getByText('Replace <tag of the auditors>').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save policy' }).click();
    await told(ann, words.policies.editor.saved);
    const { policies } = await service.root.data('listPolicies');
    const saved = { policyName: 'Auditors do nothing', consensus: expect.stringContaining(userTagId) };
    expect(policies).toContainEqual(expect.objectContaining(saved));

    await visit(ann, '/policies/new');
    await template.getByRole('button', { name: 'Use' }).click();
    await page.getByText('Replace <tag of the auditors>').waitFor();
    await page.getByLabel('Effect').selectOption('EFFECT_ALLOW');
    await page.getByLabel('Effect').selectOption('EFFECT_DENY');
    await page.getByText('Replace <tag of the auditors>').waitFor({ state: 'detached' });
    expect(ann.faults).toEqual([]);
  });
});
