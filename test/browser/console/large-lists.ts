import type { CDPSession, Page } from 'playwright-core';
import { newApiKey } from '../../support/api-key.ts';
import { startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { startConsoleService } from './console-service.ts';
import { openPerson } from './person.ts';
import { setUp, visit } from './story.ts';

/**
 * Measures how long the pages with the longest lists take to answer: by the clock, and by the time that the thread of the page was at the
 * processor, which other work on the machine does not change.
 */
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
  const devtools = await ann.context.newCDPSession(ann.page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
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
    console.log(`${name.padEnd(10)} first rows after ${Math.round(performance.now() - begin)} ms`);
    const scrolls: Taken[] = [];
    const filters: Taken[] = [];
    const windows: Taken[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      scrolls.push(await taken(devtools, () => painted(page, 'scroll', String(round / ROUNDS))));
      filters.push(await taken(devtools, () => painted(page, 'filter', `${text} ${1000 * (round + 1)}`)));
      await painted(page, 'filter', '');
    }
    for (let round = 0; round < ROUNDS; round++) windows.push(await taken(devtools, () => opened(page)));
    report(name, 'scroll to another place', scrolls);
    report(name, 'filter', filters);
    report(name, 'open a row’s window', windows);
    console.log(`${name.padEnd(10)} rows in the page: ${await rows.count()}`);
  }
} finally {
  await browser.close();
  await service.close();
}

/** What an action took, in milliseconds. */
interface Taken {
  readonly wall: number;
  readonly processor: number;
}

async function taken(devtools: CDPSession, act: () => Promise<number>): Promise<Taken> {
  const processor = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
  };
  const before = await processor();
  const wall = await act();
  return { wall, processor: (await processor()) - before };
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

async function opened(page: Page): Promise<number> {
  const wall = await page.evaluate(async () => {
    const [button] = [...document.querySelectorAll<HTMLButtonElement>('main li button')].filter(({ textContent }) =>
      /^(Edit|Passkey link)$/.test(textContent ?? ''),
    );
    const begin = performance.now();
    button?.click();
    while (document.querySelector('[role=dialog]') === null) await new Promise(requestAnimationFrame);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - begin;
  });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return wall;
}

function report(page: string, what: string, all: readonly Taken[]): void {
  const of = (kind: keyof Taken) => {
    const sorted = all.map((each) => each[kind]).sort((a, b) => a - b);
    return `median ${(sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(0)} ms, worst ${(sorted.at(-1) ?? 0).toFixed(0)} ms`;
  };
  console.log(`${page.padEnd(10)} ${what.padEnd(24)} ${of('wall')}; at the processor ${of('processor')}`);
}
