import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { lazyLru } from '../../admission/index.ts';
import type { DueEndpoints, EndpointKey } from '../../store/store.ts';
import type { Signal } from '../delivery/signal.ts';
import { type BoundServices, boundQueues } from './bounded-queues.ts';
import { createDeliver, type Pause } from './deliver.ts';
import type { DeliveryServices } from './deliver-window.ts';
import { type Hold, holdEndpoint } from './hold-endpoint.ts';

export interface DispatcherServices extends DeliveryServices, Pick<BoundServices, 'fullQueues' | 'queueLimits'> {
  /** Rings when events may be queued. */
  readonly signal: Signal;
}

export interface Dispatcher {
  /** Stops. Deliveries in flight get seconds to finish; the next start or another process does the rest. */
  stop(): Promise<void>;
}

const POLL_MS = 1_000;
/** How long to skip an endpoint after an error, for example if the database does not respond. */
const FAULT_PAUSE_MS = 5_000;
/** Number of endpoints to scan per query. */
const STEPS = 256;
const MAX_ENDPOINTS = 32;
/** Maximum number of served endpoints that accepted nothing at the last attempt, so that they cannot occupy all slots. */
const MAX_SUSPECTS = 8;
/** Maximum number of endpoints to hold through a pause that is only for some organizations. Others are released. */
const MAX_KEPT = 32;
/** Pause between scans: this many times the duration of a scan, with a minimum. */
const REST_SHARE = 5;
const REST_MS = 10;

/** Delivers queued events until stopped. Any number of processes can run a dispatcher concurrently. */
export function startDispatcher(services: DispatcherServices): Dispatcher {
  const { events, clock, log, signal } = services;
  const holder = randomUUID();
  const ended = new AbortController();
  // Every endpoint that is held through a pause listens to this signal.
  setMaxListeners(0, ended.signal);
  const deliver = createDeliver(services, ended.signal);
  const serving = new Map<string, Promise<void>>();
  const suspects = new LRUCache<string, true>(lazyLru(10_000));
  let active = 0;
  let activeSuspects = 0;
  let kept = 0;
  /** Cursor of the next scan after a scan that ran out of slots, so that every endpoint is served. */
  let after = '';
  const running = Promise.all([work(), boundQueues(services, ended.signal)]);

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      const begunMs = performance.now();
      await startServing().catch((error: unknown) => {
        // The database does not respond, which is temporary.
        if (!ended.signal.aborted) log.warn({ err: error }, 'events cannot be delivered');
      });
      const restMs = Math.max(REST_MS, (performance.now() - begunMs) * REST_SHARE);
      await sleep(restMs, undefined, { signal: ended.signal }).catch(() => undefined);
      await signal.wait(POLL_MS, ended.signal);
    }
    await Promise.all(serving.values());
  }

  /** Starts to serve endpoints with queued events, up to the limit: first after the cursor, then from the beginning. */
  async function startServing(): Promise<void> {
    if (after !== '' && !(await startAfter(after))) return;
    if (await startAfter('')) after = '';
  }

  /** Returns false if no slot is free or the dispatcher stops. */
  async function startAfter(from: string): Promise<boolean> {
    for (let walked: string | undefined = from; walked !== undefined; ) {
      const { endpoints, walkedTo }: DueEndpoints = await events.due(clock.nowMs(), STEPS, walked);
      for (const endpoint of endpoints) {
        if (ended.signal.aborted || active >= MAX_ENDPOINTS) return false;
        await start(endpoint);
        after = endpoint.endpointId;
      }
      walked = walkedTo;
    }
    return true;
  }

  async function start(endpoint: EndpointKey): Promise<void> {
    const suspect = suspects.has(endpoint.endpointId);
    if (serving.has(endpoint.endpointId) || (suspect && activeSuspects >= MAX_SUSPECTS)) return;
    const hold = await holdEndpoint(events, clock, endpoint, holder);
    if (hold !== undefined) serving.set(endpoint.endpointId, serve(endpoint, hold, suspect));
  }

  /** Delivers to one endpoint, then releases it. INVARIANT: the hold never outlives this call, even if the call fails. */
  async function serve(endpoint: EndpointKey, hold: Hold, suspect: boolean): Promise<void> {
    const cannot = (error: unknown) => log.warn({ err: error, ...endpoint }, 'events cannot be delivered');
    let notBeforeMs: number | undefined;
    let pause: Pause | undefined;
    active += 1;
    if (suspect) activeSuspects += 1;
    try {
      pause = await deliver(endpoint, hold);
    } catch (error) {
      cannot(error);
      notBeforeMs = clock.nowMs() + FAULT_PAUSE_MS;
    }
    active -= 1;
    if (suspect) activeSuspects -= 1;
    if (pause?.forAll) suspects.set(endpoint.endpointId, true);
    else suspects.delete(endpoint.endpointId);
    try {
      if (pause !== undefined) notBeforeMs = await waitFor(hold, pause);
    } catch (error) {
      cannot(error);
    }
    try {
      await hold.end(ended.signal.aborted ? undefined : notBeforeMs);
      // A change since the pause was decided did not wake the endpoint, so check again.
      if (pause?.forAll && notBeforeMs !== undefined && (await pause.isOver())) await events.wake(endpoint.endpointId);
    } catch (error) {
      cannot(error);
    }
    serving.delete(endpoint.endpointId);
    // An event may have arrived after the last query, while this task still held the endpoint.
    signal.notify();
  }

  /**
   * Waits through a pause that is only for some organizations, because only this process knows which ones. Returns the time until which
   * other processes must wait if this process does not wait itself.
   */
  async function waitFor(hold: Hold, { untilMs, forAll, isOver }: Pause): Promise<number | undefined> {
    if (forAll || kept >= MAX_KEPT) return untilMs;
    // Other endpoints may wait for the slot that is now free.
    signal.notify();
    kept += 1;
    try {
      while (!ended.signal.aborted && hold.isKept() && clock.nowMs() < untilMs) {
        const restMs = Math.min(POLL_MS, untilMs - clock.nowMs());
        await sleep(restMs, undefined, { signal: ended.signal }).catch(() => undefined);
        if (await isOver()) break;
      }
    } finally {
      kept -= 1;
    }
    return undefined;
  }

  return {
    async stop() {
      ended.abort();
      await Promise.race([running, sleep(3_000, undefined, { ref: false })]);
      services.poster.close();
    },
  };
}
