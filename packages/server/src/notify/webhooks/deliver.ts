import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Snapshots } from '../../organizations/snapshot/snapshots.ts';
import type { StoredEvent } from '../../store/rows.ts';
import type { EndpointKey, Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity, VaultService } from '../../vault/vault.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Hold } from './hold-endpoint.ts';
import type { Poster } from './post-event.ts';
import { createHealth, type ReceiverHealth } from './receiver-health.ts';
import { createReceiverNotes } from './receiver-notes.ts';
import { signedHeaders } from './signature.ts';
import { subscribersOf } from './webhook-events.ts';

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
  /** Reports stored state that fails verification. */
  alarm(organizationId: string, what: string): void;
}

/** A pause of the deliveries to an endpoint. */
export interface Pause {
  readonly untilMs: number;
  /** True if the receiver seems to be down. Otherwise the pause is only for some organizations. */
  readonly forAll: boolean;
  /** Whether to end the pause early: the endpoint changed or, unless the pause is for all, other organizations have events. */
  isOver(): Promise<boolean>;
}

/**
 * Delivers to an endpoint until no event can be delivered now, its time slice ends, or the lease is lost. Returns a pause if all remaining
 * events wait for a retry.
 */
export type Deliver = (endpoint: EndpointKey, hold: Hold) => Promise<Pause | undefined>;

/** Time slice of an endpoint. Afterwards other endpoints go first, if there are more than can be served concurrently. */
const TURN_MS = 20_000;
const WINDOW = 64;
/** Maximum number of organizations with events in flight to one endpoint. */
const LANES = 16;
/** A receiver that accepted nothing gets one event from this many more organizations before it counts as down. */
const PROBES = 4;
/** If this many organizations wait for a retry, do not look for events of others. */
const MAX_BLOCKED = 32;

/**
 * INVARIANT: an event leaves the queue only after it was delivered, rejected permanently, or dropped with a log line. Within one
 * organization, no event is sent to an endpoint before the events ahead of it are done.
 */
export function createDeliver(services: DeliveryServices, ended: AbortSignal): Deliver {
  const { events, snapshots, clock, log } = services;
  const healthOf = createHealth();
  const notes = createReceiverNotes(events, clock);

  /** Delivers events, in order for each organization. Returns the organizations with events that the receiver did not accept. */
  async function attempt(
    endpoint: EndpointKey,
    mayGoOn: () => boolean,
    window: readonly StoredEvent[],
    health: ReceiverHealth,
  ): Promise<{ readonly tookAny: boolean; readonly failed: readonly string[] }> {
    const lanes = new Map<string, StoredEvent[]>();
    for (const event of window) lanes.set(event.organizationId, [...(lanes.get(event.organizationId) ?? []), event]);
    const queue = [...lanes];
    const gone: number[] = [];
    const failed: string[] = [];
    const lane = async () => {
      for (let next = queue.shift(); next !== undefined && mayGoOn(); next = queue.shift()) {
        const [organizationId, own] = next;
        const before = gone.length;
        const fault = await deliverInOrder(endpoint, health.url, mayGoOn, own, gone);
        if (gone.length > before) health.took(organizationId, clock.nowMs());
        if (fault !== undefined) failed.push(organizationId);
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: Math.min(LANES, queue.length) }, lane));
    await events.remove(endpoint, gone);
    const broken = ends.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return { tookAny: gone.length > 0, failed };
  }

  /**
   * Delivers one window of the queue. Returns the earliest time for a retry if the receiver seems to be down: it accepted nothing recently,
   * nothing now, and nothing from a few other organizations.
   */
  async function deliverWindow(
    endpoint: EndpointKey,
    mayGoOn: () => boolean,
    window: readonly StoredEvent[],
    health: ReceiverHealth,
  ): Promise<number | undefined> {
    const first = await attempt(endpoint, mayGoOn, window, health);
    if (first.failed.length === 0) return undefined;
    if (first.tookAny || health.isTrusted(clock.nowMs())) {
      health.block(first.failed, clock.nowMs());
      return undefined;
    }
    const probes = await events.firstOfOthers(endpoint, PROBES, first.failed, health.probedUpTo);
    health.probedUpTo = probes.length < PROBES ? '' : (probes.at(-1)?.organizationId ?? '');
    const second = await attempt(endpoint, mayGoOn, probes, health);
    if (!second.tookAny) return health.down(clock.nowMs());
    health.block([...first.failed, ...second.failed], clock.nowMs());
    return undefined;
  }

  /** Delivers one organization's events in order, and adds those that are done to `gone`. Returns the error that stopped it. */
  async function deliverInOrder(
    endpoint: EndpointKey,
    url: string,
    mayGoOn: () => boolean,
    own: readonly StoredEvent[],
    gone: number[],
  ): Promise<DeliveryError | undefined> {
    for (const event of own) {
      // If the endpoint was changed or removed in this process since, send nothing more to its old address.
      if (!mayGoOn() || addressIn(await snapshots.get(endpoint.listenerId), endpoint) !== url) return undefined;
      const { organizationId, id: eventId, endpointId, seq } = event;
      if (!macsEqual(services.vault.integrity.event(event), event.mac)) {
        services.alarm(organizationId, `the event ${eventId} was changed or inserted outside the service, and was not sent`);
        services.onEvent('dropped', 1);
        gone.push(seq);
        continue;
      }
      try {
        await services.poster.post(new URL(url), await signedHeaders(services.vault.service, event, clock.nowMs()), event.body);
        services.onEvent('delivered', 1);
        notes.took(endpoint);
        gone.push(seq);
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        const { permanent, message: fault } = error;
        services.onEvent(permanent ? 'refused' : 'retried', 1);
        notes.failed(endpoint, error);
        log.warn({ organizationId, eventId, endpointId, fault, final: permanent }, 'an event was not delivered');
        if (!permanent) return error;
        gone.push(seq);
      }
    }
    return undefined;
  }

  /** The endpoint's current address. Throws if its organization fails verification; its events stay queued until it passes. */
  async function urlOf(endpoint: EndpointKey): Promise<string | undefined> {
    return addressIn(await snapshots.current(endpoint.listenerId), endpoint);
  }

  async function drop(endpoint: EndpointKey, doomed: readonly StoredEvent[], why: string): Promise<void> {
    await events.remove(
      endpoint,
      doomed.map(({ seq }) => seq),
    );
    services.onEvent('dropped', doomed.length);
    log.warn({ ...endpoint, count: doomed.length, why }, 'events were dropped');
  }

  /** The next events to deliver: the oldest or, if some organizations wait for a retry, the first event of each other organization. */
  function nextWindow(
    endpoint: EndpointKey,
    health: ReceiverHealth,
    waiting: readonly string[],
  ): Promise<readonly StoredEvent[]> {
    if (waiting.length > 0) return events.firstOfOthers(endpoint, WINDOW, waiting);
    return events.oldest(endpoint, health.isSuspect ? 1 : WINDOW);
  }

  return async (endpoint, hold) => {
    const turnEndMs = clock.nowMs() + TURN_MS;
    const mayGoOn = () => !ended.aborted && hold.isKept() && clock.nowMs() < turnEndMs;
    let url = await urlOf(endpoint);
    // Yield, so that a receiver that fails immediately does not block the process.
    for (; mayGoOn(); await setImmediate()) {
      const health = healthOf(endpoint.endpointId, url ?? '');
      const { organizationIds: waiting, untilMs } = health.blockedNow(clock.nowMs());
      const known = url;
      const hasMoved = async () => (await urlOf(endpoint)) !== known;
      if (waiting.length >= MAX_BLOCKED) return { untilMs, forAll: false, isOver: hasMoved };
      const window = await nextWindow(endpoint, health, waiting);
      // Read the address after the window. If the endpoint was reactivated in between, its new events are not in the window.
      const current = await urlOf(endpoint);
      if (current !== url) url = current;
      else if (window.length === 0) {
        if (waiting.length === 0) return undefined;
        const isOver = async () => (await hasMoved()) || (await events.firstOfOthers(endpoint, 1, waiting)).length > 0;
        return { untilMs, forAll: false, isOver };
      } else if (url === undefined) await drop(endpoint, window, 'their endpoint is gone or paused');
      else {
        const oldestMs = clock.nowMs() - services.maxAgeMs;
        const old = window.filter(({ createdAtMs }) => createdAtMs < oldestMs);
        if (old.length > 0) await drop(endpoint, old, 'their receiver took none for too long');
        else {
          const downUntilMs = await deliverWindow(endpoint, mayGoOn, window, health);
          const blocked = health.blockedNow(clock.nowMs());
          await notes.save(endpoint, downUntilMs ?? (blocked.organizationIds.length > 0 ? blocked.untilMs : 0));
          // The address may have changed while the old one was tried.
          if (downUntilMs !== undefined && !(await hasMoved())) return { untilMs: downUntilMs, forAll: true, isOver: hasMoved };
        }
      }
    }
    return undefined;
  };
}

function addressIn(
  organization: Parameters<typeof subscribersOf>[0] | undefined,
  { endpointId }: EndpointKey,
): string | undefined {
  return organization && subscribersOf(organization).find((subscriber) => subscriber.endpointId === endpointId)?.url;
}
