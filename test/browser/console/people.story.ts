import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { uniqueName, userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { setUp, visit } from './story.ts';

describe('the page of a person', () => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;
  let ownId: string;

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl);
    await setUp(ann, service);
    ownId = (await service.root.data('whoami')).userId;
  }, CHROMIUM_TIMEOUT_MS);

  afterEach(() => ann.page.unrouteAll({ behavior: 'ignoreErrors' }));

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const dialog = () => ann.page.getByRole('dialog');
  const region = (name: string) => ann.page.getByRole('region', { name, exact: true });
  const createUser = async (more: object = {}): Promise<string> => {
    const users = [{ ...userParams(newApiKey()), userName: uniqueName('Dora'), ...more }];
    return (await service.root.result('createUsers', { users })).userIds[0];
  };
  /** Alters the answer about a user. */
  const alterUser = (alter: (user: Json) => Json) =>
    ann.page.route(/query\/get_user$/, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.activity.result.user = alter(body.activity.result.user);
      await route.fulfill({ response, json: body });
    });

  test('the only own passkey cannot be removed, and of another one the page says what its removal ends', async () => {
    const { page } = ann;
    await visit(ann, `/people/${ownId}`);
    const passkey = region('Credentials').getByRole('listitem').filter({ hasText: 'Ann’s phone' });
    const remove = passkey.getByRole('button', { name: 'Remove' });
    await remove.waitFor();
    expect(await remove.isDisabled()).toBe(true);
    expect(await remove.getAttribute('title')).toContain('This is your only passkey');
    await alterUser((user) => ({
      ...user,
      authenticators: [...user.authenticators, { ...user.authenticators[0], authenticatorId: 'other', credentialId: 'b3RoZXI' }],
    }));
    await page.reload();
    await passkey.first().getByRole('button', { name: 'Remove' }).click();
    await dialog().getByText('You signed in with it').waitFor();
    expect(await seriousFaults(ann)).toEqual([]);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  test('a linked account shows its subject and its issuer', async () => {
    const userId = await createUser();
    const link = { providerId: 'p', providerName: 'Work', issuer: 'https://login.example.com', subject: 'dora-7', audience: 'a' };
    await alterUser((user) => ({ ...user, oauthProviders: [{ ...link, createdAt: user.createdAt, updatedAt: user.createdAt }] }));
    await visit(ann, `/people/${userId}`);
    await region('Credentials').getByText('dora-7 at https://login.example.com').waitFor();
  });

  test('an email address and a phone number are removed', async () => {
    const userId = await createUser({ userEmail: 'dora@example.com', userPhoneNumber: '+15555550100' });
    await visit(ann, `/people/${userId}`);
    await ann.page.getByRole('button', { name: 'Change name and contact' }).click();
    await dialog().getByLabel('Name').fill('Dora D.');
    await dialog()
      .getByLabel(/^Email/)
      .fill('');
    await dialog()
      .getByLabel(/^Phone/)
      .fill('');
    await dialog().getByText('These are 3 requests.').waitFor();
    expect(await seriousFaults(ann)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await ann.page.getByText('The phone number was removed.').waitFor();
    await dialog().waitFor({ state: 'detached' });
    const { user } = await service.root.data('getUser', { userId });
    expect(user).toMatchObject({ userName: 'Dora D.' });
    expect(user).not.toHaveProperty('userEmail');
    expect(user).not.toHaveProperty('userPhoneNumber');
  });

  test('the page lists the policies that could count an approval of the person, and no other', async () => {
    const userId = await createUser();
    const { root } = service;
    const policies = [
      ['Names her', `approvers.any(user, user.id == '${userId}')`, 'true'],
      ['Counts anyone', 'approvers.count() >= 2', 'true'],
      ['Excludes her', `approvers.any(user, user.id != '${userId}')`, 'true'],
      ['Is about her', `approvers.any(user, user.id == '${ownId}')`, `activity.params.user_id == '${userId}'`],
    ];
    for (const [policyName, consensus, condition] of policies)
      await root.result('createPolicy', { policyName, effect: 'EFFECT_ALLOW', condition, consensus, notes: '' });
    await visit(ann, `/people/${userId}`);
    const rows = region('What this person may do').getByRole('listitem');
    await rows.filter({ hasText: 'Names her' }).filter({ hasText: 'because of who they are' }).waitFor();
    await rows.filter({ hasText: 'Counts anyone' }).filter({ hasText: 'also people whom it does not name' }).waitFor();
    expect(await rows.count()).toBe(2);
    expect(await seriousFaults(ann)).toEqual([]);
  });

  test('the history of a person is searched further until something is found, and says how far', async () => {
    const userId = await createUser();
    const answer = (result: object) => ({ json: { activity: { result } } });
    let calls = 0;
    await ann.page.route(/query\/search_activities$/, async (route) => {
      calls += 1;
      if (calls < 3) return route.fulfill(answer({ activities: [], next: `c${calls}`, searchedTo: '1760000000000' }));
      return route.fulfill(answer({ activities: [] }));
    });
    await visit(ann, `/people/${userId}`);
    await region('Latest activities').getByText('You can see no activity of this person.').waitFor();
    expect(calls).toBeGreaterThanOrEqual(3);
    await ann.page.unrouteAll();
    await ann.page.route(/query\/search_activities$/, (route) =>
      route.fulfill(answer({ activities: [], next: 'more', searchedTo: '1760000000000' })),
    );
    await ann.page.reload();
    await region('Latest activities').getByText('You can see no activity of this person since 9 Oct 2025').waitFor();
    await region('Latest activities').getByRole('button', { name: 'Search further' }).waitFor();
    expect(ann.faults).toEqual([]);
  });

  test('a list of many people is loaded in pages and searched by the service, and all of them are loaded on request', async () => {
    const users = Array.from({ length: 60 }, (_, at) => ({ ...userParams(newApiKey()), userName: `Person ${at}.` }));
    const { userIds } = await service.root.result('createUsers', { users });
    await service.root.result('createUserTag', { userTagName: 'Night shift', userIds: [userIds[0]] });
    const asked: Json[] = [];
    await ann.page.route(/query\/list_users$/, async (route) => {
      asked.push(route.request().postDataJSON());
      await route.continue();
    });
    const { page } = ann;
    await visit(ann, '/people');
    const rows = page.getByRole('list', { name: 'People' }).getByRole('listitem');
    await rows.filter({ hasText: 'Person 59.' }).waitFor();
    await page.getByLabel('Search').fill('night sh');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.filter({ hasText: 'Person 0.' }).waitFor();
    expect(asked.every(({ paginationOptions }) => paginationOptions !== undefined)).toBe(true);
    await page.getByLabel('Search').fill('');
    await rows.filter({ hasText: 'Person 59.' }).waitFor();
    expect(await page.getByLabel('Search').evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await page.getByRole('button', { name: 'New tag' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Load everybody, to see and change them' }).click();
    await page.getByRole('button', { name: 'New tag' }).waitFor();
    await region('Root quorum').getByRole('button', { name: 'Change' }).waitFor();
    expect(ann.faults).toEqual([]);
  });
});
