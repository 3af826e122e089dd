import { setTimeout as sleep } from 'node:timers/promises';
import { dayOf } from '../../store/counters.ts';
import type { OutboxRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { backOffMs } from '../delivery/back-off.ts';
import type { Signal } from '../delivery/signal.ts';
import { MAIL_EVENT_MS } from './mail-events.ts';
import type { PushMessage } from './message.ts';
import { MessageDelivery, type MessageServices } from './message-delivery.ts';

export interface MailerServices extends MessageServices {
  readonly counters: Pick<Store['counters'], 'sweep'>;
  /** Signals that messages may be pending. */
  readonly signal: Signal;
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
  const delivery = new MessageDelivery(services);
  const ended = new AbortController();
  let lastExpiryMs = Number.NEGATIVE_INFINITY;
  /** The organization of the last claimed message. The next claim continues after it. */
  let after = '';
  /** Organization ids of the pushes in flight. */
  const pushing = new Map<Promise<unknown>, string>();
  const running = work();

  async function work(): Promise<void> {
    if (!services.development) await attempt(() => outbox.trimKept(0));
    while (!ended.signal.aborted) {
      const busy = await attempt(pass);
      if (busy !== true) await signal.wait(POLL_MS, ended.signal);
    }
  }

  async function attempt<T>(task: () => Promise<T>): Promise<T | undefined> {
    try {
      return await task();
    } catch (error) {
      // The database does not respond. No claimed message is lost: retry later.
      if (!ended.signal.aborted) log.warn({ err: error }, 'the outbox cannot be processed');
      return undefined;
    }
  }

  /** Returns true if more messages may be due. */
  async function pass(): Promise<boolean> {
    const nowMs = clock.nowMs();
    if (nowMs - lastExpiryMs >= EXPIRY_EVERY_MS) {
      await dropExpired(services, nowMs);
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
    const message = await delivery.open(row);
    if (message === undefined) return;
    await (message.channel === 'PUSH' ? pushInBackground(row, message) : delivery.send(row, message));
  }

  /**
   * SECURITY: A85: users choose the receivers of push messages. Pushes run in the background, so that mails with codes never wait for these
   * receivers, and pushes above the limit are retried later. A89: receivers of one organization that never respond leave slots for other
   * organizations. The retry delay of a push does not grow if other organizations occupy the slots.
   */
  async function pushInBackground(row: OutboxRow, message: PushMessage): Promise<void> {
    const { organizationId, attempts } = row;
    const isOwnFull = [...pushing.values()].filter((id) => id === organizationId).length >= MOST_PUSHES_OF_ONE;
    if (isOwnFull || pushing.size >= MOST_PUSHES)
      return delivery.postpone(row, message.channel, backOffMs(isOwnFull ? attempts : 1), 'no free slot for pushes');
    const task = attempt(() => delivery.push(row, message)).finally(() => pushing.delete(task));
    pushing.set(task, organizationId);
  }

  return {
    async stop() {
      ended.abort();
      await Promise.race([Promise.all([running, ...pushing.keys()]), sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/** Drops expired messages and events of mails, and counters that are no longer needed. */
async function dropExpired({ outbox, counters, mailEvents, onDelivery, log }: MailerServices, nowMs: number): Promise<void> {
  for (const { organizationId, id, attempts, fault } of await outbox.dropExpired(nowMs)) {
    onDelivery('expired');
    log.error({ organizationId, messageId: id, attempts, fault }, 'a message expired before it could be delivered');
  }
  await mailEvents.sweep(nowMs - MAIL_EVENT_MS);
  await counters.sweep(dayOf(nowMs) - COUNTED_DAYS);
}
