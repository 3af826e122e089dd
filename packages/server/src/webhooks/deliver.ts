import type { Logger } from 'pino';
import { backOffMs } from '../mail/back-off.ts';
import { DeliveryFault } from '../mail/delivery-fault.ts';
import type { Snapshots } from '../organizations/snapshots.ts';
import type { StoredEvent } from '../store/rows.ts';
import type { EndpointKey, Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity.ts';
import type { Vault } from '../vault/vault.ts';
import type { Hold } from './hold-endpoint.ts';
import { listenersOf } from './listeners.ts';
import type { Poster } from './post-event.ts';
import { signedHeaders } from './signature.ts';

/** What became of an attempt, for the metrics. */
export type EventOutcome = 'delivered' | 'retried' | 'refused' | 'dropped';

/** What delivering works with. */
export interface DeliveryServices {
  readonly events: Store['events'];
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly vault: Pick<Vault, 'signEvent' | 'eventKey' | 'integrity'>;
  readonly poster: Poster;
  readonly clock: { nowMs(): number };
  readonly log: Logger;
  /** How old an event may become before it is given up. */
  readonly maxAgeMs: number;
  onEvent(outcome: EventOutcome, count: number): void;
  /** Stored state that does not verify. */
  alarm(organizationId: string, what: string): void;
}

/** Why an endpoint is left alone for a while. */
export interface Pause {
  readonly untilMs: number;
  /** Whether there is something to do before the end: for an organization that need not wait, or because the endpoint was changed. */
  isOver?(): Promise<boolean>;
}

/**
 * Delivers to an endpoint, until nothing is left that can be delivered now, its turn is over, or the hold is lost. Gives the pause to
 * make where nothing but a later try is left.
 */
export type Deliver = (endpoint: EndpointKey, hold: Hold) => Promise<Pause | undefined>;

/** How long a turn is: then other endpoints come first, where there are more of them than are served at once. */
const TURN_MS = 20_000;
const WINDOW = 64;
/** Of one endpoint, how many organizations' events are on the way at once. */
const LANES = 16;
/** With more organizations than these waiting for another try, the endpoint itself is taken to be down. */
const MAX_BLOCKED = 32;

/** An organization whose first event could not be delivered: those behind it wait with it. */
interface Blocked {
  readonly attempts: number;
  readonly untilMs: number;
}

/** Whom the receiver at an address does not take events of now. */
interface Refusals {
  readonly url: string;
  readonly waits: Map<string, Blocked>;
}

/**
 * INVARIANT: an event leaves the queue only after it was delivered, refused for good, or dropped with a word in the log; of one
 * organization, no event is sent to an endpoint before those ahead of it have left.
 */
export function createDeliver(services: DeliveryServices, ended: AbortSignal): Deliver {
  const { events, clock, log } = services;
  const refusals = new Map<string, Refusals>();

  async function deliverWindow(
    endpoint: EndpointKey,
    mayGoOn: () => boolean,
    window: readonly StoredEvent[],
    { url, waits }: Refusals,
  ): Promise<void> {
    const oldestMs = clock.nowMs() - services.maxAgeMs;
    if ((window[0] as StoredEvent).createdAtMs < oldestMs) return drop(endpoint, oldestMs, 'its receiver took none for too long');
    const lanes = new Map<string, StoredEvent[]>();
    for (const event of window) lanes.set(event.organizationId, [...(lanes.get(event.organizationId) ?? []), event]);
    const gone: number[] = [];
    const queue = [...lanes];
    const lane = async () => {
      for (let next = queue.shift(); next !== undefined && mayGoOn(); next = queue.shift()) {
        const [organizationId, own] = next;
        const fault = await deliverInOrder(new URL(url), mayGoOn, own, gone);
        if (fault === undefined) waits.delete(organizationId);
        else {
          const attempts = (waits.get(organizationId)?.attempts ?? 0) + 1;
          waits.set(organizationId, { attempts, untilMs: clock.nowMs() + backOffMs(attempts) });
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: Math.min(LANES, queue.length) }, lane));
    await events.remove(endpoint, gone);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Delivers one organization's events, one after the other, and names those that are done with. Gives the fault that it stopped at. */
  async function deliverInOrder(
    url: URL,
    mayGoOn: () => boolean,
    own: readonly StoredEvent[],
    gone: number[],
  ): Promise<DeliveryFault | undefined> {
    for (const event of own) {
      if (!mayGoOn()) return undefined;
      const { organizationId, id: eventId, endpointId, seq } = event;
      const about = { organizationId, eventId, endpointId };
      if (!macsEqual(services.vault.integrity.event(event), event.mac)) {
        services.alarm(organizationId, `the event ${eventId} was changed or put there outside the service, and was not sent`);
        services.onEvent('dropped', 1);
        gone.push(seq);
        continue;
      }
      try {
        await services.poster.post(url, await signedHeaders(services.vault, event, clock.nowMs()), event.body);
        services.onEvent('delivered', 1);
        gone.push(seq);
      } catch (error) {
        if (!(error instanceof DeliveryFault)) throw error;
        services.onEvent(error.permanent ? 'refused' : 'retried', 1);
        log.warn({ ...about, fault: error.message, final: error.permanent }, 'an event was not delivered');
        if (!error.permanent) return error;
        gone.push(seq);
      }
    }
    return undefined;
  }

  /** The endpoint's address now. Throws where its organization does not verify: its events wait until it does. */
  async function urlOf({ listenerId, endpointId }: EndpointKey): Promise<string | undefined> {
    const organization = await services.snapshots.current(listenerId);
    return organization && listenersOf(organization).find((listener) => listener.endpointId === endpointId)?.url;
  }

  /** What is known of the receiver at an address: another one begins with a clean sheet. */
  function refusalsAt({ endpointId }: EndpointKey, url: string): Refusals {
    const known = refusals.get(endpointId);
    if (known?.url === url) return known;
    const none = { url, waits: new Map<string, Blocked>() };
    refusals.set(endpointId, none);
    return none;
  }

  async function drop(endpoint: EndpointKey, beforeMs: number, why: string): Promise<void> {
    const count = await events.clear(endpoint, beforeMs);
    services.onEvent('dropped', count);
    log.warn({ ...endpoint, count, why }, 'events were dropped');
  }

  return async (endpoint, hold) => {
    const turnEndMs = clock.nowMs() + TURN_MS;
    const mayGoOn = () => !ended.aborted && hold.isKept() && clock.nowMs() < turnEndMs;
    while (mayGoOn()) {
      const url = await urlOf(endpoint);
      if (url === undefined) {
        refusals.delete(endpoint.endpointId);
        await drop(endpoint, Number.MAX_SAFE_INTEGER, 'its endpoint is gone or paused');
        return undefined;
      }
      const known = refusalsAt(endpoint, url);
      const nowMs = clock.nowMs();
      const waiting = [...known.waits].filter(([, wait]) => wait.untilMs > nowMs);
      const untilMs = Math.min(...waiting.map(([, wait]) => wait.untilMs));
      const hasMoved = async () => (await urlOf(endpoint)) !== url;
      if (waiting.length >= MAX_BLOCKED) return { untilMs, isOver: hasMoved };
      const others = waiting.map(([organizationId]) => organizationId);
      const window = await events.oldest(endpoint, WINDOW, others);
      if (window.length > 0) await deliverWindow(endpoint, mayGoOn, window, known);
      else if (waiting.length > 0)
        return { untilMs, isOver: async () => (await hasMoved()) || (await events.oldest(endpoint, 1, others)).length > 0 };
      else {
        refusals.delete(endpoint.endpointId);
        return undefined;
      }
    }
    return undefined;
  };
}
