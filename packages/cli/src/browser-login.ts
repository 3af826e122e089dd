import { setTimeout as sleep } from 'node:timers/promises';
import { ApiKeyStamper, CountersignError, createClient, generateApiKey, loginCode, loginLink } from '@countersign/client';
import type { Context } from './context.ts';
import { CliFault } from './faults.ts';
import { paintFor } from './terminal.ts';

/** Where to log in. */
export interface BrowserLogin {
  readonly baseUrl: string;
  readonly organizationId: string;
  /** The address of the console, where the service does not tell it. */
  readonly consoleUrl?: string | undefined;
}

/** How often to ask whether the key was let in. */
const POLL_MS = 2000;
/** How long to wait for the person. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Makes a key, shows a link to the console and a code, and waits until the person has let the key in there with their passkey.
 * SECURITY: D225: the private key never leaves this process; the link has the public half alone, and the code tells whether the page
 * shows the same one. Throws CliFault if nobody does so in time.
 */
export async function logInByBrowser(context: Context, { baseUrl, organizationId, consoleUrl }: BrowserLogin) {
  const { apiPublicKey, apiPrivateKey } = generateApiKey();
  const request = { organizationId, publicKey: apiPublicKey };
  const link = loginLink(consoleUrl ?? (await consoleOf(baseUrl)), request);
  const paint = paintFor(context, context.stderr);
  context.stderr.write(
    `Open this link in a browser, on any machine:\n  ${link}\n\n` +
      `Let the key in only if the page shows this code: ${paint('bold', loginCode(request))}\n` +
      `${paint('cyan', 'Waiting')} for it. Ctrl-C stops.\n`,
  );
  const client = createClient({ baseUrl, organizationId, stamper: new ApiKeyStamper({ apiPublicKey, apiPrivateKey }) });
  let isStopped = false;
  const stop = context.untilStopped().then(() => {
    isStopped = true;
  });
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!isStopped && performance.now() < deadlineMs) {
    const person = await client.whoami().catch(stillUnknown);
    // SECURITY: D225: the owner of a sub-organization can let the key in there. Somebody would then act there and not know it.
    if (person !== undefined && person.organizationId !== organizationId)
      throw new CliFault(
        `The key was let in to another organization, ${person.organizationId}.`,
        'Run the command again, and hand its link to nobody else.',
      );
    if (person !== undefined) return { credentials: { organizationId, apiPublicKey, apiPrivateKey, baseUrl }, person };
    await Promise.race([stop, sleep(POLL_MS)]);
  }
  throw new CliFault('Nobody let the key in.', 'Run the command again, and open its new link.');
}

/** Until the person has let it in, the service does not know the key, or refuses it. Anything else is an error. */
function stillUnknown(error: unknown): undefined {
  if (error instanceof CountersignError && (error.status === 401 || error.status === 403 || error.status === 404)) return;
  throw error;
}

/** The address of the console, as the service's first page tells it. Passkeys need a name, so the machine itself is `localhost`. */
async function consoleOf(baseUrl: string): Promise<string> {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const places = await fetch(base, { headers: { Accept: 'application/json' } })
    .then(async (answer) => (answer.ok ? ((await answer.json()) as { console?: unknown }) : {}))
    .catch((cause: Error) => {
      throw new CliFault(`${base.origin} does not answer.`, 'Check the address, and that the service runs.', { cause });
    });
  if (typeof places.console !== 'string')
    throw new CliFault('The service serves no console at this address.', 'Name the address of the console with --console.');
  const url = new URL(places.console, base);
  // SECURITY: the first page is not stamped. It may say where on this service the console is, not send people elsewhere.
  if (url.origin !== base.origin)
    throw new CliFault('The service names a console at another address.', 'Name the address of the console with --console.');
  if (['127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost';
  return url.href;
}
