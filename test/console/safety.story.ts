import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../support/chromium.ts';
import { consolePages, fill, openPage } from './console-pages.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { foundTreasury, openRequest, setUp, visit } from './story.ts';

const axe = readFileSync(
  createRequire(new URL('../../packages/console/package.json', import.meta.url)).resolve('axe-core/axe.min.js'),
  'utf8',
);

let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
}, CHROMIUM_TIMEOUT_MS);

afterAll(() => browser?.close());

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** What axe finds that keeps somebody from using the page. */
async function seriousFaults({ page }: Person): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: Violation[];
  };
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  );
}

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

  const check = async (): Promise<string[]> => {
    const [ann] = people as [Person];
    const found: string[] = [];
    for (const size of Object.values(sizes)) {
      await ann.page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await ann.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const page of consolePages) {
          await openPage(ann, page);
          const faults = await seriousFaults(ann);
          found.push(...faults.map((fault) => `${page.name}, ${size.width}, ${colorScheme}: ${fault}`));
          const width = await ann.page.evaluate(() => document.documentElement.scrollWidth);
          if (width > size.width) found.push(`${page.name}, ${size.width}: scrolls sideways, ${width} pixels wide`);
        }
      }
    }
    return found;
  };

  test('can be used by everybody, empty', async () => {
    expect(await check()).toEqual([]);
  });

  test('A62: shows what people entered as text, and can be used by everybody, full', async () => {
    await fill(service.root, (what) => `<img src=x onerror="window.broken=1"><b>${what}</b>`);
    expect(await check()).toEqual([]);
    const [ann] = people as [Person];
    for (const page of consolePages) {
      await openPage(ann, page);
      const injected = await ann.page.evaluate(() => ({
        broken: 'broken' in window,
        images: document.querySelectorAll('main img, main b').length,
      }));
      expect({ page: page.name, ...injected }).toEqual({ page: page.name, broken: false, images: 0 });
    }
    expect(ann.faults).toEqual([]);
    await visit(ann, '/contacts');
    await ann.page.getByText('<img src=x onerror="window.broken=1"><b>Globex</b>').waitFor();
  });
});

describe('an answer that somebody altered', () => {
  let service: ConsoleService;
  let ann: Person;
  let bob: Person;

  beforeAll(async () => {
    service = await startConsoleService();
    ann = await openPerson(browser, service.consoleUrl, {});
    bob = await openPerson(browser, service.consoleUrl, { size: 'phone' });
    await foundTreasury(ann, bob, service);
  });

  afterAll(async () => {
    await ann?.context.close();
    await bob?.context.close();
    await service?.close();
  });

  /** Changes every answer about activities on its way to Bob. */
  const alter = async (change: (text: string) => string): Promise<void> => {
    await bob.page.unroute(/query\/(get_activity|list_activities)$/);
    await bob.page.route(/query\/(get_activity|list_activities)$/, async (route: Route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: change(await response.text()) });
    });
    await bob.page.reload();
  };

  const submitted: string[] = [];

  test('A61: with another amount in its effects is never approved', async () => {
    bob.page.on('request', (request) => {
      if (request.url().includes('/submit/')) submitted.push(request.url());
    });
    await openRequest(bob, /25,000 USDC/);
    await alter((text) =>
      text.replaceAll('"25000000000"', '"25000000"').replaceAll('25,000 USDC', '25 USDC').replaceAll('"25000"', '"25"'),
    );
    await bob.page.getByRole('alert').getByText('What the service shows is not what was stamped').waitFor();
    expect(await bob.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await bob.page.keyboard.press('a');
    expect(await bob.page.getByText('25 USDC').count()).toBe(0);
  });

  test('A61: with another sentence shows what the bytes say', async () => {
    await alter((text) => text.replaceAll('send 25,000 USDC', 'send 25 USDC'));
    await bob.page.getByText('Read and checked in this browser').waitFor();
    expect(await bob.page.getByRole('heading', { level: 2 }).first().textContent()).toContain('send 25,000 USDC');
  });

  test('A61: with another message under the same fingerprint is never approved', async () => {
    // 25,000 USDC in base units, as the call has it: the last digits of the amount.
    await alter((text) => text.replaceAll('5d21dba00', '017d78400'));
    await bob.page.getByRole('alert').getByText('What the service shows is not what was stamped').waitFor();
    expect(await bob.page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  test('A61: with other names for tokens does not move the point of an amount', async () => {
    await bob.page.unroute(/query\/(get_activity|list_activities)$/);
    await bob.page.route(/query\/list_tokens$/, async (route: Route) => {
      const response = await route.fetch();
      const answer = await response.json();
      const token = {
        tokenId: 't',
        asset: 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
        symbol: 'USDC',
        decimals: 9,
        source: 'ORGANIZATION',
      };
      const key = 'tokens' in answer ? 'tokens' : 'data';
      await route.fulfill({ response, json: { ...answer, [key]: key === 'tokens' ? [token, ...answer.tokens] : answer.data } });
    });
    await bob.page.reload();
    await bob.page.getByText('Read and checked in this browser').waitFor();
    expect(await bob.page.getByRole('heading', { level: 2 }).first().textContent()).toContain('send 25,000 USDC');
    expect(submitted).toEqual([]);
  });
});
