import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUITE, sealTo } from '../../features/secrets/secret-support.ts';
import { startChromium } from '../../support/chromium.ts';
import { consolePages, fill, openPage } from './console-pages.ts';
import { startConsoleService } from './console-service.ts';
import { startPaymentChain } from './payment-chain.ts';
import { openPerson, type Person, type Size, sizes } from './person.ts';
import { writePicture } from './picture.ts';
import { approve, askForPayment, askOnSendPage, foundTreasury, openRequest, usdcPayment, visit } from './story.ts';
import { createWalk } from './walk.ts';

/**
 * Pictures of every page, light and dark, for the guides, and the walk through the story with its times. With a folder as the argument the
 * pictures go there, as PNG, whole and also at the size of a phone: to be looked at, and not to be kept.
 */
const given = process.argv[2];
const folder = given ?? new URL('../../../docs/images', import.meta.url).pathname;
mkdirSync(folder, { recursive: true });
const walk = createWalk();
const { step } = walk;

/** Pages that show little until somebody works on them. */
const atWork: Readonly<Record<string, (person: Person) => Promise<void>>> = {
  async approvals({ page }) {
    await page.getByRole('tab', { name: /For others/ }).click();
    await page.getByRole('link', { name: /32,500 USDC/ }).waitFor();
  },
  async send({ page }) {
    const field = (name: string) => page.getByLabel(name, { exact: true });
    await field('Recipient').fill('acme');
    await page.getByRole('button', { name: 'Acme', exact: true }).click();
    await field('Asset').selectOption({ label: 'USDC' });
    await field('Amount').fill('4200');
    await page.getByLabel(/^Reference/).fill('INV-2026-118');
    await page.getByText(/^send 4,200 USDC to/).scrollIntoViewIfNeeded();
  },
  async sign({ page }) {
    await page.getByLabel('Unsigned transaction').fill(usdcPayment(1_250n, 2n));
    await page.getByText(/^send .* USDC to/).waitFor();
  },
  async policy({ page }) {
    await page.getByLabel('Name', { exact: true }).fill('Pay suppliers');
    await page.getByText('Searching…').waitFor({ state: 'detached' });
  },
};

const chain = await startPaymentChain();
const service = await step('The service starts for the first time, and prints a link', () => startConsoleService(chain.settings));
const browser = await startChromium();
const painter = await browser.newPage();
try {
  const ann = await openPerson(browser, service.consoleUrl, {});
  await ann.context.grantPermissions(['notifications'], { origin: new URL(service.consoleUrl).origin });
  const bob = await openPerson(browser, service.consoleUrl, { size: 'phone' });
  const signIn = await openPerson(browser, service.consoleUrl, {});
  await signIn.page.goto(service.consoleUrl);
  await signIn.page.getByText('Your passkey opens a session').waitFor();
  await picture(signIn, 'sign-in');
  await signIn.page.goto(service.setupLink);
  await signIn.page.getByLabel('Passkey name').waitFor();
  await picture(signIn, 'setup');
  await fill(service.root, (what) => what);
  await service.root.result('updateOrganizationName', { organizationName: 'Northwind' });
  await storeSecret();
  const { userId } = await service.root.data('whoami', {});
  await service.root.result('updateUserName', { userId, userName: 'Ann' });
  const ask = async () => {
    await chain.fundFirstWallet(service.root);
    await askOnSendPage(ann, 'Acme', '25000');
  };
  await foundTreasury(ann, bob, service, { step, rootName: 'Ann', ask });
  await step('Bob opens the request', () => openRequest(bob, /25,000 USDC/));
  await picture(bob, 'approval-phone');
  await visit(ann, '/approvals');
  await ann.page.getByRole('tab', { name: /For others/ }).click();
  await ann.page.getByRole('link', { name: /25,000 USDC/ }).click();
  await step('Bob types the amount and approves', () => approve(bob));
  await ann.page.getByText('Completed', { exact: true }).first().waitFor();
  await ann.page.getByRole('link', { name: 'Open the activity' }).click();
  await step('Ann sees it paid', () => ann.page.getByText('Paid: the transaction is final.').waitFor());
  await step('Ann checks the proof in her browser', async () => {
    await ann.page.getByRole('button', { name: 'Verify in this browser' }).click();
    await ann.page.getByText('Included', { exact: true }).waitFor();
  });
  await ann.page.getByText('Included', { exact: true }).scrollIntoViewIfNeeded();
  await picture(ann, 'activity');
  await askForPayment(ann, usdcPayment(32_500n, 1n));
  await visit(bob, '/approvals');
  await picture(bob, 'inbox-phone');
  for (const page of consolePages) await pictures(ann, page);
  await bob.page.setViewportSize(sizes.desk);
  await openRequest(bob, /32,500 USDC/);
  await picture(bob, 'approval');
  if (given === undefined) writeFileSync(new URL('../../../docs/console-walk.md', import.meta.url), walk.markdown());
} finally {
  await browser.close();
  await service.close();
  await chain.stop();
}

async function storeSecret(): Promise<void> {
  const { root } = service;
  const { enclaveTargetMessages } = await root.result('initImportSecrets', { encryptionSuite: SUITE, numSecrets: 1 });
  const properties = { name: 'Ledger database', staticProperties: [{ key: 'environment', value: 'production' }] };
  await root.result('importSecrets', { secrets: [await sealTo(root, enclaveTargetMessages[0], 'a password', properties)] });
}

async function pictures(person: Person, page: (typeof consolePages)[number]): Promise<void> {
  const wanted: readonly Size[] = given === undefined ? ['desk'] : ['desk', 'phone'];
  for (const size of wanted) {
    await person.page.setViewportSize(sizes[size]);
    await openPage(person, page);
    await atWork[page.name]?.(person);
    await picture(person, size === 'desk' ? page.name : `${page.name}-phone`);
  }
  await person.page.setViewportSize(sizes.desk);
}

async function picture({ page }: Person, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(400);
    const path = join(folder, `console-${name}-${colorScheme}`);
    if (given === undefined) await writePicture(page, painter, `${path}.webp`);
    else await page.screenshot({ path: `${path}.png`, fullPage: true, animations: 'disabled' });
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}
