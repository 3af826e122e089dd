import { setTimeout as sleep } from 'node:timers/promises';
import type { DueEndpoints, EndpointKey } from '../../store/store.ts';
import type { DeliveryServices } from './deliver-window.ts';

/** Minimum time between two passes over all endpoints with queued events. */
const PASS_MS = 15_000;
/** A pass takes at most this part of the time. */
const REST_SHARE = 50;
const ENDPOINTS_PER_STEP = 64;
/** Rows that one query measures or removes, so that none of them takes long. */
const MEASURED_ROWS = 2_000;
const REMOVED_ROWS = 500;

type BoundServices = Pick<DeliveryServices, 'events' | 'clock' | 'log' | 'onEvent'>;

/**
 * Bounds the queue of every endpoint until stopped.
 * INVARIANT: D361: after a pass, the queued events of an endpoint have at most `maxBytes`. The oldest are dropped, and counted.
 */
export async function boundQueues(services: BoundServices, maxBytes: number, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const startMs = performance.now();
    await pass(services, maxBytes, ended).catch((error: unknown) => {
      // The database does not respond, which is temporary.
      if (!ended.aborted) services.log.warn({ err: error }, 'queues of events were not bounded');
    });
    const restMs = Math.max(PASS_MS, (performance.now() - startMs) * REST_SHARE);
    await sleep(restMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
  }
}

async function pass(services: BoundServices, maxBytes: number, ended: AbortSignal): Promise<void> {
  for (let walked: string | undefined = ''; walked !== undefined && !ended.aborted; ) {
    const { endpoints, walkedTo }: DueEndpoints = await services.events.queues(ENDPOINTS_PER_STEP, walked);
    for (const endpoint of endpoints) if (!ended.aborted) await boundQueue(services, endpoint, maxBytes);
    walked = walkedTo;
  }
}

/** Drops the oldest events of one endpoint above `maxBytes`. Several processes may do it at once: each event is counted by one of them. */
export async function boundQueue(services: BoundServices, endpoint: EndpointKey, maxBytes: number): Promise<void> {
  const { events, clock, log, onEvent } = services;
  const last = await lastToDrop(services, endpoint, maxBytes);
  if (last === undefined) return;
  let count = 0;
  for (let removed = REMOVED_ROWS; removed === REMOVED_ROWS; ) {
    removed = await events.removeUpTo(endpoint, last, REMOVED_ROWS);
    count += removed;
  }
  if (count === 0) return;
  onEvent('dropped', count);
  await events.noteDropped(endpoint, count, clock.nowMs());
  log.warn({ ...endpoint, count, why: 'its undelivered events exceeded maxWaitingEventMegabytes' }, 'events were dropped');
}

/** The number of the newest event that does not fit. */
async function lastToDrop({ events }: BoundServices, endpoint: EndpointKey, maxBytes: number): Promise<number | undefined> {
  let total = 0;
  for (let below: number | undefined; ; ) {
    const sizes = await events.sizes(endpoint, MEASURED_ROWS, below);
    for (const { seq, bytes } of sizes) {
      total += bytes;
      if (total > maxBytes) return seq;
    }
    if (sizes.length < MEASURED_ROWS) return undefined;
    below = sizes.at(-1)?.seq;
  }
}
