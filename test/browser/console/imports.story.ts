import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { setUp, told, visit } from './story.ts';

/** The phrase and the key of published test vectors, and their addresses on Ethereum. */
const PHRASE = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const KEY = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const ADDRESS = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';

describe('imports that need the approvals of two', () => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;
  const bob = newApiKey();

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl);
    await setUp(ann, service);
    const { root } = service;
    await root.result('createUsers', { users: [{ ...userParams(bob), userName: 'Bob' }] });
    const users = (await root.data('listUsers')).users as { userId: string }[];
    await root.result('updateRootQuorum', { threshold: 2, userIds: users.map(({ userId }) => userId) });
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const dialog = () => ann.page.getByRole('dialog');
  const pending = async () =>
    (await service.root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })).activities as {
      fingerprint: string;
      type: string;
    }[];
  const approveAs = async (type: string) => {
    const found = await pending();
    expect(found.map((each) => each.type)).toEqual([type]);
    await service.root.with({ key: bob }).submit('approveActivity', { fingerprint: found[0]?.fingerprint });
  };
  const importAfterApprovals = async (init: string, second: string) => {
    await dialog().getByRole('button', { name: 'Import' }).click();
    await dialog().getByText('Keep this window open').waitFor();
    expect(await seriousFaults(ann)).toEqual([]);
    await approveAs(init);
    await told(ann, 'The import is pending approval.');
    await dialog().waitFor({ state: 'detached' });
    await approveAs(second);
    expect(await pending()).toEqual([]);
  };

  test('a recovery phrase is imported once both of its requests are approved', async () => {
    await visit(ann, '/wallets');
    await ann.page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog().getByLabel('Name').fill('Old wallet');
    await dialog().getByLabel('Recovery phrase').fill(PHRASE);
    await importAfterApprovals('ACTIVITY_TYPE_INIT_IMPORT_WALLET', 'ACTIVITY_TYPE_IMPORT_WALLET');
    expect((await service.root.data('listWallets')).wallets).toMatchObject([{ walletName: 'Old wallet', imported: true }]);
  });

  test('a private key is imported once both of its requests are approved', async () => {
    await visit(ann, '/wallets');
    await ann.page.getByRole('tab', { name: 'Private keys' }).click();
    await ann.page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog().getByLabel('Name').fill('Old key');
    await dialog().getByLabel('Private key').fill(KEY);
    await importAfterApprovals('ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY', 'ACTIVITY_TYPE_IMPORT_PRIVATE_KEY');
    await ann.page.getByText(ADDRESS).waitFor();
    expect(ann.faults).toEqual([]);
  });
});
