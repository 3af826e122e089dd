import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Bell } from '../delivery/bell.ts';
import type { DueEndpoints, EndpointKey } from '../store/store.ts';
import { createDeliver, type DeliveryServices, type Pause } from './deliver.ts';
import { type Hold, holdEndpoint } from './hold-endpoint.ts';

/** What a dispatcher works with. */
export interface DispatcherServices extends DeliveryServices {
  /** Rings when something may wait. */
  readonly bell: Bell;
}

export interface Dispatcher {
  /** Ends the work: what is being sent may finish within seconds; the rest is left to the next start, or to another process. */
  stop(): Promise<void>;
}

const POLL_MS = 1_000;
/** How long to leave an endpoint alone that could not be worked on, for instance because the database did not answer. */
const FAULT_PAUSE_MS = 5_000;
/** How many endpoints are looked at before others get the process again. */
const STEPS = 256;
const MAX_ENDPOINTS = 32;
/** How many of them may be endpoints that took nothing when last tried, so that these cannot take all places. */
const MAX_SUSPECTS = 8;
/** How many endpoints are kept through a pause that is for some organizations only; more are let go of. */
const MAX_KEPT = 32;
/** Between looks for work, so many times as long as a look took, and never less than a little. */
const REST_SHARE = 5;
const REST_MS = 10;

/** Has what commits announced delivered, until it is stopped. Any number of processes may do so at once. */
export function startDispatcher(services: DispatcherServices): Dispatcher {
  const { events, clock, log, bell } = services;
  const holder = randomUUID();
  const ended = new AbortController();
  // Every endpoint that is kept through a pause listens for the end.
  setMaxListeners(0, ended.signal);
  const deliver = createDeliver(services, ended.signal);
  const serving = new Map<string, Promise<void>>();
  const suspects = new LRUCache<string, true>({ max: 10_000 });
  let active = 0;
  let activeSuspects = 0;
  let kept = 0;
  /** Where the next look goes on after one for which there was no more room, so that everybody gets a turn. */
  let after = '';
  const running = work();

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      const begunMs = performance.now();
      await startServing().catch((error: unknown) => {
        // The database does not answer, which passes.
        if (!ended.signal.aborted) log.warn({ err: error }, 'events cannot be delivered now');
      });
      const restMs = Math.max(REST_MS, (performance.now() - begunMs) * REST_SHARE);
      await sleep(restMs, undefined, { signal: ended.signal }).catch(() => undefined);
      await bell.wait(POLL_MS, ended.signal);
    }
    await Promise.all(serving.values());
  }

  /** Starts on endpoints that events wait for, as many as may be served at once: from where the last look ended, then from the start. */
  async function startServing(): Promise<void> {
    if (after !== '' && !(await startAfter(after))) return;
    if (await startAfter('')) after = '';
  }

  /** False where there was no more room. */
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

  /** Delivers to one endpoint, and lets go of it. INVARIANT: however it ends, the hold does not outlive it. */
  async function serve(endpoint: EndpointKey, hold: Hold, suspect: boolean): Promise<void> {
    const cannot = (error: unknown) => log.warn({ err: error, ...endpoint }, 'events cannot be delivered now');
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
      // What has changed since the pause was decided on found nothing to wake.
      if (pause?.forAll && notBeforeMs !== undefined && (await pause.isOver())) await events.wake(endpoint.endpointId);
    } catch (error) {
      cannot(error);
    }
    serving.delete(endpoint.endpointId);
    // Something may have come in after the last look, and been left to this very task.
    bell.ring();
  }

  /**
   * Waits for the end of a pause that is for some organizations only, since which these are is known to this process alone. Gives the
   * time that others are to wait for, where it is not waited for here.
   */
  async function waitFor(hold: Hold, { untilMs, forAll, isOver }: Pause): Promise<number | undefined> {
    if (forAll || kept >= MAX_KEPT) return untilMs;
    // Others may have been waiting for the place that is free now.
    bell.ring();
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
