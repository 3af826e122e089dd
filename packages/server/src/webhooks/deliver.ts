import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DeliveryFault } from '../delivery/delivery-fault.ts';
import type { Snapshots } from '../organizations/snapshots.ts';
import type { StoredEvent } from '../store/rows.ts';
import type { EndpointKey, Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity.ts';
import type { Vault } from '../vault/vault.ts';
import type { Hold } from './hold-endpoint.ts';
import { listenersOf } from './listeners.ts';
import type { Poster } from './post-event.ts';
import { createHealth, type ReceiverHealth } from './receiver-health.ts';
import { signedHeaders } from './signature.ts';

/** What became of an attempt, for the metrics. */
export type EventOutcome = 'delivered' | 'retried' | 'refused' | 'dropped';

/** What delivering works with. */
export interface DeliveryServices {
  readonly events: Store['events'];
  readonly snapshots: Pick<Snapshots, 'current' | 'get'>;
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
  /**
   * Present where the pause is for some organizations only: whether there is something to do before its end, for another one or because
   * the endpoint was changed. Absent where the receiver seems to be down.
   */
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
/** Of how many organizations a receiver that took nothing is sent one event each, to see whether it is back. */
const PROBES = 4;
/** With more organizations than these waiting for another try, nobody else's events are looked for. */
const MAX_BLOCKED = 32;

/**
 * INVARIANT: an event leaves the queue only after it was delivered, refused for good, or dropped with a word in the log; of one
 * organization, no event is sent to an endpoint before those ahead of it have left.
 */
export function createDeliver(services: DeliveryServices, ended: AbortSignal): Deliver {
  const { events, snapshots, clock, log } = services;
  const healthOf = createHealth();

  /** Delivers what a window of the queue holds. Gives the time before which nobody should try again where the receiver seems down. */
  async function deliverWindow(
    endpoint: EndpointKey,
    mayGoOn: () => boolean,
    window: readonly StoredEvent[],
    health: ReceiverHealth,
  ): Promise<number | undefined> {
    const lanes = new Map<string, StoredEvent[]>();
    for (const event of window) lanes.set(event.organizationId, [...(lanes.get(event.organizationId) ?? []), event]);
    const queue = health.isSuspect ? [...lanes].slice(0, PROBES).map(([id, own]) => [id, own.slice(0, 1)] as const) : [...lanes];
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
    return failed.length === 0 ? undefined : health.failed(failed, gone.length > 0, clock.nowMs());
  }

  /** Delivers one organization's events, one after the other, and names those that are done with. Gives the fault that it stopped at. */
  async function deliverInOrder(
    endpoint: EndpointKey,
    url: string,
    mayGoOn: () => boolean,
    own: readonly StoredEvent[],
    gone: number[],
  ): Promise<DeliveryFault | undefined> {
    for (const event of own) {
      // An endpoint that was changed or removed here meanwhile gets nothing more at its old address.
      if (!mayGoOn() || addressIn(await snapshots.get(endpoint.listenerId), endpoint) !== url) return undefined;
      const { organizationId, id: eventId, endpointId, seq } = event;
      if (!macsEqual(services.vault.integrity.event(event), event.mac)) {
        services.alarm(organizationId, `the event ${eventId} was changed or put there outside the service, and was not sent`);
        services.onEvent('dropped', 1);
        gone.push(seq);
        continue;
      }
      try {
        await services.poster.post(new URL(url), await signedHeaders(services.vault, event, clock.nowMs()), event.body);
        services.onEvent('delivered', 1);
        gone.push(seq);
      } catch (error) {
        if (!(error instanceof DeliveryFault)) throw error;
        const { permanent, message: fault } = error;
        services.onEvent(permanent ? 'refused' : 'retried', 1);
        log.warn({ organizationId, eventId, endpointId, fault, final: permanent }, 'an event was not delivered');
        if (!permanent) return error;
        gone.push(seq);
      }
    }
    return undefined;
  }

  /** The endpoint's address now. Throws where its organization does not verify: its events wait until it does. */
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

  return async (endpoint, hold) => {
    const turnEndMs = clock.nowMs() + TURN_MS;
    const mayGoOn = () => !ended.aborted && hold.isKept() && clock.nowMs() < turnEndMs;
    let url = await urlOf(endpoint);
    // A receiver that fails at once must not keep the process from everything else.
    for (; mayGoOn(); await setImmediate()) {
      const health = healthOf(endpoint.endpointId, url ?? '');
      const { organizationIds: others, untilMs } = health.blockedNow(clock.nowMs());
      const hasMoved = async () => (await urlOf(endpoint)) !== url;
      if (others.length >= MAX_BLOCKED) return { untilMs, isOver: hasMoved };
      const window = await events.oldest(endpoint, WINDOW, others);
      // Asked for after the window was read: what came in for an endpoint that was taken up again is not in the window.
      const current = await urlOf(endpoint);
      if (current !== url) url = current;
      else if (window.length === 0) {
        if (others.length === 0) return undefined;
        return { untilMs, isOver: async () => (await hasMoved()) || (await events.oldest(endpoint, 1, others)).length > 0 };
      } else if (url === undefined) await drop(endpoint, window, 'their endpoint is gone or paused');
      else {
        const oldestMs = clock.nowMs() - services.maxAgeMs;
        const old = window.filter(({ createdAtMs }) => createdAtMs < oldestMs);
        if (old.length > 0) await drop(endpoint, old, 'their receiver took none for too long');
        else {
          const downUntilMs = await deliverWindow(endpoint, mayGoOn, window, health);
          if (downUntilMs !== undefined) return { untilMs: downUntilMs };
        }
      }
    }
    return undefined;
  };
}

function addressIn(organization: Parameters<typeof listenersOf>[0] | undefined, { endpointId }: EndpointKey): string | undefined {
  return organization && listenersOf(organization).find((listener) => listener.endpointId === endpointId)?.url;
}
