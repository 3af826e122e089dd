import { join } from 'node:path';
import { generateApiKey } from '@countersign/client';
import { setupLink } from '@countersign/contract';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { apiKeyParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, type Size } from './person.ts';
import { setUp, visit } from './story.ts';

const rootUser = { userEmail: 'dora@example.com', authenticators: [], oauthProviders: [] };

/** A folder for screenshots, to look at. */
const pictures = process.env.CONSOLE_PICTURES;

describe.each<Size>(['desk', 'phone'])('organizations, at the size of a %s', (size) => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;
  const key = newApiKey();

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl, { size });
    await setUp(ann, service);
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const look = async (person: Person, name: string) => {
    if (pictures !== undefined) await person.page.screenshot({ path: join(pictures, `${name}-${size}.png`), fullPage: true });
    expect(await seriousFaults(person)).toEqual([]);
  };

  test('D971: the first person of a sub-organization enters with a link that works once, and the parent keeps no key', async () => {
    const { page } = ann;
    await visit(ann, '/organizations');
    await page.getByRole('button', { name: 'New sub-organization' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('Customer 7');
    await form.getByLabel('Name of the first person').fill('Dora');
    await form.getByLabel('Email of the first person').fill('dora@example.com');
    await look(ann, 'organization-form');
    await form.getByRole('button', { name: 'New sub-organization' }).click();
    const link = (await form.locator('code').textContent()) ?? '';
    expect(link).toContain('/#/setup?organization=');
    await look(ann, 'organization-link');
    const [, organizationId = ''] = /organization=([^&]+)/.exec(link) ?? [];
    const { users } = await service.root.with({ organizationId }).data('listUsers');
    expect(users.map(({ apiKeys }: { apiKeys: { credential: { type: string } }[] }) => apiKeys)).toMatchObject([
      [{ credential: { type: 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256' } }],
    ]);

    const dora = await openPerson(browser, service.consoleUrl, { size });
    await dora.page.goto(link);
    await dora.page.getByText('Customer 7').waitFor();
    await dora.page.getByRole('button', { name: 'Create a passkey', exact: true }).click();
    await dora.page.getByText('Latest activities').waitFor();
    await visit(dora, '/people');
    await dora.page.getByRole('list', { name: 'People' }).getByText('root quorum').waitFor();
    await look(dora, 'organization-first-person');
    const thief = await openPerson(browser, service.consoleUrl, { size });
    await thief.page.goto(link);
    await thief.page.getByText('This link was used, or it is not valid').waitFor();
    expect([...ann.faults, ...dora.faults, ...ann.foreign]).toEqual([]);
  });

  test('a browser remembers another organization, and opens its sign-in page', async () => {
    const dora = await openPerson(browser, service.consoleUrl, { size });
    const { organizationId: top } = service.root;
    const { subOrganizationId, rootUserIds } = await service.root.result('createSubOrganization', {
      subOrganizationName: 'Second',
      rootQuorumThreshold: 1,
      rootUsers: [{ ...rootUser, userName: 'Dora', apiKeys: [apiKeyParams(key)] }],
    });
    const second = service.root.with({ key, organizationId: subOrganizationId });
    const register = async (caller: Caller, organizationId: string, userId: string) => {
      const { apiPublicKey: publicKey, apiPrivateKey: token } = generateApiKey();
      await caller.result('createSetupKey', { userId, publicKey });
      await dora.page.goto(setupLink(service.consoleUrl, { organizationId, userId, token }));
      await dora.page.getByRole('button', { name: 'Create a passkey', exact: true }).click();
      await dora.page.getByText('Latest activities').waitFor();
    };
    await register(second, subOrganizationId, rootUserIds[0]);
    const { userId } = await service.root.data('whoami');
    await register(service.root, top, userId);

    const { page } = dora;
    await visit(dora, '/me');
    const others = page.getByRole('region', { name: 'Other organizations' });
    await others.getByText('Second').waitFor();
    await look(dora, 'organization-switch');
    // A person chooses the passkey. The authenticator of this test would choose any of both.
    await others.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(await page.getByLabel('Organization id').inputValue()).toBe(subOrganizationId);
    expect([...dora.faults, ...dora.foreign]).toEqual([]);
  });
});
