import { z } from 'zod';
import { ConfigError } from '../../config/config-error.ts';
import type { Limits } from '../../config/limits.ts';

/** An address and its display name. */
export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

const NAMED = /^\s*"?([^"<>]*?)"?\s*<([^<>\s]+)>\s*$/;

/** Reads `name@domain` or `Name <name@domain>`. Throws ConfigError. */
export function parseMailFrom(text: string): MailAddress {
  const named = NAMED.exec(text);
  const address = named?.[2] ?? text.trim();
  if (!z.email().safeParse(address).success) {
    throw new ConfigError(
      'COUNTERSIGN_MAIL_FROM is not a valid sender address.',
      'Write it as name@domain or Name <name@domain>.',
    );
  }
  return { name: named?.[1] ?? '', address };
}

const domainOf = (address: string) => address.slice(address.lastIndexOf('@')).toLowerCase();

/**
 * Whether a request may name this address as the sender: it is in the operator's domain, or the operator lists it. The development mailbox
 * sends nothing, so it allows any address.
 * SECURITY: otherwise every organization could send mail under a false name through the operator's mail server.
 */
export function maySendFrom(
  { sendsMail, mailFrom, mailSenders }: Pick<Limits, 'sendsMail' | 'mailFrom' | 'mailSenders'>,
  address: string,
): boolean {
  if (!sendsMail) return true;
  const allowed = new Set(mailSenders.map((each) => each.toLowerCase()));
  if (mailFrom !== undefined) allowed.add(domainOf(parseMailFrom(mailFrom).address));
  return allowed.has(address.toLowerCase()) || allowed.has(domainOf(address));
}
