import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { dayOf } from '../../store/counters.ts';
import type { OutboxRow, OutboxState } from '../../store/rows.ts';
import type { ClaimOutcome, Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import { backOffMs } from '../delivery/back-off.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Signal } from '../delivery/signal.ts';
import type { Channel, OutgoingMail, OutgoingSms, PushChannel } from './channel.ts';
import { MAILBOX_SIZE } from './mailbox.ts';
import { type Message, type PushMessage, parseMessage } from './message.ts';
import { type MailStyle, renderMail } from './render-mail.ts';
import { renderSms } from './render-sms.ts';

/** The outcome of a delivery, for the metrics. `gone`: the browser is no longer subscribed. */
export type DeliveryOutcome = 'sent' | 'kept' | 'gone' | 'retried' | 'parked' | 'expired';

export interface MailerServices {
  readonly outbox: Store['outbox'];
  readonly counters: Pick<Store['counters'], 'sweep'>;
  readonly vault: Pick<Vault, 'outbox'>;
  readonly clock: { nowMs(): number };
  readonly log: Logger;
  readonly signal: Signal;
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
  onDelivery(outcome: DeliveryOutcome, channel?: (Message | PushMessage)['channel']): void;
}

export interface Mailer {
  /** Stops the mailer. Messages in flight get seconds to finish; the others stay queued for the next start or another node. */
  stop(): Promise<void>;
}

/** Lease of a claim: longer than the timeout of any channel. */
const LEASE_MS = 120_000;
/** Poll interval without a signal: another process may have added a message, or a retry may be due. */
const POLL_MS = 1_000;
const EXPIRY_EVERY_MS = 10_000;
const BATCH = 8;
/** Retention of counters: longer than any period that is counted. */
const COUNTED_DAYS = 62;
const STOP_MS = 3_000;
/** Maximum number of push messages in flight: in total, and per organization. */
const MOST_PUSHES = 32;
const MOST_PUSHES_OF_ONE = 8;

/**
 * Delivers the messages in the outbox until stopped. Any number of processes can run a mailer concurrently.
 * INVARIANT: a message leaves the queue only after a channel accepted it, its browser unsubscribed, it expired, or it was parked. Delivery
 * is at least once, and twice only if a process ends between delivery and removal.
 */
export function startMailer(services: MailerServices): Mailer {
  const { outbox, clock, log, signal } = services;
  const ended = new AbortController();
  let lastExpiryMs = Number.NEGATIVE_INFINITY;
  /** The organization of the last claimed message. The next claim continues after it. */
  let after = '';
  let working = true;
  /** Organization ids of the pushes in flight. */
  const pushing = new Map<Promise<unknown>, string>();
  const running = work();

  async function work(): Promise<void> {
    if (!services.development) await attempt(() => outbox.trimKept(0));
    while (working) {
      const busy = await attempt(pass);
      if (busy !== true) await signal.wait(POLL_MS, ended.signal);
    }
  }

  async function attempt<T>(task: () => Promise<T>): Promise<T | undefined> {
    try {
      return await task();
    } catch (error) {
      // The database does not respond. No claimed message is lost: retry later.
      if (working) log.warn({ err: error }, 'the outbox cannot be worked on now');
      return undefined;
    }
  }

  /** Returns true if more messages may be due. */
  async function pass(): Promise<boolean> {
    const nowMs = clock.nowMs();
    if (nowMs - lastExpiryMs >= EXPIRY_EVERY_MS) {
      for (const { organizationId, id, attempts, fault } of await outbox.dropExpired(nowMs)) {
        services.onDelivery('expired');
        log.error({ organizationId, messageId: id, attempts, fault }, 'a message expired before it could be delivered');
      }
      await services.counters.sweep(dayOf(nowMs) - COUNTED_DAYS);
      lastExpiryMs = nowMs;
    }
    const dueMs = await outbox.nextDueMs();
    if (dueMs === undefined || dueMs > nowMs) return false;
    const claimed = await outbox.claim(nowMs, LEASE_MS, BATCH, after);
    after = claimed.at(-1)?.organizationId ?? '';
    await Promise.all(claimed.map((row) => attempt(() => deliver(row))));
    return claimed.length > 0;
  }

  async function deliver(row: OutboxRow): Promise<void> {
    let message: Message | PushMessage;
    try {
      message = await open(row);
    } catch (error) {
      return failed(row, error);
    }
    if (message.channel === 'PUSH') return pushAside(row, message);
    const mail = message;
    return settled(row, mail.channel, async () => ((await send(row.id, mail)) ? 'sent' : 'kept'));
  }

  /**
   * SECURITY: A85: users choose the receivers of push messages. Pushes run in the background, so that mails with codes never wait for these
   * receivers, and pushes above the limit are retried later. A89: receivers of one organization that never respond leave slots for other
   * organizations. The retry delay of a push does not grow if other organizations occupy the slots.
   */
  async function pushAside(row: OutboxRow, { channel, subscriptionId, approvals }: PushMessage): Promise<void> {
    const { organizationId } = row;
    const isOwnFull = [...pushing.values()].filter((id) => id === organizationId).length >= MOST_PUSHES_OF_ONE;
    if (isOwnFull || pushing.size >= MOST_PUSHES) {
      await outbox.settle(row, left('waiting', backOffMs(isOwnFull ? row.attempts : 1), 'others are being pushed'));
      return services.onDelivery('retried', channel);
    }
    const send = () => services.push.send({ organizationId, subscriptionId, approvals });
    const task = attempt(() => settled(row, channel, send)).finally(() => pushing.delete(task));
    pushing.set(task, organizationId);
  }

  /** Makes one attempt and stores its outcome. */
  async function settled(
    row: OutboxRow,
    channel: (Message | PushMessage)['channel'],
    sending: () => Promise<'sent' | 'kept' | 'gone'>,
  ): Promise<void> {
    const { organizationId, id, attempts } = row;
    try {
      const outcome = await sending();
      await outbox.settle(row, outcome === 'kept' ? left('kept', 0) : { delivered: true });
      if (outcome === 'kept') await outbox.trimKept(MAILBOX_SIZE);
      services.onDelivery(outcome, channel);
      const about = { organizationId, messageId: id, attempts, channel };
      if (outcome === 'gone') log.info(about, 'a browser is not subscribed any more');
      else log.info({ ...about, kept: outcome === 'kept' }, 'a message was delivered');
    } catch (error) {
      await failed(row, error, channel);
    }
  }

  async function failed(row: OutboxRow, error: unknown, channel?: (Message | PushMessage)['channel']): Promise<void> {
    // Any other error is temporary, such as a database that does not respond: the claim expires, and the message is retried.
    if (!(error instanceof DeliveryError)) throw error;
    const { organizationId, id, attempts } = row;
    const { permanent, message: fault, answer } = error;
    // INVARIANT: invalidate the secret before parking its message. If the process ends in between, the message is claimed again.
    if (permanent) await services.endWithMessage(organizationId, id);
    const pauseMs = Math.max(backOffMs(attempts), answer?.retryAfterMs ?? 0);
    await outbox.settle(row, permanent ? left('parked', 0, fault) : left('waiting', pauseMs, fault));
    services.onDelivery(permanent ? 'parked' : 'retried', channel);
    log[permanent ? 'error' : 'warn']({ organizationId, messageId: id, attempts, fault }, 'a message was not delivered');
  }

  /** The outcome of an attempt after which the message stays in the outbox. */
  function left(state: OutboxState, afterMs: number, fault = ''): ClaimOutcome {
    return { delivered: false, state, dueAtMs: clock.nowMs() + afterMs, fault };
  }

  async function open({ organizationId, id, ciphertext }: OutboxRow): Promise<Message | PushMessage> {
    const unreadable = () =>
      new DeliveryError('the stored message was altered, or is of a form that this release does not know', true);
    const text = await services.vault.outbox.open(organizationId, id, ciphertext).catch((error: unknown) => {
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
  async function send(id: string, message: Message): Promise<boolean> {
    const { mail, sms, style, development } = services;
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
    throw new DeliveryError('nothing is configured to send it with', false);
  }

  return {
    async stop() {
      working = false;
      ended.abort();
      await Promise.race([Promise.all([running, ...pushing.keys()]), sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}
