import type { Logger } from 'pino';
import type { Snapshots } from '../../organizations/snapshot/snapshots.ts';
import type { StoredEvent } from '../../store/rows.ts';
import type { EndpointKey, Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity, VaultService } from '../../vault/vault.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Poster } from './post-event.ts';
import type { ReceiverHealth } from './receiver-health.ts';
import type { ReceiverNotes } from './receiver-notes.ts';
import { signedHeaders } from './signature.ts';
import { type Subscriber, subscribersOf } from './webhook-events.ts';

/** The outcome of an attempt, for the metrics. */
export type EventOutcome = 'delivered' | 'retried' | 'refused' | 'dropped';

export interface DeliveryServices {
  readonly events: Store['events'];
  readonly snapshots: Pick<Snapshots, 'current' | 'get'>;
  readonly vault: {
    readonly integrity: Pick<Integrity, 'event'>;
    readonly service: Pick<VaultService, 'signEvent' | 'eventKey'>;
  };
  readonly poster: Poster;
  readonly clock: { nowMs(): number };
  readonly log: Logger;
  /** Older events are dropped. */
  readonly maxAgeMs: number;
  onEvent(outcome: EventOutcome, count: number): void;
  /** Disables an endpoint that accepted nothing since a time, unless it was changed since. */
  disable(endpoint: EndpointKey, sinceMs: number): Promise<void>;
  /** Reports stored state that fails verification. */
  alarm(organizationId: string, what: string): void;
}

/** An endpoint at its current address, during one time slice. */
export interface Receiver {
  readonly endpoint: EndpointKey;
  readonly health: ReceiverHealth;
  /** False after the end of the time slice, without the lease, or on shutdown. */
  mayContinue(): boolean;
}

interface Attempt {
  readonly tookAny: boolean;
  /** The organizations with events that the receiver did not accept. */
  readonly failed: readonly string[];
}

/** Maximum number of organizations with events in flight to one endpoint. */
const LANES = 16;
/** A receiver that accepted nothing gets one event from this many more organizations before it counts as down. */
const PROBES = 4;

/** Delivers windows of the queue: some events of an endpoint at a time. */
export class WindowDelivery {
  readonly #services: DeliveryServices;
  readonly #notes: ReceiverNotes;

  constructor(services: DeliveryServices, notes: ReceiverNotes) {
    this.#services = services;
    this.#notes = notes;
  }

  /**
   * Delivers one window. Returns the earliest time for a retry if the receiver seems to be down: it accepted nothing recently, nothing now,
   * and nothing from a few other organizations.
   */
  async deliver(receiver: Receiver, window: readonly StoredEvent[]): Promise<number | undefined> {
    const { events, clock } = this.#services;
    const { endpoint, health } = receiver;
    const first = await this.#attempt(receiver, window);
    if (first.failed.length === 0) return undefined;
    if (first.tookAny || health.isTrusted(clock.nowMs())) {
      health.block(first.failed, clock.nowMs());
      return undefined;
    }
    const probes = await events.firstOfOthers(endpoint, PROBES, first.failed, health.probedUpTo);
    health.probedUpTo = probes.length < PROBES ? '' : (probes.at(-1)?.organizationId ?? '');
    const second = await this.#attempt(receiver, probes);
    if (!second.tookAny) return health.down(clock.nowMs());
    health.block([...first.failed, ...second.failed], clock.nowMs());
    return undefined;
  }

  /** Delivers events, in order for each organization. */
  async #attempt(receiver: Receiver, window: readonly StoredEvent[]): Promise<Attempt> {
    const { events, clock } = this.#services;
    const { endpoint, health } = receiver;
    const lanes = new Map<string, StoredEvent[]>();
    for (const event of window) lanes.set(event.organizationId, [...(lanes.get(event.organizationId) ?? []), event]);
    const queue = [...lanes];
    const gone: number[] = [];
    const failed: string[] = [];
    const lane = async () => {
      for (let next = queue.shift(); next !== undefined && receiver.mayContinue(); next = queue.shift()) {
        const [organizationId, own] = next;
        const before = gone.length;
        const isComplete = await this.#deliverInOrder(receiver, own, gone);
        if (gone.length > before) health.delivered(organizationId, clock.nowMs());
        if (!isComplete) failed.push(organizationId);
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: Math.min(LANES, queue.length) }, lane));
    await events.remove(endpoint, gone);
    const broken = ends.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return { tookAny: gone.length > 0, failed };
  }

  /** Delivers one organization's events in order, and adds those that are done to `gone`. Returns false if one has to be retried. */
  async #deliverInOrder(receiver: Receiver, own: readonly StoredEvent[], gone: number[]): Promise<boolean> {
    const { vault, snapshots, alarm, onEvent } = this.#services;
    const { endpoint, health } = receiver;
    for (const event of own) {
      // If the endpoint was changed or removed in this process since, send nothing more to its old address.
      if (!receiver.mayContinue() || addressIn(await snapshots.get(endpoint.listenerId), endpoint) !== health.url) return true;
      if (!macsEqual(vault.integrity.event(event), event.mac)) {
        const { organizationId, id } = event;
        alarm(organizationId, `the event ${id} was changed or inserted outside the service, and was not sent`);
        onEvent('dropped', 1);
      } else if (!(await this.#post(receiver, event))) return false;
      gone.push(event.seq);
    }
    return true;
  }

  /** Returns false if the event has to be retried. */
  async #post({ endpoint, health }: Receiver, event: StoredEvent): Promise<boolean> {
    const { vault, poster, clock, log, onEvent } = this.#services;
    try {
      await poster.post(new URL(health.url), await signedHeaders(vault.service, event, clock.nowMs()), event.body);
      onEvent('delivered', 1);
      this.#notes.delivered(endpoint);
      return true;
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      const { permanent, message } = error;
      onEvent(permanent ? 'refused' : 'retried', 1);
      this.#notes.failed(endpoint, error);
      const { organizationId, id: eventId, endpointId } = event;
      log.warn({ organizationId, eventId, endpointId, fault: message, final: permanent }, 'an event was not delivered');
      return permanent;
    }
  }
}

/** An endpoint in a version of its organization. Undefined if it is deleted or paused. */
export function subscriberIn(
  organization: Parameters<typeof subscribersOf>[0] | undefined,
  { endpointId }: EndpointKey,
): Subscriber | undefined {
  return organization && subscribersOf(organization).find((subscriber) => subscriber.endpointId === endpointId);
}

/** The address of an endpoint in a version of its organization. */
export function addressIn(organization: Parameters<typeof subscriberIn>[0], endpoint: EndpointKey): string | undefined {
  return subscriberIn(organization, endpoint)?.url;
}
