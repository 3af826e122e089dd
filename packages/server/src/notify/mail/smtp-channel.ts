import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../../config/config-error.ts';
import type { Config } from '../../config/settings.ts';
import { isLoopbackHost } from '../../network/public-address.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Channel, OutgoingMail } from './channel.ts';
import { parseMailFrom } from './mail-address.ts';

type SmtpSettings = Pick<Config, 'smtpUrl' | 'smtpUser' | 'smtpPassword' | 'smtpAllowPlain' | 'mailFrom'>;

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
/** INVARIANT: well below the duration of a claim, so that a slow server does not make two nodes send the same mail. */
const WHOLE_MS = 60_000;
/** One per message of a mailer's batch: a mail that waits for a connection could outlast its claim. */
const CONNECTIONS = 8;

/** Sends mail through an SMTP server. Undefined if none is configured. Throws ConfigError for settings that contradict each other. */
export function smtpChannel(settings: SmtpSettings): Channel<OutgoingMail> | undefined {
  if (settings.smtpUrl === undefined) return undefined;
  if (settings.mailFrom === undefined) {
    throw new ConfigError(
      'A mail server is configured, but no sender.',
      'Set COUNTERSIGN_MAIL_FROM, for example to "Countersign <no-reply@example.com>".',
    );
  }
  const from = parseMailFrom(settings.mailFrom);
  const options = {
    ...connection(settings.smtpUrl, settings),
    pool: true,
    maxConnections: CONNECTIONS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // SECURITY: nothing in a mail can make the mailer read a file or fetch an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  } as const;
  // Loaded only if a mail server is configured.
  const transport = import('nodemailer').then(({ createTransport }) => createTransport(options));

  return {
    async send({ id, to, sender, subject, text, html }) {
      const address = sender.address ?? from.address;
      const name = sender.name ?? (sender.address === undefined ? from.name : '');
      const sending = (await transport).sendMail({
        from: { name, address },
        to: { name: '', address: to },
        ...(sender.replyTo !== undefined && { replyTo: { name: '', address: sender.replyTo } }),
        subject,
        text,
        html,
        // Stable across attempts, so that a mail client recognizes a duplicate.
        messageId: `<${id}${address.slice(address.lastIndexOf('@'))}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
      const sent = sending.then(() => true);
      const inTime = await Promise.race([sent, sleep(WHOLE_MS, false, { ref: false })]).catch((error: unknown) => {
        throw toDeliveryError(error);
      });
      if (inTime) return;
      // The attempt timed out: ignore its outcome.
      sent.catch(() => undefined);
      throw new DeliveryError('the mail server timed out', false);
    },
    close: async () => (await transport).close(),
  };
}

function connection(smtpUrl: string, { smtpUser, smtpPassword, smtpAllowPlain }: SmtpSettings) {
  const url = parseUrl(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const local = isLoopbackHost(url.hostname);
  const user = smtpUser ?? decodeURIComponent(url.username);
  const pass = smtpPassword ?? decodeURIComponent(url.password);
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !local && !smtpAllowPlain,
    // Loopback traffic cannot be intercepted, and local servers use self-signed certificates.
    tls: { minVersion: 'TLSv1.2' as const, rejectUnauthorized: !local },
    ...(user !== '' && { auth: { user, pass } }),
  };
}

function parseUrl(text: string): URL {
  try {
    const url = new URL(text);
    if (url.hostname !== '') return url;
  } catch {
    // SECURITY: the parser's error quotes its whole input, password included. Drop it.
  }
  throw new ConfigError('COUNTERSIGN_SMTP_URL cannot be read.', 'Write it as smtp://host:587 or smtps://host.');
}

/**
 * SECURITY: the response of a server often repeats the rejected address. Keep only codes: nodemailer's, the reply code, and the enhanced
 * status code (RFC 3463).
 */
function toDeliveryError(error: unknown): DeliveryError {
  const { code = 'EUNKNOWN', command = '', responseCode, response = '' } = error as SmtpError;
  const status = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(response)?.[0];
  const words = [code, command, responseCode, status].filter((word) => word !== undefined && word !== '');
  // A rejected login is a configuration error, not an error of the message.
  const about = code === 'EENVELOPE' || code === 'EMESSAGE';
  // SECURITY: D1007: organizations learn what the server said about their mail, and nothing about the operator's login or network.
  const codes = [responseCode, status].filter((word) => word !== undefined);
  const isAboutMail = about && responseCode !== undefined;
  return new DeliveryError(
    `the mail server rejected it: ${words.join(' ')}`,
    isAboutMail && responseCode >= 500,
    isAboutMail ? `smtp; ${codes.join(' ')}` : 'the mail server takes no mail now',
  );
}

interface SmtpError {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}
