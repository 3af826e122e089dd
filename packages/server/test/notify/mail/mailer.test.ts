import { expect, test } from 'vitest';
import { DeliveryError } from '../../../src/notify/delivery/delivery-error.ts';
import { createSignal } from '../../../src/notify/delivery/signal.ts';
import { type MailerServices, startMailer } from '../../../src/notify/mail/mailer.ts';
import type { DeliveryOutcome } from '../../../src/notify/mail/message-delivery.ts';
import type { OutboxRow } from '../../../src/store/rows.ts';
import type { ClaimOutcome } from '../../../src/store/store.ts';

/** So many that the pause after a failure is at least a minute. */
const ATTEMPTS = 9;
const NOW_MS = 1_000_000;
const approvals = { organizationId: 'org', items: [], more: 0 };
const pushTo = (subscriptionId: string) => ({ channel: 'PUSH', subscriptionId, approvals, expiresAtMs: 9e12 });
const mail = {
  channel: 'EMAIL',
  purpose: 'CODE',
  to: 'ann@example.com',
  secret: '123456',
  expiresAtMs: 9e12,
  organizationName: '',
  look: {},
  sender: {},
};

/** An outbox with these messages, in this order, and a mailer at work on it. `of` names the organization of each. */
function atWork(messages: readonly object[], push: MailerServices['push'], of: (index: number) => string = () => 'org') {
  const rows = messages.map(
    (_, index): OutboxRow => ({
      organizationId: of(index),
      id: String(index),
      state: 'waiting',
      dueAtMs: 0,
      expiresAtMs: 9e12,
      attempts: ATTEMPTS,
      fault: '',
      ciphertext: new Uint8Array(),
    }),
  );
  const waiting = [...rows];
  const outcomes = new Map<string, ClaimOutcome>();
  const delivered: [DeliveryOutcome, string | undefined][] = [];
  const settled = new Set<() => void>();
  const outbox = {
    claim: async (_nowMs: number, _leaseMs: number, limit: number) => waiting.splice(0, limit),
    finish: async ({ id }: { id: string }, outcome: ClaimOutcome) => {
      outcomes.set(id, outcome);
      for (const look of settled) look();
      return true;
    },
    nextDueMs: async () => (waiting.length > 0 ? 0 : undefined),
    dropExpired: async () => [],
    trimKept: async () => {},
  };
  const log = { info() {}, warn() {}, error() {} };
  const mailer = startMailer({
    outbox,
    counters: { sweep: async () => {} },
    mailEvents: { sweep: async () => {}, add: async () => {} },
    newId: () => 'id',
    mailFrom: 'no-reply@example.com',
    vault: {
      integrity: { mailEvent: () => new Uint8Array(32), mailRecipient: () => new Uint8Array(32) },
      outbox: { open: async (_organizationId: string, id: string) => JSON.stringify(messages[Number(id)]) },
    },
    clock: { nowMs: () => NOW_MS },
    log,
    signal: createSignal(),
    style: { appName: 'Countersign', findTemplate: () => undefined },
    mail: { send: async () => {}, close() {} },
    sms: undefined,
    push,
    development: false,
    endWithMessage: async () => {},
    onDelivery: (outcome: DeliveryOutcome, channel?: string) => delivered.push([outcome, channel]),
  } as unknown as MailerServices);
  /** Resolves when so many messages were settled. */
  const count = (wanted: number) =>
    new Promise<void>((resolve) => {
      const look = () => outcomes.size >= wanted && resolve();
      settled.add(look);
      look();
    });
  return { mailer, outcomes, delivered, count };
}

test('A85: push services that never answer delay no mail, and hold up a bounded number of messages', async () => {
  const pushes = Array.from({ length: 40 }, (_, index) => pushTo(String(index)));
  let answer: (outcome: 'sent') => void = () => {};
  const silence = new Promise<'sent'>((resolve) => {
    answer = resolve;
  });
  let asked = 0;
  const push = {
    send() {
      asked += 1;
      return silence;
    },
    close() {},
  };
  const { mailer, outcomes, delivered, count } = atWork([...pushes, mail], push, (index) => `org ${index % 10}`);
  // The mail, and the pushes that were too many at once.
  await count(9);
  expect(asked).toBe(32);
  expect(outcomes.get('40')).toEqual({ delivered: true });
  expect([...outcomes.values()].filter((outcome) => !outcome.delivered && outcome.state === 'waiting')).toHaveLength(8);
  answer('sent');
  await count(41);
  await mailer.stop();
  expect(delivered.filter(([, channel]) => channel === 'EMAIL')).toEqual([['sent', 'EMAIL']]);
});

test('A89: receivers of one organization that never answer leave room for others, who wait for room briefly', async () => {
  // The first organization has many, four more have as many as one may have at once, and the last finds no room.
  const organizations = [...Array(20).fill('hostile'), ...['a', 'b', 'c', 'd'].flatMap((name) => Array(8).fill(name))];
  const asked: string[] = [];
  let answer: (outcome: 'sent') => void = () => {};
  const silence = new Promise<'sent'>((resolve) => {
    answer = resolve;
  });
  const push = {
    send({ organizationId }: { organizationId: string }) {
      asked.push(organizationId);
      return silence;
    },
    close() {},
  };
  const messages = organizations.map((_, index) => pushTo(String(index)));
  const { mailer, outcomes, count } = atWork(messages, push, (index) => organizations[index] ?? '');
  await count(20);
  expect(asked).toEqual(['hostile', 'a', 'b', 'c'].flatMap((name) => Array(8).fill(name)));
  const pauses = [...outcomes.entries()].map(([index, outcome]) => ({
    of: organizations[Number(index)],
    ms: outcome.delivered ? 0 : outcome.dueAtMs - NOW_MS,
  }));
  expect(pauses.filter(({ of, ms }) => of === 'hostile' && ms >= 60_000)).toHaveLength(12);
  expect(pauses.filter(({ of, ms }) => of === 'd' && ms <= 1_000)).toHaveLength(8);
  answer('sent');
  await mailer.stop();
});

test('a push that is refused waits as long as it was told to, is parked, or is over', async () => {
  const answers: Record<string, () => Promise<'sent' | 'gone'>> = {
    later: async () => {
      throw new DeliveryError('the receiver responded with 429', false, undefined, { status: 429, retryAfterMs: 500_000 });
    },
    never: async () => {
      throw new DeliveryError('the receiver responded with 403', true, undefined, { status: 403 });
    },
    gone: async () => 'gone',
  };
  const push = { send: ({ subscriptionId }: { subscriptionId: string }) => answers[subscriptionId]?.() as never, close() {} };
  const { mailer, outcomes, delivered, count } = atWork([pushTo('later'), pushTo('never'), pushTo('gone')], push);
  await count(3);
  await mailer.stop();
  expect(outcomes.get('0')).toEqual({
    delivered: false,
    state: 'waiting',
    dueAtMs: 1_500_000,
    fault: 'the receiver responded with 429',
  });
  expect(outcomes.get('1')).toMatchObject({ delivered: false, state: 'parked' });
  expect(outcomes.get('2')).toEqual({ delivered: true });
  expect(delivered.map(([outcome]) => outcome).sort()).toEqual(['gone', 'parked', 'retried']);
});
