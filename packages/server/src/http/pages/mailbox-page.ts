import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/settings.ts';
import { isLoopbackHost } from '../../network/public-address.ts';
import { mailStyle } from '../../notify/mail/mail-style.ts';
import { isDevelopment, readMailbox } from '../../notify/mail/mailbox.ts';
import { renderMailbox } from '../../notify/mail/render-mailbox.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Page } from './page.ts';

/** The path of the development mailbox page. */
export const MAILBOX_PATH = '/dev/mail';

/**
 * Whether this server has the page at all: only without a mail server, and only if no other machine can ask for it.
 * SECURITY: the page shows credentials. So it also needs a token that only the holder of the root key can compute: neither other
 * users of the machine nor a web site that the developer visits can read the page. And it needs a host name of this machine,
 * against a DNS name that was made to point here.
 */
export function offersMailboxPage(config: Pick<Config, 'smtpUrl' | 'host'>): boolean {
  return isDevelopment(config) && isLoopbackHost(config.host);
}

/** The address of the page with its token. */
export function mailboxUrl(baseUrl: string, token: string): string {
  return `${baseUrl}${MAILBOX_PATH}?token=${token}`;
}

const headers = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

/** Answers requests for the page. */
export function mailboxPage(
  config: Config,
  { store, vault }: Pick<PipelineServices, 'store' | 'vault'>,
): (request: IncomingMessage) => Promise<Page> {
  const style = mailStyle(config);
  return async (request) => {
    const asked = new URL(request.url ?? '/', 'http://localhost').searchParams;
    if (!isLocalName(request.headers.host) || !isToken(asked.get('token') ?? '', vault.integrity.mailboxToken)) {
      const body = "This page needs a token. 'countersign mail' prints the full address.\n";
      return { status: 403, contentType: 'text/plain; charset=utf-8', body, headers };
    }
    const entries = await readMailbox(store.outbox, vault, style);
    const selected = entries.find(({ id }) => id === asked.get('id')) ?? entries[0];
    const href = (id: string) => `${MAILBOX_PATH}?token=${vault.integrity.mailboxToken}&id=${encodeURIComponent(id)}`;
    return {
      status: 200,
      contentType: 'text/html; charset=utf-8',
      body: renderMailbox(entries, selected, href).toString(),
      headers,
    };
  };
}

function isLocalName(host: string | undefined): boolean {
  return host !== undefined && URL.canParse(`http://${host}`) && isLoopbackHost(new URL(`http://${host}`).hostname);
}

function isToken(given: string, token: string): boolean {
  return macsEqual(Buffer.from(given), Buffer.from(token));
}
