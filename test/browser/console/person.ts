import type { Browser, BrowserContext, Page } from 'playwright-core';
import { authenticatorKinds } from '../browser/passkey-browser.ts';

/** The sizes that every test runs at: a phone and a desk. */
export const sizes = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } } as const;

export type Size = keyof typeof sizes;

/** A person with a browser and a passkey device of their own. */
export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser refused because of the Content-Security-Policy, and errors that no script caught. */
  readonly faults: string[];
  /** Requests to another origin than the console’s. */
  readonly foreign: string[];
  /** The number of passkeys on the device. */
  passkeys(): Promise<number>;
}

interface PersonOptions {
  readonly size?: Size;
  readonly dark?: boolean;
  /** Whether the browser may keep the files of the console, to open it without a network. */
  readonly keepsFiles?: boolean;
}

/** Opens a browser for somebody. Whatever goes wrong in it is written down. */
export async function openPerson(
  browser: Browser,
  consoleUrl: string,
  { size = 'desk', dark = false, keepsFiles = false }: PersonOptions = {},
): Promise<Person> {
  const context = await browser.newContext({
    viewport: sizes[size],
    colorScheme: dark ? 'dark' : 'light',
    isMobile: size === 'phone',
    hasTouch: size === 'phone',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    // What a worker fetches cannot be looked at or altered by a test.
    serviceWorkers: keepsFiles ? 'allow' : 'block',
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(consoleUrl).origin });
  const page = await context.newPage();
  const faults: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  const { origin } = new URL(consoleUrl);
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) foreign.push(request.url());
  });
  return { page, context, faults, foreign, passkeys: await addAuthenticator(context, page) };
}

/** Gives a page a passkey device. Returns a function that counts the passkeys on it. */
export async function addAuthenticator(context: BrowserContext, page: Page): Promise<Person['passkeys']> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable', { enableUI: false });
  const options = { ...authenticatorKinds.platform, automaticPresenceSimulation: true };
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
  return async () => (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length;
}
