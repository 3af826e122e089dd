import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { link, nonceFor } from '../../features/sign-in/oidc-support.ts';
import { codeIn, wrong } from '../../features/sign-in/otp-support.ts';
import { REAL_CLIENT_ID, type RealIssuer, startRealIssuer } from '../../features/sign-in/real-issuer.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { userParams } from '../../support/world.ts';
import { seriousFaults } from './axe.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { setUp, told, visit } from './story.ts';

const BOB = 'bob@example.com';

describe('signing in without a passkey', () => {
  let browser: Browser;
  let issuer: RealIssuer;
  let service: ConsoleService;
  let ann: Person;
  let bob: Person;

  const setting = () => ann.page.getByRole('region', { name: 'Sign-in without a passkey' });
  const isIn = () => bob.page.getByText('Latest activities').waitFor();
  const otherWays = () => bob.page.getByRole('region', { name: 'Other sign-in methods' });
  const signInLink = () => `${service.consoleUrl}#/sign-in?organization=${service.root.organizationId}`;

  beforeAll(async () => {
    [browser, issuer] = await Promise.all([startChromium(), startRealIssuer()]);
    const trusted = {
      issuer: issuer.url,
      audiences: [REAL_CLIENT_ID],
      allowPrivateAddress: true,
      authorizationEndpoint: `${issuer.url}/auth`,
    };
    service = await startConsoleService({ COUNTERSIGN_OIDC_ISSUERS: JSON.stringify([trusted]) });
    const { root } = service;
    const { userIds } = await root.result('createUsers', { users: [{ ...userParams(), userName: 'Bob', userEmail: BOB }] });
    await link(root, userIds[0], await issuer.idToken('bob-at-the-issuer', nonceFor(root.key.publicKey)));
    issuer.person = 'bob-at-the-issuer';
    ann = await openPerson(browser, service.consoleUrl);
    bob = await openPerson(browser, service.consoleUrl);
    await setUp(ann, service);
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await issuer?.close();
  });

  test('root turns it on in the settings, with a passkey', async () => {
    await bob.page.goto(signInLink());
    await otherWays().getByText('with passkeys only').waitFor();
    await visit(ann, '/settings');
    await setting().getByRole('button', { name: 'Turn on' }).click();
    await told(ann, 'People can now sign in without a passkey.');
    await setting().getByText('on', { exact: true }).waitFor();
  });

  test('a person signs in by a code from a mail, and out', async () => {
    await bob.page.reload();
    await otherWays().getByLabel('Email', { exact: true }).fill(BOB);
    await otherWays().getByRole('button', { name: 'Send me a code' }).click();
    const field = otherWays().getByLabel('Code from the email');
    await field.waitFor();
    const code = await mailedCode();
    await field.fill(wrong(code));
    await otherWays().getByRole('button', { name: 'Sign in with the code' }).click();
    await otherWays().getByText('Invalid OTP code').waitFor();
    await field.fill(code);
    await otherWays().getByRole('button', { name: 'Sign in with the code' }).click();
    await isIn();
    await visit(bob, '/me');
    await bob.page.getByText('Approvals are stamped with this session').waitFor();
    await signOut();
  });

  test('the same person signs in by an issuer, and no token is left in the address', async () => {
    // The organization is remembered.
    await otherWays()
      .getByRole('button', { name: `Continue with ${new URL(issuer.url).host}` })
      .click();
    await isIn();
    expect(bob.page.url()).not.toContain('token');
    await bob.page.goBack();
    expect(bob.page.url()).not.toContain('token');
    expect(issuer.requests.some((path) => path.startsWith('/auth'))).toBe(true);
    expect(bob.faults).toEqual([]);
    // Whoever is sent to another site goes there by themselves: the page asks it for nothing.
    expect(
      bob.foreign.filter((url) => !url.startsWith(`${issuer.url}/auth`) && !url.startsWith(`${issuer.url}/interaction/`)),
    ).toEqual([]);
  });

  const accounts = () => ann.page.getByRole('region', { name: 'Linked accounts' });
  const linkButton = () => accounts().getByRole('button', { name: `Link an account at ${new URL(issuer.url).host}` });

  test('a person links an account at an issuer with a passkey, and removes it', async () => {
    issuer.person = 'ann-at-the-issuer';
    await visit(ann, '/me');
    await accounts().getByText('No other account signs you in.').waitFor();
    expect(await seriousFaults(ann)).toEqual([]);
    await linkButton().click();
    await ann.page.getByRole('dialog').getByText('is signed in here as you').waitFor();
    expect(ann.page.url()).not.toContain('token');
    await ann.page.getByRole('dialog').getByRole('button', { name: 'Link an account' }).click();
    await told(ann, 'The account was linked.');
    await accounts().getByText('ann-at-the-issuer').waitFor();
    await accounts().getByRole('button', { name: 'Remove' }).click();
    await ann.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await told(ann, 'The link was removed.');
    expect(ann.foreign.filter((url) => !url.startsWith(issuer.url))).toEqual([]);
    ann.foreign.length = 0;
  });

  test('D996: a response that this person did not ask for links nothing, also with the state of another request', async () => {
    const { root } = service;
    const { userId } = await root.data('whoami');
    const { authenticators } = await root.data('getAuthenticators', { userId });
    const token = await issuer.idToken('attacker', nonceFor(authenticators[0].credentialId));
    // Ann left for the issuer, and did not arrive.
    await ann.page.route(`${issuer.url}/**`, (route) => route.abort());
    await visit(ann, '/me');
    await linkButton().click();
    await expect.poll(() => ann.page.url(), { timeout: 20_000 }).toMatch(/^chrome-error:/);
    await ann.page.goto('about:blank');
    await ann.page.goto(`${service.consoleUrl}#id_token=${token}&state=link.${'0'.repeat(64)}`);
    await ann.page.getByText('does not belong to a sign-in that this browser started').waitFor();
    expect(ann.page.url()).not.toContain('token');
    expect(await ann.page.getByRole('dialog').count()).toBe(0);
    await ann.page.unrouteAll({ behavior: 'ignoreErrors' });
    ann.foreign.length = 0;
    await visit(ann, '/settings');
  });

  test('D218: an answer that this browser did not ask for signs nobody in', async () => {
    const carol = await openPerson(browser, service.consoleUrl);
    const idToken = await issuer.idToken('bob-at-the-issuer', 'any');
    await carol.page.goto(`${service.consoleUrl}#id_token=${idToken}&state=${'0'.repeat(64)}`);
    await carol.page.getByText('does not belong to a sign-in that this browser started').waitFor();
    expect(carol.page.url()).not.toContain('token');
    await carol.context.close();
  });

  test('root turns it off', async () => {
    await setting().getByRole('button', { name: 'Turn off' }).click();
    await ann.page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await told(ann, 'Sign-in without a passkey is off.');
    const carol = await openPerson(browser, service.consoleUrl);
    await carol.page.goto(signInLink());
    await carol.page.getByText('with passkeys only').waitFor();
    await carol.context.close();
    expect(ann.faults).toEqual([]);
    expect(ann.foreign).toEqual([]);
  });

  /** The code of the one mail that was sent. It may still be on its way. */
  async function mailedCode(): Promise<string> {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
      const [mail] = JSON.parse(await service.newestMail()).entries;
      if (mail !== undefined) return codeIn(mail.text);
    }
    throw new Error('no mail came');
  }

  async function signOut(): Promise<void> {
    await bob.page.getByRole('button', { name: 'Sign out' }).first().click();
    await bob.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  }
});
