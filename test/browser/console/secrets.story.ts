import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, type Size } from './person.ts';
import { setUp, told, visit } from './story.ts';

/** A folder for screenshots, to look at. */
const pictures = process.env.CONSOLE_PICTURES;
const CONTENT = 'hunter2 äöü\nsecond line';

describe.each<Size>(['desk', 'phone'])('secrets, at the size of a %s', (size) => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;
  const bob = newApiKey();
  const sent: string[] = [];

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl, { size });
    ann.page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    await setUp(ann, service);
    await service.root.result('createUsers', { users: [{ ...userParams(bob), userName: 'Bob' }] });
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const dialog = () => ann.page.getByRole('dialog');
  const row = () => ann.page.getByRole('list', { name: 'Secrets' }).getByRole('listitem');
  const look = async (name: string) => {
    if (pictures !== undefined) await ann.page.screenshot({ path: join(pictures, `${name}-${size}.png`) });
    expect(await seriousFaults(ann)).toEqual([]);
  };
  const typeSecret = async (name: string) => {
    await ann.page.getByRole('button', { name: 'Import a secret' }).first().click();
    await dialog().getByLabel('Name').fill(name);
    await dialog().getByLabel('Content').fill(CONTENT);
  };
  const startExport = async (name: string) => {
    await row().getByRole('button', { name: 'Export' }).click();
    await dialog().getByLabel(`Type ${name} to confirm`).fill(name);
    await dialog().getByRole('button', { name: 'Export' }).click();
  };

  test('a secret is imported: the list has its name and properties, and no content', async () => {
    await visit(ann, '/secrets');
    await ann.page.getByText('No secret yet').waitFor();
    await typeSecret('Ledger database');
    await dialog()
      .getByLabel(/^Properties/)
      .fill('environment = production\nno sign');
    await dialog().getByText('Line 2 is not a name, an equals sign and a value.').waitFor();
    expect(await dialog().getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);
    await dialog()
      .getByLabel(/^Properties/)
      .fill('environment = production\nowner = finance');
    await look('secret-form');
    await dialog().getByRole('button', { name: 'Import' }).click();
    await told(ann, 'The secret was imported.');
    await row().getByText('environment = production').waitFor();
    await look('secrets');
    expect(await ann.page.getByText('hunter2').count()).toBe(0);
    expect((await service.root.data('listSecrets')).secrets).toMatchObject([
      {
        name: 'Ledger database',
        staticProperties: [
          { key: 'environment', value: 'production' },
          { key: 'owner', value: 'finance' },
        ],
      },
    ]);
  });

  test('an export waits for its approval and then shows the content, until its window closes', async () => {
    const { root } = service;
    const users = (await root.data('listUsers')).users as { userId: string }[];
    await root.result('updateRootQuorum', { threshold: 2, userIds: users.map(({ userId }) => userId) });
    await startExport('Ledger database');
    await ann.page.getByText('only this page can decrypt the export').waitFor();
    await look('secret-export-pending');
    const [pending] = (await root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })).activities;
    await root.with({ key: bob }).submit('approveActivity', { fingerprint: pending.fingerprint });
    await dialog().getByText('hunter2 äöü').waitFor();
    expect(await dialog().locator('.whitespace-pre-wrap').textContent()).toBe(CONTENT);
    await look('secret-export');
    await ann.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await ann.page.getByText('hunter2').count()).toBe(0);
  });

  test('D981: the content was in no request, and the browser stored it nowhere', async () => {
    const forms = [CONTENT, JSON.stringify(CONTENT).slice(1, -1), encodeURIComponent(CONTENT)];
    const bytes = Buffer.from(CONTENT);
    for (const text of [...forms, bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url'), 'hunter2'])
      expect(sent.filter((request) => request.includes(text))).toEqual([]);
    const stored = await ann.page.evaluate(async () => {
      const texts = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
      for (const { name = '' } of await indexedDB.databases()) {
        const database = await new Promise<IDBDatabase>((resolve, reject) => {
          const opening = indexedDB.open(name);
          opening.onsuccess = () => resolve(opening.result);
          opening.onerror = () => reject(opening.error);
        });
        for (const store of database.objectStoreNames) {
          const all = await new Promise((resolve, reject) => {
            const reading = database.transaction(store).objectStore(store).getAll();
            reading.onsuccess = () => resolve(reading.result);
            reading.onerror = () => reject(reading.error);
          });
          texts.push(JSON.stringify(all));
        }
        database.close();
      }
      return texts;
    });
    expect(stored.length).toBeGreaterThan(2);
    expect(stored.filter((text) => text.includes('hunter2'))).toEqual([]);
  });

  test('a secret is deleted after its name was typed', async () => {
    const { root } = service;
    const { userId } = await root.data('whoami');
    await root.submit('updateRootQuorum', { threshold: 1, userIds: [userId] });
    const [change] = (await root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })).activities;
    await root.with({ key: bob }).submit('approveActivity', { fingerprint: change.fingerprint });
    await row().getByRole('button', { name: 'Remove' }).click();
    await dialog().getByLabel('Type Ledger database to confirm').fill('Ledger database');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await told(ann, 'The secret was deleted.');
    await ann.page.getByText('No secret yet').waitFor();
    expect((await root.data('listSecrets')).secrets).toEqual([]);
  });

  test('nothing broke the security policy, and no request left the origin', () => {
    expect({ faults: ann.faults, foreign: ann.foreign }).toEqual({ faults: [], foreign: [] });
  });
});
