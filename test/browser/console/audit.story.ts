import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { acceptInvitation, createContact, createWallet, invite, setUp, visit } from './story.ts';

const command = new URL('../../../packages/cli/bin/countersign.js', import.meta.url).pathname;
const records = /query\/list_audit_records$/;

let browser: Browser;
let service: ConsoleService;
let ann: Person;
let bob: Person;

beforeAll(async () => {
  [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
  ann = await openPerson(browser, service.consoleUrl);
  bob = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  await setUp(ann, service);
  await createWallet(ann, 'Treasury');
  await createContact(ann, 'Acme', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'vendors');
  await acceptInvitation(bob, await invite(ann, service, 'Bob', 'bob@example.com'));
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const dialog = ({ page }: Person) => page.getByRole('dialog');

async function exportFile(person: Person): Promise<void> {
  await visit(person, '/activities');
  await person.page.reload();
  await person.page.getByRole('button', { name: 'Export audit file' }).click();
  await dialog(person).getByRole('button', { name: 'Read and verify' }).click();
}

async function saved({ page }: Person): Promise<string> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: 'Save the file' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^audit-[0-9a-f-]{36}-\d{4}-\d\d-\d\d\.jsonl$/);
  return download.path();
}

const verifyOnCommandLine = async (file: string) => {
  const logKey = (await (await fetch(`${service.url}/log/key`)).text()).trim();
  const run = promisify(execFile)(process.execPath, [command, 'audit', 'verify', file, '--log-key', logKey, '--json']);
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout);
};

test.each(Object.entries(sizes))('the browser exports and verifies the audit file, at a %s', async (_, viewport) => {
  await ann.page.setViewportSize(viewport);
  await exportFile(ann);
  await dialog(ann).getByText('Verified', { exact: true }).waitFor();
  const { entries } = await service.root.data('listLogEntries', { limit: '500' });
  await dialog(ann).getByText(`All ${entries.length} leaves, the last one of `).waitFor();
  await dialog(ann).getByText('What was verified, with this log key').click();
  await dialog(ann)
    .getByText(/^Newest: the checkpoint over \d+ leaves names leaf \d+ as the newest/)
    .waitFor();
  expect(await seriousFaults(ann)).toEqual([]);
  expect(await ann.page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
  const file = await saved(ann);
  expect(await verifyOnCommandLine(file)).toMatchObject({ ok: true, report: { leaves: entries.length } });
  expect(await readFile(file, 'utf8')).toContain('Acme');
});

test('D1160: an altered answer is reported, and the file can still be saved as evidence', async () => {
  await ann.page.route(records, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('Treasury', 'Tr3asury');
    await route.fulfill({ response, body });
  });
  await exportFile(ann);
  await dialog(ann).getByText('Not verified').waitFor();
  await dialog(ann)
    .getByText(/^Line \d+, activity /)
    .waitFor();
  await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
  expect(await verifyOnCommandLine(await saved(ann))).toMatchObject({ ok: false });
});

test('D1160: a log with another key than the first one is reported', async () => {
  await ann.page.evaluate(async () => {
    const opening = indexedDB.open('countersign-preferences', 1);
    const database = await new Promise<IDBDatabase>((resolve) =>
      opening.addEventListener('success', () => resolve(opening.result)),
    );
    const store = database.transaction('values', 'readwrite').objectStore('values');
    const names = store.getAllKeys();
    await new Promise((resolve) => names.addEventListener('success', resolve));
    const name = names.result.find((each) => String(each).startsWith('log-key')) as string;
    const putting = store.put('countersign+7a4a5c5e+AfzPs1wpWQJnzCBVFVrJOPVmI8TVm9yWQGHHKjSKUm0J', name);
    await new Promise((resolve) => putting.addEventListener('success', resolve));
    database.close();
  });
  await exportFile(ann);
  await dialog(ann).getByText('Not verified').waitFor();
  await dialog(ann).getByText('The log key differs from the one that this browser saw before').waitFor();
});

test('a person who may not read the log gets the reason', async () => {
  await service.root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
  await exportFile(bob);
  await dialog(bob)
    .getByRole('alert')
    .getByText(/reading is restricted .* activity\.resource == 'AUDIT_LOG'/)
    .waitFor();
  expect(await dialog(bob).getByRole('button', { name: 'Save the file' }).count()).toBe(0);
  expect([...ann.faults, ...bob.faults]).toEqual([]);
  expect([...ann.foreign, ...bob.foreign]).toEqual([]);
});
