import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bell } from '../mail/bell.ts';
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
/** How soon to ask again for an endpoint that another process was serving: it may let go before it has seen the newest event. */
const SOON_MS = 100;
/** How often to ask so soon for the same endpoint: its process may as well be busy with it for long. */
const SOON_LOOKS = 10;
/** How long to leave an endpoint alone that could not be worked on, for instance because the database did not answer. */
const FAULT_PAUSE_MS = 5_000;
const MAX_ENDPOINTS = 32;

/** Has what commits announced delivered, until it is stopped. Any number of processes may do so at once. */
export function startDispatcher(services: DispatcherServices): Dispatcher {
  const { events, clock, log, bell } = services;
  const holder = randomUUID();
  const ended = new AbortController();
  const deliver = createDeliver(services, ended.signal);
  const serving = new Map<string, Promise<void>>();
  let busyElsewhere: ReadonlyMap<string, number> = new Map();
  /** The endpoint that was looked at last: the next look goes on after it, so that everybody gets a turn. */
  let turn: EndpointKey | undefined;
  let active = 0;
  const running = work();

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      const soon = await startServing().catch((error: unknown) => {
        // The database does not answer, which passes.
        if (!ended.signal.aborted) log.warn({ err: error }, 'events cannot be delivered now');
        return false;
      });
      await bell.wait(soon ? SOON_MS : POLL_MS, ended.signal);
    }
    await Promise.all(serving.values());
  }

  /** Starts on endpoints that events wait for, as many as may be served at once. True where it is worth looking again soon. */
  async function startServing(): Promise<boolean> {
    const looks = new Map<string, number>();
    const begun = turn;
    for (let at = await events.waiting(begun); at !== undefined && !ended.signal.aborted; at = await events.waiting(at)) {
      if (active >= MAX_ENDPOINTS) return false;
      turn = at;
      if (serving.has(at.endpointId)) continue;
      const hold = await holdEndpoint(events, clock, at, holder);
      if (hold !== undefined) serving.set(at.endpointId, serve(at, hold));
      else looks.set(at.endpointId, (busyElsewhere.get(at.endpointId) ?? 0) + 1);
    }
    turn = undefined;
    if (begun !== undefined) bell.ring();
    busyElsewhere = looks;
    return [...looks.values()].some((count) => count <= SOON_LOOKS);
  }

  /** Delivers to one endpoint, and lets go of it. A pause is made by keeping the hold: no other process tries meanwhile. */
  async function serve(endpoint: EndpointKey, hold: Hold): Promise<void> {
    const cannot = (error: unknown) => log.warn({ err: error, ...endpoint }, 'events cannot be delivered now');
    active += 1;
    const pause = await deliver(endpoint, hold).catch((error: unknown): Pause => {
      cannot(error);
      return { untilMs: clock.nowMs() + FAULT_PAUSE_MS };
    });
    active -= 1;
    try {
      if (pause !== undefined) await waitFor(hold, pause);
      await hold.end();
    } catch (error) {
      cannot(error);
    }
    serving.delete(endpoint.endpointId);
    // Something may have come in after the last look, and been left to this very task.
    bell.ring();
  }

  /** Waits for the end of a pause, which may come early. */
  async function waitFor(hold: Hold, { untilMs, isOver }: Pause): Promise<void> {
    // Others may have been waiting for the place that is free now.
    bell.ring();
    while (!ended.signal.aborted && hold.isKept() && clock.nowMs() < untilMs) {
      const restMs = Math.min(POLL_MS, untilMs - clock.nowMs());
      await sleep(restMs, undefined, { signal: ended.signal }).catch(() => undefined);
      if (await isOver?.()) return;
    }
  }

  return {
    async stop() {
      ended.abort();
      await Promise.race([running, sleep(3_000, undefined, { ref: false })]);
      services.poster.close();
    },
  };
}
