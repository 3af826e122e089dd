import type { Page } from 'playwright-core';
import { newApiKey } from '../support/api-key.ts';
import { startChromium } from '../support/chromium.ts';
import { userParams } from '../support/world.ts';
import { startConsoleService } from './console-service.ts';
import { openPerson } from './person.ts';
import { setUp, visit } from './story.ts';

/** Measures how long the pages with the longest lists take to answer. Run it on a machine that does nothing else. */
const ROWS = 10_000;
const ROUNDS = 9;
const BATCH = 100;

const service = await startConsoleService({
  COUNTERSIGN_MAX_CONTACTS: String(ROWS),
  COUNTERSIGN_MAX_USERS: String(ROWS + 10),
});
const browser = await startChromium();
try {
  const ann = await openPerson(browser, service.consoleUrl);
  await setUp(ann, service);
  for (let from = 0; from < ROWS; from += BATCH) {
    const numbers = Array.from({ length: BATCH }, (_, index) => from + index);
    const address = (number: number) => `0x${(0xc0ffee_0000n + BigInt(number)).toString(16).padStart(40, '0')}`;
    await service.root.result('createContacts', {
      contacts: numbers.map((number) => ({ label: `Payee ${number}`, address: address(number), contactTags: ['vendors'] })),
    });
    const users = numbers.map((number) => ({ ...userParams(newApiKey()), userName: `Person ${number}` }));
    await service.root.result('createUsers', { users });
  }
  for (const { route, name, text } of [
    { route: '/contacts', name: 'Contacts', text: 'Payee' },
    { route: '/people', name: 'People', text: 'Person' },
  ]) {
    const begin = performance.now();
    await visit(ann, route);
    const { page } = ann;
    const rows = page.getByRole('list', { name }).getByRole('listitem');
    await rows.first().waitFor({ timeout: 120_000 });
    report(name, 'first rows', [performance.now() - begin]);
    const scrolls: number[] = [];
    const filters: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      scrolls.push(await painted(page, 'scroll', String(round / ROUNDS)));
      filters.push(await painted(page, 'filter', `${text} ${1000 * (round + 1)}`));
      await painted(page, 'filter', '');
    }
    report(name, 'scroll to another place', scrolls);
    report(name, 'filter', filters);
    report(name, 'open a row’s window', await opened(page));
    console.log(`${name.padEnd(10)} rows in the page: ${await rows.count()}`);
  }
} finally {
  await browser.close();
  await service.close();
}

/** How long it takes from an action to the second frame after it, by which it is drawn. */
function painted(page: Page, action: 'scroll' | 'filter', value: string): Promise<number> {
  return page.evaluate(
    async ({ action, value }) => {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const begin = performance.now();
      if (action === 'scroll') scrollTo(0, document.documentElement.scrollHeight * Number(value));
      else {
        const field = document.querySelector<HTMLInputElement>('[data-search]');
        const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
        set?.call(field, value);
        field?.dispatchEvent(new Event('input', { bubbles: true }));
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - begin;
    },
    { action, value },
  );
}

async function opened(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push(
      await page.evaluate(async () => {
        const [button] = [...document.querySelectorAll<HTMLButtonElement>('main li button')].filter(({ textContent }) =>
          /^(Edit|Passkey link)$/.test(textContent ?? ''),
        );
        const begin = performance.now();
        button?.click();
        while (document.querySelector('[role=dialog]') === null) await new Promise(requestAnimationFrame);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        return performance.now() - begin;
      }),
    );
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  return times;
}

function report(page: string, what: string, times: readonly number[]): void {
  const sorted = [...times].sort((a, b) => a - b);
  const [median, worst] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
  console.log(`${page.padEnd(10)} ${what.padEnd(24)} median ${median.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`);
}
