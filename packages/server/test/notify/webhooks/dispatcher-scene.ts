import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createSignal } from '../../../src/notify/delivery/signal.ts';
import { type Dispatcher, startDispatcher } from '../../../src/notify/webhooks/dispatcher.ts';
import { createFullQueues } from '../../../src/notify/webhooks/full-queues.ts';
import type { Snapshot } from '../../../src/organizations/snapshot/snapshot.ts';
import { openIntegrity } from '../../../src/vault/integrity/integrity.ts';
import { openMessageKey } from '../../../src/vault/keys/message-key.ts';
import { Secret } from '../../../src/vault/keys/secret.ts';
import { commitOf, createOrganization, eventRow, put } from '../../store/rows.ts';
import { Installation } from '../../vault/support.ts';
import { organizationWith } from './organization.ts';

/** One event as the receiver saw it. */
export interface Sent {
  readonly host: string;
  readonly organizationId: string;
  readonly body: string;
}

/** Decides the outcome of a delivery: it may throw or take time. */
export type Receive = (sent: Sent) => Promise<void> | void;

/** Dispatchers on a real store, with test receivers and a test clock. */
export class DispatcherScene {
  /** The accepted events, in order. */
  readonly taken: Sent[] = [];
  readonly alarms: string[] = [];
  readonly outcomes: string[] = [];
  readonly maxAgeMs = 24 * 3_600_000;
  queueLimits = { events: 1_000, bytes: 1_000_000 };
  readonly fullQueues = createFullQueues();
  /** The endpoints that were disabled, and since when they had failed. */
  readonly disabled: { endpointId: string; sinceMs: number }[] = [];
  receive: Receive = () => undefined;
  /** The subscribers, by organization id. */
  readonly subscribers = new Map<string, Snapshot | (() => never)>();
  readonly store: Installation['store'];
  readonly #installation: Installation;
  readonly #integrity = openIntegrity(new Secret(new Uint8Array(32).fill(1))).integrity;
  readonly #signal = createSignal();
  #nowMs = Date.now();

  private constructor(installation: Installation) {
    this.#installation = installation;
    this.store = installation.store;
  }

  static async create(): Promise<DispatcherScene> {
    return new DispatcherScene(await Installation.create());
  }

  /** The clock stands still, so that a slow machine changes nothing. */
  nowMs(): number {
    return this.#nowMs;
  }

  /** Moves the clock. Dispatchers look for work at once, as they do each second. */
  advance(ms: number): void {
    this.#nowMs += ms;
    this.#signal.notify();
  }

  /** A new organization with endpoints of these names: the host of each is `<name>.example.com`. */
  async addSubscriber(...names: string[]): Promise<string> {
    const organizationId = await createOrganization(this.store);
    this.subscribers.set(organizationId, organizationWith({ endpoints: Object.fromEntries(names.map((name) => [name, {}])) }));
    return organizationId;
  }

  /** Commits events of an organization one after the other, each with its own body. */
  async put(listenerId: string, endpointId: string, organizationId: string, ...bodies: string[]): Promise<void> {
    for (const body of bodies) {
      const event = eventRow(organizationId, { listenerId, endpointId, body, createdAtMs: this.nowMs() });
      const row = { ...event, mac: this.#integrity.event(event) };
      const [outcome] = await this.store.commit([commitOf(organizationId, { writes: [put.event(row)] })]);
      if (outcome?.taken !== true) throw new Error(`not stored: ${JSON.stringify(outcome)}`);
    }
    this.#signal.notify();
  }

  /** Edits the database, as somebody with its password could. */
  tamper(sql: string, ...values: string[]): void {
    this.#installation.tamper(sql, ...values);
  }

  /** Starts a dispatcher, as one of several processes would. */
  start(): Dispatcher {
    const key = openMessageKey(new Secret(new Uint8Array(32).fill(1)), 'webhooks');
    const snapshot = async (id: string) => {
      const found = this.subscribers.get(id);
      return typeof found === 'function' ? found() : found;
    };
    const dispatcher = startDispatcher({
      events: this.store.events,
      snapshots: { current: snapshot, get: snapshot },
      vault: {
        service: { eventKey: key.publicKey, signEvent: async (message) => key.sign(message) },
        integrity: this.#integrity,
      },
      poster: {
        post: async ({ hostname }, headers, body) => {
          const organizationId = headers['x-turnkey-organization-id'] as string;
          const sent = { host: hostname, organizationId, body: String(body) };
          await this.receive(sent);
          this.taken.push(sent);
        },
        close: () => undefined,
      },
      clock: this,
      log: pino({ level: 'silent' }),
      signal: this.#signal,
      maxAgeMs: this.maxAgeMs,
      queueLimits: this.queueLimits,
      fullQueues: this.fullQueues,
      disable: async ({ endpointId }, sinceMs) => void this.disabled.push({ endpointId, sinceMs }),
      onEvent: (outcome, count) => void this.outcomes.push(...Array<string>(count).fill(outcome)),
      alarm: (_organizationId, what) => void this.alarms.push(what),
    });
    onTestFinished(() => dispatcher.stop());
    return dispatcher;
  }
}
