import { setTimeout as sleep } from 'node:timers/promises';
import { ApiKeyStamper, CountersignError, createClient, generateApiKey, loginCode, loginLink } from '@countersign/client';
import type { Context } from './context.ts';
import { CliError } from './errors.ts';
import { paintFor } from './terminal.ts';

/** Where to log in. */
export interface BrowserLogin {
  readonly baseUrl: string;
  readonly organizationId: string;
  /** Address of the console, if the service does not report it. */
  readonly consoleUrl?: string | undefined;
}

/** Interval at which the service is polled for the key. */
const POLL_MS = 2000;
/** Timeout of the login. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Creates a key, shows a link to the console and a code, and waits until the person authorizes the key there with their passkey.
 * SECURITY: D225: the private key never leaves this process. The link contains only the public half, and the code shows whether the page
 * has the same one. Throws CliError on timeout.
 */
export async function logInByBrowser(context: Context, { baseUrl, organizationId, consoleUrl }: BrowserLogin) {
  const { apiPublicKey, apiPrivateKey } = generateApiKey();
  const request = { organizationId, publicKey: apiPublicKey };
  const link = loginLink(consoleUrl ?? (await consoleOf(baseUrl)), request);
  const paint = paintFor(context, context.stderr);
  context.stderr.write(
    `Open this link in a browser, on any machine:\n  ${link}\n\n` +
      `Authorize the key only if the page shows this code: ${paint('bold', loginCode(request))}\n` +
      `${paint('cyan', 'Waiting')} for authorization. Ctrl-C stops.\n`,
  );
  const client = createClient({ baseUrl, organizationId, stamper: new ApiKeyStamper({ apiPublicKey, apiPrivateKey }) });
  let isStopped = false;
  const stop = context.untilStopped().then(() => {
    isStopped = true;
  });
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (!isStopped && performance.now() < deadlineMs) {
    const person = await client.whoami().catch(ignoreUnknownKey);
    // SECURITY: D225: the owner of a sub-organization can authorize the key there. The user would then act there unknowingly.
    if (person !== undefined && person.organizationId !== organizationId)
      throw new CliError(
        `The key was authorized in another organization, ${person.organizationId}.`,
        'Run the command again, and do not share its link.',
      );
    if (person !== undefined) return { credentials: { organizationId, apiPublicKey, apiPrivateKey, baseUrl }, person };
    await Promise.race([stop, sleep(POLL_MS)]);
  }
  throw new CliError('The key was not authorized in time.', 'Run the command again, and open its new link.');
}

/** The service does not know an unauthorized key, or denies it. Rethrows any other error. */
function ignoreUnknownKey(error: unknown): undefined {
  if (error instanceof CountersignError && (error.status === 401 || error.status === 403 || error.status === 404)) return;
  throw error;
}

/** Address of the console, as the service's front page reports it. Passkeys need a host name, so a loopback address becomes `localhost`. */
async function consoleOf(baseUrl: string): Promise<string> {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const places = await fetch(base, { headers: { Accept: 'application/json' } })
    .then(async (answer) => (answer.ok ? ((await answer.json()) as { console?: unknown }) : {}))
    .catch((cause: Error) => {
      throw new CliError(`${base.origin} does not respond.`, 'Check the address, and that the service is running.', { cause });
    });
  if (typeof places.console !== 'string')
    throw new CliError('The service has no console at this address.', 'Pass the address of the console with --console.');
  const url = new URL(places.console, base);
  // SECURITY: the front page is not stamped. It may name a path on this service, not another origin.
  if (url.origin !== base.origin)
    throw new CliError('The service reports a console at another origin.', 'Pass the address of the console with --console.');
  if (['127.0.0.1', '[::1]'].includes(url.hostname)) url.hostname = 'localhost';
  return url.href;
}
