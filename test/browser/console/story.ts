import type { Page } from 'playwright-core';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import type { ConsoleService } from './console-service.ts';
import type { Person } from './person.ts';

/** The contract of USDC on Ethereum, and an address that nobody has the key of. */
export const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
export const ACME = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** An unsigned transfer of USDC, in hexadecimal. */
export function usdcPayment(units: bigint, nonce = 0n): string {
  const word = (digits: string) => digits.padStart(64, '0');
  const data = `0xa9059cbb${word(ACME.slice(2).toLowerCase())}${word((units * 1_000_000n).toString(16))}`;
  return ethereumTransaction({ to: USDC, value: 0n, data, nonce });
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const dialog = (page: Page) => page.getByRole('dialog');

/** Goes to a page of the console. */
export async function visit({ page }: Person, route: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, route);
}

/** Waits until the service has told that something was done, and closes the message. */
export async function told({ page }: Person, text: string | RegExp): Promise<void> {
  const message = page.getByRole('region', { name: 'Notifications' }).getByText(text).first();
  await message.waitFor();
  await page.getByRole('region', { name: 'Notifications' }).getByRole('button', { name: 'Dismiss' }).first().click();
}

/** First start: the printed link makes the first passkey and signs in. */
export async function setUp(ann: Person, service: ConsoleService): Promise<void> {
  await ann.page.goto(service.setupLink);
  await ann.page.getByLabel('Passkey name').fill('Ann’s phone');
  await button(ann.page, 'Create a passkey').click();
  await ann.page.getByText('Latest activities').waitFor();
}

export async function createWallet(ann: Person, name: string): Promise<void> {
  await visit(ann, '/wallets');
  await button(ann.page, 'New wallet').first().click();
  await dialog(ann.page).getByLabel('Name').fill(name);
  await dialog(ann.page).getByRole('button', { name: 'New wallet' }).click();
  await told(ann, 'The wallet was created.');
}

export async function createContact(ann: Person, label: string, address: string, tag: string): Promise<void> {
  await visit(ann, '/contacts');
  await button(ann.page, 'New contact').first().click();
  const form = dialog(ann.page);
  await form.getByLabel('Name').fill(label);
  await form.getByLabel('Address').fill(address);
  await form.getByLabel(/^Tags/).fill(tag);
  await form.getByRole('button', { name: 'New contact' }).click();
  await told(ann, 'The contact was added.');
}

/** Invites somebody and returns the link in the mail. */
export async function invite(ann: Person, service: ConsoleService, name: string, email: string): Promise<string> {
  await visit(ann, '/people');
  await button(ann.page, 'Invite').first().click();
  const form = dialog(ann.page);
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Email', { exact: true }).fill(email);
  await form.getByRole('button', { name: 'Invite' }).click();
  await told(ann, 'The invitation was sent.');
  const route = /\/console\/(#\/accept[^"\s\\<]*)/.exec(await service.newestMail())?.[1];
  if (route === undefined) throw new Error('the mail has no link to the console');
  // The command that shows the mail does not know the port that the service picked.
  return service.consoleUrl + route.replaceAll('&amp;', '&');
}

export async function acceptInvitation(bob: Person, link: string): Promise<void> {
  await bob.page.goto(link);
  await bob.page.getByLabel('Passkey name').fill('Bob’s phone');
  await button(bob.page, 'Accept with a passkey').click();
  await bob.page.getByText('Latest activities').waitFor();
}

export async function createTag(ann: Person, name: string, members: readonly string[]): Promise<void> {
  await visit(ann, '/people');
  await button(ann.page, 'New tag').click();
  await dialog(ann.page).getByLabel('Tag name').fill(name);
  for (const member of members) await dialog(ann.page).getByLabel(member, { exact: true }).check();
  await dialog(ann.page).getByRole('button', { name: 'Save' }).click();
  await told(ann, 'The tag was created.');
}

/** Two of a tag may pay contacts with a tag in USDC, up to an amount: by the form, not by text. */
export async function createPaymentPolicy(ann: Person, name: string, tag: string, most: string): Promise<void> {
  const { page } = ann;
  await visit(ann, '/policies/new');
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Recipients').selectOption({ label: 'contacts tagged vendors' });
  await page.getByLabel('Maximum per payment').fill(most);
  await page.getByLabel('From people with the tag').selectOption({ label: tag });
  await page.getByText('No problem found').waitFor();
  await button(page, 'Save policy').click();
  await told(ann, 'The policy is active.');
}

export async function shareQuorum(ann: Person, other: string): Promise<void> {
  await visit(ann, '/people');
  await ann.page.getByRole('region', { name: 'Root quorum' }).getByRole('button', { name: 'Change' }).click();
  await dialog(ann.page).getByLabel(other, { exact: true }).check();
  await dialog(ann.page).getByLabel('Required approvals').selectOption('2');
  await dialog(ann.page).getByRole('button', { name: 'Save' }).click();
  await told(ann, 'The root quorum was changed.');
}

/** Asks for a payment at the bench. It then waits for somebody else. */
export async function askForPayment(ann: Person, transaction: string): Promise<void> {
  const { page } = ann;
  await visit(ann, '/sign');
  await page.getByLabel('Unsigned transaction').fill(transaction);
  await page.getByText(/^send .* USDC to/).waitFor();
  await button(page, 'Sign').click();
  await told(ann, /Approval by others is pending/);
}

/** Asks for a payment of USDC with the form. It then waits for somebody else. */
export async function askOnSendPage(person: Person, contact: string, amount: string): Promise<void> {
  const { page } = person;
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await visit(person, '/send');
  await field('Network').selectOption({ label: 'Ethereum' });
  await field('Recipient').fill(contact.toLowerCase());
  await button(page, contact).click();
  await field('Asset').selectOption({ label: 'USDC' });
  await field('Amount').fill(amount);
  await page.getByText(/^send .* USDC to/).waitFor();
  await button(page, 'Submit').click();
  await told(person, 'Sent. Approval by others is pending.');
}

export async function openRequest(bob: Person, text: string | RegExp): Promise<void> {
  await visit(bob, '/approvals');
  // The overview, where a person may come from, names the same request and leads to its activity.
  const toApproval = bob.page.locator('a[href*="/approvals/"]');
  await bob.page.getByRole('link', { name: text }).and(toApproval).first().click();
  await bob.page.getByText('Decoded and verified in this browser').waitFor();
}

export async function approve(bob: Person): Promise<void> {
  await button(bob.page, 'Approve').click();
  await confirmStep(bob);
  await told(bob, /^Approved/);
}

/** Types what the second step of an approval asks for, if there is one. */
export async function confirmStep({ page }: Person): Promise<void> {
  const field = dialog(page).getByLabel(/to approve$/);
  const message = page.getByRole('region', { name: 'Notifications' }).getByText(/^Approved/);
  await field.or(message).first().waitFor();
  if (!(await field.isVisible())) return;
  const label = await field.evaluate((input: HTMLInputElement) => input.labels?.[0]?.textContent ?? '');
  await field.fill(/^Type the amount, (.+), to approve$/.exec(label)?.[1] ?? 'approve');
  await dialog(page).getByRole('button', { name: 'Approve' }).click();
}

interface Story {
  readonly step?: Step;
  /** The name of the first person. */
  readonly rootName?: string;
  /** How the payment is asked for. */
  readonly ask?: (ann: Person) => Promise<void>;
}

/** The whole story up to a payment that waits for Bob. */
export async function foundTreasury(ann: Person, bob: Person, service: ConsoleService, story: Story = {}): Promise<void> {
  const { step = (_, run) => run(), rootName = 'Root user', ask = () => askForPayment(ann, usdcPayment(25_000n)) } = story;
  await step('Ann opens the printed link and makes her passkey', () => setUp(ann, service));
  await step('Ann makes a wallet', () => createWallet(ann, 'Treasury'));
  await step('Ann adds Acme to the contacts', () => createContact(ann, 'Acme', ACME, 'vendors'));
  const link = await step('Ann invites Bob', () => invite(ann, service, 'Bob', 'bob@example.com'));
  await step('Bob accepts with a passkey', () => acceptInvitation(bob, link));
  await step('Ann tags both as treasurers', () => createTag(ann, 'Treasurers', [rootName, 'Bob']));
  await step('Ann writes the payment policy with the form', () => createPaymentPolicy(ann, 'Pay vendors', 'Treasurers', '50000'));
  await step('Ann shares the root quorum with Bob', () => shareQuorum(ann, 'Bob'));
  await step('Ann asks for 25,000 USDC to Acme', () => ask(ann));
}

/** Runs a part of the story, and may take its time. */
export type Step = <Result>(what: string, run: () => Promise<Result>) => Promise<Result>;
