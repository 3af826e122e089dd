import { setImmediate } from 'node:timers/promises';
import type { StoredEvent } from '../../store/rows.ts';
import type { EndpointKey } from '../../store/store.ts';
import { addressIn, type DeliveryServices, WindowDelivery } from './deliver-window.ts';
import type { Hold } from './hold-endpoint.ts';
import { createHealth } from './receiver-health.ts';
import { createReceiverNotes } from './receiver-notes.ts';

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
/** If this many organizations wait for a retry, do not look for events of others. */
const MAX_BLOCKED = 32;

/**
 * INVARIANT: an event leaves the queue only after it was delivered, rejected permanently, or dropped with a log line. Within one
 * organization, no event is sent to an endpoint before the events ahead of it are done.
 */
export function createDeliver(services: DeliveryServices, ended: AbortSignal): Deliver {
  const { events, clock } = services;
  const healthOf = createHealth();
  const notes = createReceiverNotes(events, clock);
  const windows = new WindowDelivery(services, notes);

  /** The endpoint's current address. Throws if its organization fails verification; its events stay queued until it passes. */
  async function urlOf(endpoint: EndpointKey): Promise<string | undefined> {
    return addressIn(await services.snapshots.current(endpoint.listenerId), endpoint);
  }

  return async (endpoint, hold) => {
    const turnEndMs = clock.nowMs() + TURN_MS;
    const mayContinue = () => !ended.aborted && hold.isKept() && clock.nowMs() < turnEndMs;
    let url = await urlOf(endpoint);
    // Yield, so that a receiver that fails immediately does not block the process.
    for (; mayContinue(); await setImmediate()) {
      const health = healthOf(endpoint.endpointId, url ?? '');
      const { organizationIds: waiting, untilMs } = health.blockedNow(clock.nowMs());
      const known = url;
      const hasMoved = async () => (await urlOf(endpoint)) !== known;
      if (waiting.length >= MAX_BLOCKED) return { untilMs, forAll: false, isOver: hasMoved };
      // The oldest events or, if some organizations wait for a retry, the first event of each other organization.
      const window = await (waiting.length > 0
        ? events.firstOfOthers(endpoint, WINDOW, waiting)
        : events.oldest(endpoint, health.isSuspect ? 1 : WINDOW));
      // Read the address after the window. If the endpoint was reactivated in between, its new events are not in the window.
      const current = await urlOf(endpoint);
      if (current !== url) {
        url = current;
        continue;
      }
      if (window.length === 0) {
        if (waiting.length === 0) return undefined;
        const isOver = async () => (await hasMoved()) || (await events.firstOfOthers(endpoint, 1, waiting)).length > 0;
        return { untilMs, forAll: false, isOver };
      }
      if (await dropUndeliverable(services, endpoint, url, window)) continue;
      const downUntilMs = await windows.deliver({ endpoint, health, mayContinue }, window);
      const blocked = health.blockedNow(clock.nowMs());
      await notes.save(endpoint, downUntilMs ?? (blocked.organizationIds.length > 0 ? blocked.untilMs : 0));
      // The address may have changed while the old one was tried.
      if (downUntilMs !== undefined && !(await hasMoved())) return { untilMs: downUntilMs, forAll: true, isOver: hasMoved };
    }
    return undefined;
  };
}

/** Drops events without an address, or that are too old. Returns whether there were any. */
async function dropUndeliverable(
  { events, clock, maxAgeMs, onEvent, log }: DeliveryServices,
  endpoint: EndpointKey,
  url: string | undefined,
  window: readonly StoredEvent[],
): Promise<boolean> {
  const oldestMs = clock.nowMs() - maxAgeMs;
  const dropped = url === undefined ? window : window.filter(({ createdAtMs }) => createdAtMs < oldestMs);
  if (dropped.length === 0) return false;
  const why = url === undefined ? 'their endpoint was deleted or paused' : 'their receiver accepted none for too long';
  await events.remove(
    endpoint,
    dropped.map(({ seq }) => seq),
  );
  onEvent('dropped', dropped.length);
  if (url !== undefined) await events.noteDropped(endpoint, dropped.length, clock.nowMs());
  log.warn({ ...endpoint, count: dropped.length, why }, 'events were dropped');
  return true;
}
