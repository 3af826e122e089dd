import type { Config } from '../../config/settings.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import { parseMessage } from './message.ts';
import { type MailStyle, renderMail } from './render-mail.ts';
import { renderSms } from './render-sms.ts';

/** Whether messages without a channel stay in the development mailbox: only if no mail server is configured. */
export function isDevelopment({ smtpUrl }: Pick<Config, 'smtpUrl'>): boolean {
  return smtpUrl === undefined;
}

/** The number of messages that the development mailbox keeps. */
export const MAILBOX_SIZE = 100;

/** A message in the development mailbox, as its receiver would see it. */
export interface MailboxEntry {
  readonly id: string;
  readonly organizationId: string;
  readonly channel: 'EMAIL' | 'SMS';
  readonly purpose: string;
  readonly to: string;
  readonly deliveredAtMs: number;
  readonly expiresAtMs: number;
  /** The bundle, code or key in the message. */
  readonly secret: string;
  /** Empty for a text message. */
  readonly subject: string;
  readonly text: string;
  /** Absent for a text message. */
  readonly html?: string;
}

/**
 * The messages of the development mailbox, newest first. Skips messages that cannot be decrypted.
 * SECURITY: the result contains credentials. It requires an open vault, and therefore the root key.
 */
export async function readMailbox(
  outbox: Store['outbox'],
  vault: Pick<Vault, 'outbox'>,
  style: MailStyle,
  limit: number = MAILBOX_SIZE,
): Promise<MailboxEntry[]> {
  const entries = (await outbox.list('kept', limit)).map(async (row): Promise<MailboxEntry | undefined> => {
    const { id, organizationId, dueAtMs } = row;
    const opened = await vault.outbox.open(organizationId, id, row.ciphertext).catch(() => undefined);
    if (opened === undefined) return undefined;
    const message = parseMessage(opened);
    if (message.channel === 'PUSH') return undefined;
    const { channel, purpose, to, secret, expiresAtMs } = message;
    const base = { id, organizationId, channel, purpose, to, deliveredAtMs: dueAtMs, expiresAtMs, secret };
    if (channel === 'SMS') return { ...base, subject: '', text: renderSms(message, style.appName) };
    return { ...base, ...renderMail(message, style) };
  });
  return (await Promise.all(entries)).filter((entry) => entry !== undefined);
}
