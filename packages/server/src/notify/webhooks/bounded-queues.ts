import { setTimeout as sleep } from 'node:timers/promises';
import type { DueEndpoints, EndpointKey } from '../../store/store.ts';
import type { DeliveryServices } from './deliver-window.ts';
import type { FullQueues } from './full-queues.ts';

/** Minimum time between two passes over all endpoints with queued events. */
const PASS_MS = 15_000;
/** A pass takes at most this part of the time. */
const REST_SHARE = 50;
const ENDPOINTS_PER_STEP = 64;
/** Rows that one query measures or removes, so that none of them takes long. */
const MEASURED_ROWS = 2_000;
const REMOVED_ROWS = 500;
/** A full queue takes events again below this part of its limits. */
const ROOM_SHARE = 0.9;

/** The oldest event of each full queue, by the id of its endpoint. */
type OldestEvents = Map<string, { readonly endpoint: EndpointKey; readonly seq: number }>;

/** Limits of the queue of an endpoint. */
export interface QueueLimits {
  readonly events: number;
  readonly bytes: number;
}

export interface BoundServices extends Pick<DeliveryServices, 'events' | 'clock' | 'log' | 'onEvent'> {
  readonly fullQueues: FullQueues;
  readonly queueLimits: QueueLimits;
}

/**
 * Bounds the queue of every endpoint until stopped.
 * INVARIANT: D361: after a pass, the queue of an endpoint is within its limits, and this process adds nothing to a full one. The oldest
 * events stay, so that what is missing begins after the last event that the receiver gets. Lost events are counted.
 */
export async function boundQueues(services: BoundServices, ended: AbortSignal): Promise<void> {
  const oldest: OldestEvents = new Map();
  while (!ended.aborted) {
    const startMs = performance.now();
    await pass(services, oldest, ended).catch((error: unknown) => {
      // The database does not respond, which is temporary.
      if (!ended.aborted) services.log.warn({ err: error }, 'queues of events were not bounded');
    });
    const restMs = Math.max(PASS_MS, (performance.now() - startMs) * REST_SHARE);
    await sleep(restMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
  }
}

async function pass(services: BoundServices, oldest: OldestEvents, ended: AbortSignal): Promise<void> {
  const { events, fullQueues } = services;
  const queued = new Set<string>();
  for (let walked: string | undefined = ''; walked !== undefined && !ended.aborted; ) {
    const { endpoints, walkedTo }: DueEndpoints = await events.queues(ENDPOINTS_PER_STEP, walked);
    for (const endpoint of endpoints) {
      if (ended.aborted) return;
      queued.add(endpoint.endpointId);
      const [first] = await events.sizes(endpoint, 1);
      // Nothing left a full queue since the last pass, and nothing was added: it is as full as before.
      const isUnchanged = fullQueues.isFull(endpoint.endpointId) && first?.seq === oldest.get(endpoint.endpointId)?.seq;
      if (!isUnchanged) fullQueues.mark(endpoint, await boundQueue(services, endpoint));
      if (first !== undefined && fullQueues.isFull(endpoint.endpointId))
        oldest.set(endpoint.endpointId, { endpoint, seq: first.seq });
    }
    walked = walkedTo;
  }
  for (const [endpointId, { endpoint }] of oldest) {
    if (queued.has(endpointId)) continue;
    // It was delivered, or dropped with its endpoint.
    oldest.delete(endpointId);
    fullQueues.mark(endpoint, false);
  }
  // Events that were not written because a queue was full.
  for (const { endpoint, count } of fullQueues.takeLost()) await reportLost(services, endpoint, count);
}

async function reportLost({ events, clock, log, onEvent }: BoundServices, endpoint: EndpointKey, count: number): Promise<void> {
  onEvent('dropped', count);
  await events.noteDropped(endpoint, count, clock.nowMs());
  const why = 'its queue reached maxWaitingEvents or maxWaitingEventMegabytes';
  log.warn({ ...endpoint, count, why }, 'events were dropped');
}

/**
 * Drops the newest events of one endpoint above the limits. Returns whether the queue is full. Several processes may do it concurrently:
 * each event is counted by one of them.
 */
async function boundQueue(services: BoundServices, endpoint: EndpointKey): Promise<boolean> {
  const { events, fullQueues } = services;
  const { first, share } = await measure(services, endpoint);
  if (first === undefined) return share >= (fullQueues.isFull(endpoint.endpointId) ? ROOM_SHARE : 1);
  let count = 0;
  for (let removed = REMOVED_ROWS; removed === REMOVED_ROWS; ) {
    removed = await events.removeFrom(endpoint, first, REMOVED_ROWS);
    count += removed;
  }
  if (count > 0) await reportLost(services, endpoint, count);
  return true;
}

/** The number of the oldest event that does not fit, and how full the queue is. */
async function measure(
  { events, queueLimits }: BoundServices,
  endpoint: EndpointKey,
): Promise<{ readonly first?: number; readonly share: number }> {
  let [count, total] = [0, 0];
  const share = () => Math.max(count / queueLimits.events, total / queueLimits.bytes);
  for (let above: number | undefined; ; ) {
    const sizes = await events.sizes(endpoint, MEASURED_ROWS, above);
    for (const { seq, bytes } of sizes) {
      count += 1;
      total += bytes;
      if (count > queueLimits.events || total > queueLimits.bytes) return { first: seq, share: share() };
    }
    if (sizes.length < MEASURED_ROWS) return { share: share() };
    above = sizes.at(-1)?.seq;
  }
}
