import { setImmediate } from 'node:timers/promises';
import { defaults } from '@countersign/contract';
import type { StoredEvent } from '../../store/rows.ts';
import type { EndpointKey } from '../../store/store.ts';
import { BatchDelivery, WINDOW_EVENTS } from './deliver-batches.ts';
import { type DeliveryServices, type Receiver, subscriberIn, WindowDelivery } from './deliver-window.ts';
import type { Hold } from './hold-endpoint.ts';
import { nextNumbered } from './numbered-events.ts';
import { createHealth, type ReceiverHealth } from './receiver-health.ts';
import { createReceiverNotes } from './receiver-notes.ts';
import type { Subscriber } from './webhook-events.ts';

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

/** Where an endpoint receives events, and how. */
type Target = Pick<Subscriber, 'url' | 'mode'>;

/** Some queued events, and how to deliver them. */
interface Window {
  readonly events: readonly StoredEvent[];
  /** Returns the earliest time for a retry if the receiver seems to be down. */
  deliver(receiver: Receiver): Promise<number | undefined>;
}

/**
 * INVARIANT: an event leaves the queue only after it was delivered, rejected permanently, or dropped with a log line. Within one
 * organization, no event is sent to an endpoint before the events ahead of it are done.
 */
export function createDeliver(services: DeliveryServices, ended: AbortSignal): Deliver {
  const { events, clock } = services;
  const healthOf = createHealth();
  const notes = createReceiverNotes(events, clock);
  const windows = new WindowDelivery(services, notes);
  const batches = new BatchDelivery(services, notes);

  /** The endpoint's current target. Throws if its organization fails verification; its events stay queued until it passes. */
  async function targetOf(endpoint: EndpointKey): Promise<Target | undefined> {
    return subscriberIn(await services.snapshots.current(endpoint.listenerId), endpoint);
  }

  /**
   * The next events: the oldest or, if some organizations wait for a retry, the first event of each other organization. Endpoints with
   * batches have one order for all organizations.
   */
  async function read(
    endpoint: EndpointKey,
    target: Target | undefined,
    health: ReceiverHealth,
    waiting: readonly string[],
  ): Promise<Window> {
    if (target !== undefined && target.mode !== defaults.webhookDeliveryMode) {
      const part = await nextNumbered(events, endpoint, health.isSuspect ? 1 : WINDOW_EVENTS);
      const isPipelined = target.mode === 'WEBHOOK_DELIVERY_MODE_PIPELINE';
      return { events: part.events, deliver: (receiver) => batches.deliver(receiver, { ...part, isPipelined }) };
    }
    const found = await (waiting.length > 0
      ? events.firstOfOthers(endpoint, WINDOW, waiting)
      : events.oldest(endpoint, health.isSuspect ? 1 : WINDOW));
    return { events: found, deliver: (receiver) => windows.deliver(receiver, found) };
  }

  return async (endpoint, hold) => {
    const turnEndMs = clock.nowMs() + TURN_MS;
    const mayContinue = () => !ended.aborted && hold.isKept() && clock.nowMs() < turnEndMs;
    let target = await targetOf(endpoint);
    // Yield, so that a receiver that fails immediately does not block the process.
    for (; mayContinue(); await setImmediate()) {
      const health = healthOf(endpoint.endpointId, target?.url ?? '');
      const { organizationIds: waiting, untilMs } = health.blockedNow(clock.nowMs());
      const known = target;
      const hasMoved = async () => !isSame(await targetOf(endpoint), known);
      if (waiting.length >= MAX_BLOCKED) return { untilMs, forAll: false, isOver: hasMoved };
      const window = await read(endpoint, target, health, waiting);
      // Read the address after the window. If the endpoint was reactivated in between, its new events are not in the window.
      const current = await targetOf(endpoint);
      if (!isSame(current, target)) {
        target = current;
        continue;
      }
      if (window.events.length === 0) {
        if (waiting.length === 0) return undefined;
        const isOver = async () => (await hasMoved()) || (await events.firstOfOthers(endpoint, 1, waiting)).length > 0;
        return { untilMs, forAll: false, isOver };
      }
      if (await dropUndeliverable(services, endpoint, target?.url, window.events)) continue;
      const downUntilMs = await window.deliver({ endpoint, health, mayContinue });
      const blocked = health.blockedNow(clock.nowMs());
      await notes.save(endpoint, downUntilMs ?? (blocked.organizationIds.length > 0 ? blocked.untilMs : 0));
      // The address may have changed while the old one was tried.
      if (downUntilMs !== undefined && !(await hasMoved())) return { untilMs: downUntilMs, forAll: true, isOver: hasMoved };
    }
    return undefined;
  };
}

/** Whether nothing changed that a delivery depends on. */
function isSame(one: Target | undefined, other: Target | undefined): boolean {
  return one?.url === other?.url && one?.mode === other?.mode;
}

/** Drops events without an address, or that are too old. Returns whether there were any. */
async function dropUndeliverable(
  services: DeliveryServices,
  endpoint: EndpointKey,
  url: string | undefined,
  window: readonly StoredEvent[],
): Promise<boolean> {
  const { events, clock, maxAgeMs, onEvent, log, snapshots } = services;
  const oldestMs = clock.nowMs() - maxAgeMs;
  const dropped = url === undefined ? window : window.filter(({ createdAtMs }) => createdAtMs < oldestMs);
  if (dropped.length === 0) return false;
  const why = url === undefined ? 'their endpoint was deleted or paused' : 'their receiver accepted none for too long';
  await events.remove(
    endpoint,
    dropped.map(({ seq }) => seq),
  );
  onEvent('dropped', dropped.length);
  const record = (await snapshots.get(endpoint.listenerId))?.records.webhookEndpoint.get(endpoint.endpointId);
  if (url !== undefined || record?.disabledAtMs !== undefined) await events.noteDropped(endpoint, dropped.length, clock.nowMs());
  log.warn({ ...endpoint, count: dropped.length, why }, 'events were dropped');
  if (url !== undefined) await disableIfDead(services, endpoint, dropped);
  return true;
}

/**
 * Disables an endpoint that accepted nothing since an event happened that was now dropped because of its age.
 * SECURITY: D538: otherwise receivers that never answer cost every signature a row until an operator notices.
 */
async function disableIfDead(
  { events, disable }: DeliveryServices,
  endpoint: EndpointKey,
  dropped: readonly StoredEvent[],
): Promise<void> {
  const sinceMs = Math.min(...dropped.map(({ createdAtMs }) => createdAtMs));
  const [state] = await events.states(endpoint.listenerId, [endpoint.endpointId], 1);
  if ((state?.takenAtMs ?? 0) < sinceMs) await disable(endpoint, sinceMs);
}
