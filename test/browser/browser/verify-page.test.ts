import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportAudit, logKey } from '../../features/log/audit-support.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';

let browser: Browser;
let installation: Installation;
let service: TestService;
let page: Page;
let text: string;
const foreign: string[] = [];

beforeAll(async () => {
  await import('../../../packages/verify/page/build.ts');
  browser = await startChromium();
  installation = await engines.sqlite();
  service = await startService(installation);
  await service.root.result('signRawPayload', signParams(await createPrivateKey(service.root)));
  text = await exportAudit(service.root);
  page = await browser.newPage();
  page.on('request', (request) => {
    if (!request.url().startsWith(`${service.url}/verify`)) foreign.push(request.url());
  });
  await page.goto(`${service.url}/verify`);
  await page.fill('#log-key', await logKey(service.url));
}, CHROMIUM_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await service?.close();
  await installation?.remove();
});

/** Drops a file on the page, as a person does with the mouse, and reads what the page says. */
async function dropped(content: string): Promise<string> {
  const data = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([given], 'audit.jsonl'));
    return transfer;
  }, content);
  await page.locator('#verdict').evaluate((place) => place.replaceChildren());
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: data });
  await page.waitForSelector('#verdict h2');
  return (await page.locator('#verdict > *').allTextContents()).join('\n');
}

test('a file that is dropped on the page is verified in the browser, and nothing leaves it', async () => {
  const said = await dropped(text);
  expect(said).toMatch(/^Verified\n/);
  expect(said).toMatch(/3 activities, 2 stamps, 2 decisions repeated, 1 signature\./);
  expect(foreign).toEqual([]);
});

test('D102: a file that somebody changed is refused on the page, with the line and the reason', async () => {
  const changed = text.replace('Private key', 'private key');
  expect(changed).not.toBe(text);
  expect(await dropped(changed)).toMatch(/^Not verified\n[\s\S]*Line \d+/);
  expect(await dropped('<img src=x onerror=alert(1)>\n')).toMatch(/^Not verified/);
});

test('the page may send nothing, and no other page may frame it', async () => {
  const { headers } = await fetch(`${service.url}/verify`);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  const sent = await page.evaluate(() =>
    fetch('/healthz').then(
      () => 'sent',
      () => 'refused',
    ),
  );
  expect(sent).toBe('refused');
});
