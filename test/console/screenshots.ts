import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startChromium } from '../support/chromium.ts';
import { consolePages, fill, openPage } from './console-pages.ts';
import { startConsoleService } from './console-service.ts';
import { openPerson, type Person, sizes } from './person.ts';
import { approve, askForPayment, foundTreasury, openRequest, usdcPayment, visit } from './story.ts';

/**
 * Pictures for the guides, light and dark: of the pages that they show, or of every page with a folder as the argument.
 * A picture of every page in the repository would be more bytes than all of its text.
 */
const shown = new Set(['approval', 'approval-phone', 'overview', 'policy', 'activity']);
const given = process.argv[2];
const folder = given ?? new URL('../../docs/images', import.meta.url).pathname;
mkdirSync(folder, { recursive: true });

const service = await startConsoleService();
const browser = await startChromium();
try {
  const ann = await openPerson(browser, service.consoleUrl, {});
  const bob = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  const signIn = await openPerson(browser, service.consoleUrl, {});
  await signIn.page.goto(service.consoleUrl);
  await signIn.page.getByText('Your passkey opens a session').waitFor();
  await picture(signIn, 'sign-in');
  await fill(service.root, (what) => what);
  await service.root.result('updateOrganizationName', { organizationName: 'Northwind' });
  const { userId } = await service.root.data('whoami', {});
  await service.root.result('updateUserName', { userId, userName: 'Ann' });
  await foundTreasury(ann, bob, service, undefined, 'Ann');
  await openRequest(bob, /25,000 USDC/);
  await picture(bob, 'approval-phone');
  await approve(bob);
  await askForPayment(ann, usdcPayment(32_500n, 1n));
  await visit(bob, '/approvals');
  await picture(bob, 'approvals-phone');
  for (const page of consolePages) {
    await openPage(ann, page);
    await picture(ann, page.name);
  }
  await bob.page.setViewportSize(sizes.desk);
  await openRequest(bob, /32,500 USDC/);
  await picture(bob, 'approval');
  await visit(ann, '/activities');
  await ann.page
    .getByRole('link', { name: /25,000 USDC/ })
    .first()
    .click();
  await ann.page.getByRole('button', { name: 'Check in this browser' }).click();
  await ann.page.getByText('Included', { exact: true }).waitFor();
  await ann.page.getByText('Included', { exact: true }).scrollIntoViewIfNeeded();
  await picture(ann, 'activity');
} finally {
  await browser.close();
  await service.close();
}

async function picture({ page }: Person, name: string): Promise<void> {
  if (given === undefined && !shown.has(name)) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(400);
    await page.screenshot({ path: join(folder, `console-${name}-${colorScheme}.png`) });
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}
