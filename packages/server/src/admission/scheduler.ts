import { ServiceError } from '@countersign/contract';

/** Who takes turns with whom, and how long work may wait. All in milliseconds. */
export interface TurnSettings {
  /** How long one flow works before the next has its turn. */
  readonly quantumMs: number;
  /** How long there is work before the event loop goes on, and who has arrived meanwhile gets in line, where there are several flows. */
  readonly sliceMs: number;
  /** What is computed in this time is committed together, while there is more to compute. One flow alone works as long without a look. */
  readonly gatherMs: number;
  /** Work that waits longer than this is too old, where it lasts. */
  readonly targetMs: number;
  /** How long the oldest work must have been too old before any is shed. A burst is over by then. */
  readonly intervalMs: number;
}

export const defaultTurns: TurnSettings = { quantumMs: 2, sliceMs: 2, gatherMs: 8, targetMs: 1_500, intervalMs: 1_000 };

/** Turns at the processor. */
export interface Turns {
  /**
   * Resolves when it is the turn of this flow; undefined where that is now. Throws OVERLOADED where the work was shed. `isGone` tells
   * whether somebody still wants the work: if not, it throws and nothing is begun.
   */
  wait(flow: string, isGone: () => boolean): Promise<void> | undefined;
  /**
   * The same between two steps of a request, if it is a long one of so many bytes: its flow gives way to others, and goes on with it before
   * it begins anything else. What has begun is not shed.
   * SECURITY: D247: reading the JSON of a long body, finding out who sent it and reading its parameters take milliseconds each.
   */
  goOn(flow: () => string, bytes: number, isGone: () => boolean): Promise<void> | undefined;
  /** Resolves when it is time to commit what was computed. */
  gathered(): Promise<void>;
  /** Has something called each time before work is chosen, so that whoever has arrived is in line by then. */
  beforeWork(call: () => void): void;
  /** How much work waits. */
  waiting(): number;
}

/** When to go on. */
export interface Scheduling {
  /** Once everything that can be computed now is. */
  afterWork(next: () => void): void;
  /** Once the event loop has looked after everything else. */
  afterLoop(next: () => void): void;
}

const eventLoop: Scheduling = {
  // The queue of ticks is empty before that of promises is, and is looked at again after it.
  afterWork: (next) => queueMicrotask(() => process.nextTick(next)),
  afterLoop: (next) => setImmediate(next),
};

interface Entry {
  readonly sinceMs: number;
  readonly isGone: () => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

interface Flow {
  readonly name: string;
  /** Requests between two of their steps: those first, so that few are half done at a time. */
  readonly begun: Entry[];
  readonly entries: Entry[];
  /** What is left of its turn, in milliseconds of work. Below 0 it has worked ahead. */
  creditMs: number;
}

/** Bytes of a request from which on each step of reading it takes a good part of a slice. */
const LONG_REQUEST = 32_768;
/** How often the oldest work is looked for. */
const CHECK_MS = 50;
/** For how long a flow is not alone after another one came. */
const COMPANY_MS = 1_000;

/**
 * Fair queueing between flows by measured time (deficit round robin with flows that were idle first, as RFC 8290 does for packets), and
 * load shedding where the oldest work stays too old: from the flow that has most work waiting.
 * What a request computes up to its first real wait is its cost. Requests that are ready together become durable together, so many have
 * a turn before they are committed.
 * INVARIANT: while nothing waits, work begins at once, and what was computed is committed.
 */
export function createTurns(
  onShed: () => void = () => {},
  { quantumMs, sliceMs, gatherMs, targetMs, intervalMs }: TurnSettings = defaultTurns,
  nowMs: () => number = () => performance.now(),
  { afterWork, afterLoop }: Scheduling = eventLoop,
): Turns {
  const flows = new Map<string, Flow>();
  const fresh: Flow[] = [];
  const old: Flow[] = [];
  let count = 0;
  let isWorking = false;
  let isLoopAwaited = false;
  let sliceEndsAtMs = 0;
  let lastName = '';
  /** When a flow came that was not the last one. */
  let otherSinceMs = Number.NEGATIVE_INFINITY;
  let gathering: { readonly promise: Promise<void>; readonly end: () => void } | undefined;
  let gatherEndsAtMs = Number.POSITIVE_INFINITY;
  /** Whether what was computed is committed before the one flow that has always more works again. For this turn of the loop. */
  let isUrgent = false;
  /** Whether that flow has worked since it last gave way like this. */
  let mayGiveWay = true;
  /** Whether the last turn of the loop was left to a commit. */
  let wasLeft = false;
  let letArrive = () => {};
  let checkedAtMs = 0;
  let tooOldSinceMs: number | undefined;

  function begin(flow: Flow | undefined): void {
    isWorking = true;
    const startedAtMs = nowMs();
    afterWork(() => {
      if (flow !== undefined) flow.creditMs -= nowMs() - startedAtMs;
      isWorking = false;
      serve();
    });
  }

  function awaitLoop(): void {
    if (isLoopAwaited) return;
    isLoopAwaited = true;
    const now = nowMs();
    sliceEndsAtMs = now + (now - otherSinceMs < COMPANY_MS ? sliceMs : gatherMs);
    afterLoop(() => {
      isLoopAwaited = false;
      const isTime = gathering !== undefined && (count === 0 || nowMs() >= gatherEndsAtMs);
      if (isTime) endGathering();
      isUrgent = false;
      if (count === 0) return;
      awaitLoop();
      // What was gathered is committed and answered in this turn of the loop, and the next work begins in the one after it. Also where it is
      // time for another commit by then: turns that last long, with a commit each, would otherwise leave nothing to the work that waits.
      const isLeft = isTime && !wasLeft;
      wasLeft = isLeft;
      if (isLeft) return;
      letArrive();
      serve();
    });
  }

  function gathered(): Promise<void> {
    if (gathering !== undefined) return gathering.promise;
    let end = () => {};
    const promise = new Promise<void>((resolve) => {
      end = resolve;
    });
    gathering = { promise, end };
    gatherEndsAtMs = Math.min(gatherEndsAtMs, nowMs() + gatherMs);
    awaitLoop();
    return promise;
  }

  function endGathering(): void {
    gathering?.end();
    gathering = undefined;
    gatherEndsAtMs = Number.POSITIVE_INFINITY;
  }

  const isSliceOver = () => nowMs() >= sliceEndsAtMs;

  function serve(): void {
    if (isWorking || isSliceOver()) return;
    if (isUrgent && fresh.every(({ begun, entries }) => begun.length + entries.length === 0)) {
      gatherEndsAtMs = nowMs();
      return;
    }
    shedTooOld();
    for (let entry = pick(); entry !== undefined; entry = pick()) {
      if (entry.isGone()) entry.reject(gone());
      else {
        entry.resolve();
        return;
      }
    }
    // Nothing waits for the processor, so what was computed need not wait for more. Others may be in line when the loop goes on.
    gatherEndsAtMs = nowMs();
  }

  /** The next work, whose turn begins. Flows whose turn is over go to the end. */
  function pick(): Entry | undefined {
    for (let list = fresh.length > 0 ? fresh : old; list.length > 0; list = fresh.length > 0 ? fresh : old) {
      const flow = list[0] as Flow;
      if (flow.creditMs <= 0) {
        flow.creditMs += quantumMs;
        list.shift();
        old.push(flow);
        continue;
      }
      const entry = flow.begun.shift() ?? flow.entries.shift();
      if (entry !== undefined) {
        count -= 1;
        // Work of flows that were idle is not kept waiting for its commit by the one flow that has always more.
        // SECURITY: not twice in a row. Who sends one request at a time, each as soon as the last is answered, would otherwise have a commit
        // for each, and leave the busy flow nothing but its share of the work beside them.
        if (list === old) mayGiveWay = true;
        else if (old.length === 1 && mayGiveWay) {
          isUrgent = true;
          mayGiveWay = false;
        }
        if (!entry.isGone()) begin(flow);
        return entry;
      }
      list.shift();
      // A flow that was first must not be first again at once, by sending the next request a moment later.
      if (list === fresh && old.length > 0) old.push(flow);
      else flows.delete(flow.name);
    }
    return undefined;
  }

  function shedTooOld(): void {
    const now = nowMs();
    if (now - checkedAtMs < CHECK_MS) return;
    checkedAtMs = now;
    const ageOf = ({ entries: [oldest] }: Flow) => (oldest === undefined ? 0 : now - oldest.sinceMs);
    const isTooOld = [...flows.values()].some((flow) => ageOf(flow) > targetMs);
    tooOldSinceMs = isTooOld ? (tooOldSinceMs ?? now) : undefined;
    if (tooOldSinceMs === undefined || now - tooOldSinceMs < intervalMs) return;
    const crowded = [...flows.values()].reduce((a, b) => (b.entries.length > a.entries.length ? b : a));
    while (ageOf(crowded) > targetMs) {
      crowded.entries.shift()?.reject(overloaded());
      count -= 1;
      onShed();
    }
  }

  function getInLine(name: string, isGone: () => boolean, hasBegun: boolean): Promise<void> | undefined {
    const known = flows.get(name);
    if (name !== lastName) {
      if (lastName !== '') otherSinceMs = nowMs();
      lastName = name;
    }
    awaitLoop();
    if (!isWorking && count === 0 && !isSliceOver()) {
      begin(known);
      return undefined;
    }
    const flow = known ?? { name, begun: [], entries: [], creditMs: quantumMs };
    if (known === undefined) {
      flows.set(name, flow);
      fresh.push(flow);
    }
    count += 1;
    return new Promise<void>((resolve, reject) => {
      (hasBegun ? flow.begun : flow.entries).push({ sinceMs: nowMs(), isGone, resolve, reject });
    });
  }

  return {
    wait: (name, isGone) => getInLine(name, isGone, false),
    goOn: (nameOf, bytes, isGone) => (bytes > LONG_REQUEST ? getInLine(nameOf(), isGone, true) : undefined),
    gathered,
    beforeWork(call) {
      letArrive = call;
    },
    waiting: () => count,
  };
}

function overloaded(): ServiceError {
  return new ServiceError(
    'OVERLOADED',
    'The server has more work than it can do, and this request waited too long. Nothing was done. Send the same request again.',
  );
}

/** Nobody reads this. */
function gone(): ServiceError {
  return new ServiceError('REQUEST_TIMEOUT', 'The connection closed before the request was begun.');
}
