import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bell } from '../delivery/bell.ts';
import type { EndpointKey } from '../store/store.ts';
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
  const suspects = new Set<string>();
  let active = 0;
  let activeSuspects = 0;
  let kept = 0;
  /** Where the next look goes on, so that everybody gets a turn. */
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

  /** Starts on endpoints that events wait for, as many as may be served at once. */
  async function startServing(): Promise<void> {
    const room = MAX_ENDPOINTS - active;
    if (room <= 0) return;
    const found = await events.due(clock.nowMs(), room, after);
    const last = found.length < room ? '' : (found.at(-1)?.endpointId ?? '');
    // There is more behind, or there was more before where this look began.
    if (last !== after) bell.ring();
    after = last;
    for (const endpoint of found) {
      const suspect = suspects.has(endpoint.endpointId);
      if (ended.signal.aborted || serving.has(endpoint.endpointId) || (suspect && activeSuspects >= MAX_SUSPECTS)) continue;
      const hold = await holdEndpoint(events, clock, endpoint, holder);
      if (hold !== undefined) serving.set(endpoint.endpointId, serve(endpoint, hold, suspect));
    }
  }

  /** Delivers to one endpoint, and lets go of it. */
  async function serve(endpoint: EndpointKey, hold: Hold, suspect: boolean): Promise<void> {
    const cannot = (error: unknown) => log.warn({ err: error, ...endpoint }, 'events cannot be delivered now');
    active += 1;
    if (suspect) activeSuspects += 1;
    const pause = await deliver(endpoint, hold).catch((error: unknown): Pause => {
      cannot(error);
      return { untilMs: clock.nowMs() + FAULT_PAUSE_MS };
    });
    active -= 1;
    if (suspect) activeSuspects -= 1;
    if (pause === undefined || pause.isOver !== undefined) suspects.delete(endpoint.endpointId);
    else suspects.add(endpoint.endpointId);
    try {
      await (pause === undefined ? hold.end() : take(hold, pause));
    } catch (error) {
      cannot(error);
    }
    serving.delete(endpoint.endpointId);
    // Something may have come in after the last look, and been left to this very task.
    bell.ring();
  }

  /**
   * Takes a pause. One that is for some organizations only is waited for here, since what they wait for is known to this process; one
   * that is for all is left to whoever looks after its end.
   */
  async function take(hold: Hold, { untilMs, isOver }: Pause): Promise<void> {
    if (ended.signal.aborted) return hold.end();
    if (isOver === undefined || kept >= MAX_KEPT) return hold.end(untilMs);
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
    await hold.end();
  }

  return {
    async stop() {
      ended.abort();
      await Promise.race([running, sleep(3_000, undefined, { ref: false })]);
      services.poster.close();
    },
  };
}
