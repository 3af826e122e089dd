import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { moderateFaults } from './axe.ts';
import { consolePages, fill, objectPages, openPage, openPages } from './console-pages.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { setUp } from './story.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
}, CHROMIUM_TIMEOUT_MS);

afterAll(() => browser?.close());

describe('every page', () => {
  let service: ConsoleService;
  const people: Person[] = [];

  beforeAll(async () => {
    service = await startConsoleService();
    const ann = await openPerson(browser, service.consoleUrl, {});
    people.push(ann);
    await setUp(ann, service);
  });

  afterAll(async () => {
    for (const { context } of people) await context.close();
    await service?.close();
  });

  const check = async (pages: readonly { name: string; route: string; text: string }[], ann = people[0] as Person) => {
    const found: string[] = [];
    for (const size of Object.values(sizes)) {
      await ann.page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await ann.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const page of pages) {
          await openPage(ann, page);
          const faults = await moderateFaults(ann);
          found.push(...faults.map((fault) => `${page.name}, ${size.width}, ${colorScheme}: ${fault}`));
          const width = await ann.page.evaluate(() => document.documentElement.scrollWidth);
          if (width > size.width) found.push(`${page.name}, ${size.width}: scrolls sideways, ${width} pixels wide`);
        }
      }
    }
    return found;
  };

  test('can be used by everybody, empty', async () => {
    expect(await check(consolePages)).toEqual([]);
  });

  test('can be used by everybody, full', async () => {
    await fill(service.root, (what) => `${what} with a name that is long enough to need more than one line on a phone`);
    expect(await check([...consolePages, ...(await objectPages(service.root))])).toEqual([]);
    expect(people.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test('can be used by everybody, before the sign-in', async () => {
    const bob = await openPerson(browser, service.consoleUrl, {});
    people.push(bob);
    await bob.page.goto(service.consoleUrl);
    expect(await check(openPages, bob)).toEqual([]);
    expect(bob.faults).toEqual([]);
  });
});
