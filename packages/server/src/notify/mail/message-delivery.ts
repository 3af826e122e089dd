import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import type { OutboxRow, OutboxState } from '../../store/rows.ts';
import type { ClaimOutcome, Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import { backOffMs } from '../delivery/back-off.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Channel, OutgoingMail, OutgoingSms, PushChannel } from './channel.ts';
import { type MailEventType, recordMailEvent } from './mail-events.ts';
import { MAILBOX_SIZE } from './mailbox.ts';
import { type Message, type PushMessage, parseMessage } from './message.ts';
import { type MailStyle, renderMail } from './render-mail.ts';
import { renderSms } from './render-sms.ts';

/** The outcome of a delivery, for the metrics. `gone`: the browser is no longer subscribed. */
export type DeliveryOutcome = 'sent' | 'kept' | 'gone' | 'retried' | 'parked' | 'expired';

type ChannelName = (Message | PushMessage)['channel'];

export interface MessageServices {
  readonly outbox: Store['outbox'];
  readonly mailEvents: Store['mailEvents'];
  readonly vault: Pick<Vault, 'outbox' | 'integrity'>;
  newId(): string;
  /** The sender of a mail that names none. */
  readonly mailFrom: string;
  readonly clock: { nowMs(): number };
  readonly log: Logger;
  readonly style: MailStyle;
  /** Messages for an absent channel go to the development mailbox, if that is allowed. */
  readonly mail: Channel<OutgoingMail> | undefined;
  readonly sms: Channel<OutgoingSms> | undefined;
  readonly push: PushChannel;
  /** True if the development mailbox stores messages without a channel. */
  readonly development: boolean;
  /** Invalidates the key or code in a message that cannot be delivered. Resolves once that is durable. */
  endWithMessage(organizationId: string, messageId: string): Promise<void>;
  /** The channel is unknown if the message could not be decrypted. */
  onDelivery(outcome: DeliveryOutcome, channel?: ChannelName): void;
}

/** Makes one attempt to deliver a claimed message, and stores the outcome. */
export class MessageDelivery {
  readonly #services: MessageServices;

  constructor(services: MessageServices) {
    this.#services = services;
  }

  /** Decrypts a message. Parks it and returns undefined if it cannot be read. */
  async open(row: OutboxRow): Promise<Message | PushMessage | undefined> {
    try {
      return await openMessage(this.#services.vault, row);
    } catch (error) {
      await this.#fail(row, error);
      return undefined;
    }
  }

  send(row: OutboxRow, message: Message): Promise<void> {
    return this.#settle(row, message, async () => ((await sendMessage(this.#services, row.id, message)) ? 'sent' : 'kept'));
  }

  push(row: OutboxRow, message: PushMessage): Promise<void> {
    const { subscriptionId, about, approvals } = message;
    const { organizationId } = row;
    return this.#settle(row, message, () => this.#services.push.send({ organizationId, subscriptionId, about, approvals }));
  }

  /** Leaves a message in the queue without an attempt. */
  async postpone(row: OutboxRow, channel: ChannelName, afterMs: number, why: string): Promise<void> {
    await this.#services.outbox.finish(row, this.#left('waiting', afterMs, why));
    this.#services.onDelivery('retried', channel);
  }

  async #settle(row: OutboxRow, message: Message | PushMessage, send: () => Promise<'sent' | 'kept' | 'gone'>): Promise<void> {
    const { outbox, log } = this.#services;
    const { organizationId, id, attempts } = row;
    const { channel } = message;
    try {
      const outcome = await send();
      const settled = await outbox.finish(row, outcome === 'kept' ? this.#left('kept', 0) : { delivered: true });
      if (outcome === 'kept') await outbox.trimKept(MAILBOX_SIZE);
      this.#services.onDelivery(outcome, channel);
      const about = { organizationId, messageId: id, attempts, channel };
      if (outcome === 'gone') log.info(about, 'a browser is no longer subscribed');
      else log.info({ ...about, kept: outcome === 'kept' }, 'a message was delivered');
      if (settled && outcome === 'sent') await this.#note(row, message, 'Send');
    } catch (error) {
      await this.#fail(row, error, message);
    }
  }

  async #fail(row: OutboxRow, error: unknown, message?: Message | PushMessage): Promise<void> {
    // Any other error is temporary, such as a database that does not respond: the claim expires, and the message is retried.
    if (!(error instanceof DeliveryError)) throw error;
    const { outbox, log } = this.#services;
    const { organizationId, id, attempts } = row;
    const { permanent, message: fault, answer, reason } = error;
    // INVARIANT: invalidate the secret before parking its message. If the process ends in between, the message is claimed again.
    if (permanent) await this.#services.endWithMessage(organizationId, id);
    const pauseMs = Math.max(backOffMs(attempts), answer?.retryAfterMs ?? 0);
    const settled = await outbox.finish(row, permanent ? this.#left('parked', 0, fault) : this.#left('waiting', pauseMs, fault));
    this.#services.onDelivery(permanent ? 'parked' : 'retried', message?.channel);
    log[permanent ? 'error' : 'warn']({ organizationId, messageId: id, attempts, fault }, 'a message was not delivered');
    if (settled) await this.#note(row, message, permanent ? 'Bounce' : 'DeliveryDelay', reason);
  }

  /** Stores what the mail server said about a mail. If that fails, the mail is neither sent again nor lost. */
  async #note(
    { organizationId, id: messageId }: OutboxRow,
    message: Message | PushMessage | undefined,
    eventType: MailEventType,
    diagnostic?: string,
  ): Promise<void> {
    const { mail, mailEvents, vault, clock, newId, mailFrom } = this.#services;
    if (message?.channel !== 'EMAIL' || mail === undefined) return;
    const { to, sender } = message;
    const from = sender.address ?? mailFrom;
    const about = { organizationId, id: newId(), atMs: clock.nowMs(), messageId, eventType, from, to };
    const services = { store: { mailEvents }, integrity: vault.integrity };
    await recordMailEvent(services, { ...about, ...(diagnostic !== undefined && { diagnostic }) });
  }

  /** The outcome of an attempt after which the message stays in the outbox. */
  #left(state: OutboxState, afterMs: number, fault = ''): ClaimOutcome {
    return { delivered: false, state, dueAtMs: this.#services.clock.nowMs() + afterMs, fault };
  }
}

async function openMessage(
  vault: MessageServices['vault'],
  { organizationId, id, ciphertext }: OutboxRow,
): Promise<Message | PushMessage> {
  const unreadable = () =>
    new DeliveryError('the stored message was altered, or has a format that this release does not know', true);
  const text = await vault.outbox.open(organizationId, id, ciphertext).catch((error: unknown) => {
    throw error instanceof ServiceError && error.code === 'STATE_TAMPERED' ? unreadable() : error;
  });
  try {
    return parseMessage(text);
  } catch {
    // SECURITY: the parser's error may quote the message.
    throw unreadable();
  }
}

/** Returns false if there is no channel and the development mailbox stores the message. */
async function sendMessage({ mail, sms, style, development }: MessageServices, id: string, message: Message): Promise<boolean> {
  const { to, sender } = message;
  if (message.channel === 'SMS' && sms !== undefined) {
    await sms.send({ id, to, text: renderSms(message, style.appName) });
    return true;
  }
  if (message.channel === 'EMAIL' && mail !== undefined) {
    await mail.send({ id, to, sender, ...renderMail(message, style) });
    return true;
  }
  if (development) return false;
  throw new DeliveryError('no channel is configured for it', false);
}
