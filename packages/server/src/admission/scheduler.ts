import { ServiceError } from '@countersign/contract';

/** All in milliseconds. */
export interface SchedulerSettings {
  /** How long one flow runs before the next flow's turn. */
  readonly quantumMs: number;
  /** How long requests run before the event loop reads new ones, when there are several flows. */
  readonly sliceMs: number;
  /** Requests that finish within this time are committed together, while others wait. Also the slice of a single flow. */
  readonly gatherMs: number;
  /** Requests that waited longer are overdue. */
  readonly targetMs: number;
  /** Requests are shed if some stay overdue for this time. It is longer than a usual burst. */
  readonly intervalMs: number;
}

export const defaultSchedule: SchedulerSettings = {
  quantumMs: 2,
  sliceMs: 2,
  gatherMs: 8,
  targetMs: 1_500,
  intervalMs: 1_000,
};

/** Hooks into the event loop. */
export interface EventLoop {
  /** Calls `next` once no promise job and no tick is left. */
  afterWork(next: () => void): void;
  /** Calls `next` after the next poll for input and output. */
  afterLoop(next: () => void): void;
}

const eventLoop: EventLoop = {
  // Node drains the tick queue before the microtask queue, and checks it again afterwards.
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
  /** Requests between two of their steps. They run first, so that few are in progress at a time. */
  readonly begun: Entry[];
  readonly entries: Entry[];
  /** Remaining run time of its turn. Negative if it ran longer. */
  creditMs: number;
}

/** Requests with more bytes yield between their steps: each step takes a good part of a slice. */
const LONG_REQUEST = 32_768;
/** Interval between two checks for overdue requests. */
const CHECK_MS = 50;
/** A flow counts as the only one again after this time without another. */
const COMPANY_MS = 1_000;

/**
 * Deficit round robin between flows by measured run time, new flows first (RFC 8290 does the same for packets), with load shedding: if
 * requests stay overdue, the flow with the longest queue loses its overdue ones. The cost of a request is its run time up to its first
 * real wait.
 * INVARIANT: if nothing waits, a request starts immediately, and results are committed immediately.
 */
export class Scheduler {
  readonly #flows = new Map<string, Flow>();
  readonly #fresh: Flow[] = [];
  readonly #old: Flow[] = [];
  #count = 0;
  #isRunning = false;
  #isLoopAwaited = false;
  #sliceEndsAtMs = 0;
  #lastFlow = '';
  /** When a flow other than the last one sent a request. */
  #otherSinceMs = Number.NEGATIVE_INFINITY;
  #batch: { readonly promise: Promise<void>; readonly end: () => void } | undefined;
  #batchEndsAtMs = Number.POSITIVE_INFINITY;
  /** Whether results are committed before the one backlogged flow runs again, in this turn of the loop. */
  #isUrgent = false;
  /** Whether the backlogged flow has run since the last urgent commit. */
  #mayHurry = true;
  /** Whether the last turn of the loop was reserved for a commit. */
  #wasReserved = false;
  #checkedAtMs = 0;
  #overdueSinceMs: number | undefined;

  readonly #onShed: () => void;
  readonly #settings: SchedulerSettings;
  readonly #nowMs: () => number;
  readonly #loop: EventLoop;

  constructor(
    onShed: () => void = () => {},
    settings: SchedulerSettings = defaultSchedule,
    nowMs: () => number = () => performance.now(),
    loop: EventLoop = eventLoop,
  ) {
    this.#onShed = onShed;
    this.#settings = settings;
    this.#nowMs = nowMs;
    this.#loop = loop;
  }

  /**
   * Resolves when it is the turn of this flow; undefined if that is now. Rejects with OVERLOADED if the request was shed, and with
   * REQUEST_TIMEOUT if `isGone` reports that the client has disconnected.
   */
  wait(flow: string, isGone: () => boolean): Promise<void> | undefined {
    return this.#enqueue(flow, isGone, false);
  }

  /**
   * Yields between two steps of a long request. Its flow continues it before it starts another request, and it is not shed.
   * SECURITY: D247: parsing a long body, authenticating it and reading its parameters take milliseconds each.
   */
  yieldToOthers(flow: () => string, bytes: number, isGone: () => boolean): Promise<void> | undefined {
    return bytes > LONG_REQUEST ? this.#enqueue(flow(), isGone, true) : undefined;
  }

  /** Resolves when the results so far should be committed. */
  commitReady(): Promise<void> {
    if (this.#batch !== undefined) return this.#batch.promise;
    let end = () => {};
    const promise = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#batch = { promise, end };
    this.#batchEndsAtMs = Math.min(this.#batchEndsAtMs, this.#nowMs() + this.#settings.gatherMs);
    this.#awaitLoop();
    return promise;
  }

  /** Number of requests that wait. */
  get waiting(): number {
    return this.#count;
  }

  #enqueue(name: string, isGone: () => boolean, hasBegun: boolean): Promise<void> | undefined {
    const known = this.#flows.get(name);
    if (name !== this.#lastFlow) {
      if (this.#lastFlow !== '') this.#otherSinceMs = this.#nowMs();
      this.#lastFlow = name;
    }
    this.#awaitLoop();
    if (!this.#isRunning && this.#count === 0 && !this.#isSliceOver()) {
      this.#run(known);
      return undefined;
    }
    const flow = known ?? { name, begun: [], entries: [], creditMs: this.#settings.quantumMs };
    if (known === undefined) {
      this.#flows.set(name, flow);
      this.#fresh.push(flow);
    }
    this.#count += 1;
    return new Promise<void>((resolve, reject) => {
      (hasBegun ? flow.begun : flow.entries).push({ sinceMs: this.#nowMs(), isGone, resolve, reject });
    });
  }

  #run(flow: Flow | undefined): void {
    this.#isRunning = true;
    const startedAtMs = this.#nowMs();
    this.#loop.afterWork(() => {
      if (flow !== undefined) flow.creditMs -= this.#nowMs() - startedAtMs;
      this.#isRunning = false;
      this.#dispatch();
    });
  }

  #isSliceOver(): boolean {
    return this.#nowMs() >= this.#sliceEndsAtMs;
  }

  #awaitLoop(): void {
    if (this.#isLoopAwaited) return;
    this.#isLoopAwaited = true;
    const now = this.#nowMs();
    const { sliceMs, gatherMs } = this.#settings;
    this.#sliceEndsAtMs = now + (now - this.#otherSinceMs < COMPANY_MS ? sliceMs : gatherMs);
    this.#loop.afterLoop(() => this.#afterLoop());
  }

  #afterLoop(): void {
    this.#isLoopAwaited = false;
    const isReady = this.#batch !== undefined && (this.#count === 0 || this.#nowMs() >= this.#batchEndsAtMs);
    if (isReady) this.#endBatch();
    this.#isUrgent = false;
    if (this.#count === 0) return;
    this.#awaitLoop();
    // This turn of the loop commits and responds, the next one runs requests. Never two reserved turns in a row: turns that last long,
    // with a commit each, would leave nothing to the requests that wait.
    const isReserved = isReady && !this.#wasReserved;
    this.#wasReserved = isReserved;
    if (!isReserved) this.#dispatch();
  }

  #endBatch(): void {
    this.#batch?.end();
    this.#batch = undefined;
    this.#batchEndsAtMs = Number.POSITIVE_INFINITY;
  }

  #dispatch(): void {
    if (this.#isRunning || this.#isSliceOver()) return;
    if (this.#isUrgent && this.#fresh.every(({ begun, entries }) => begun.length + entries.length === 0)) {
      this.#batchEndsAtMs = this.#nowMs();
      return;
    }
    this.#shedOverdue();
    for (let entry = this.#pick(); entry !== undefined; entry = this.#pick()) {
      if (entry.isGone()) entry.reject(disconnected());
      else {
        entry.resolve();
        return;
      }
    }
    // Nothing waits for the processor, so results need not wait for more.
    this.#batchEndsAtMs = this.#nowMs();
  }

  /** The next request, whose run begins. Flows without credit go to the end. */
  #pick(): Entry | undefined {
    for (let list = this.#nextList(); list.length > 0; list = this.#nextList()) {
      const flow = list[0] as Flow;
      if (flow.creditMs <= 0) {
        flow.creditMs += this.#settings.quantumMs;
        list.shift();
        this.#old.push(flow);
        continue;
      }
      const entry = flow.begun.shift() ?? flow.entries.shift();
      if (entry !== undefined) {
        this.#count -= 1;
        this.#hurryCommitOf(list);
        if (!entry.isGone()) this.#run(flow);
        return entry;
      }
      list.shift();
      // A new flow must not become the first one again by sending its next request a little later.
      if (list === this.#fresh && this.#old.length > 0) this.#old.push(flow);
      else this.#flows.delete(flow.name);
    }
    return undefined;
  }

  #nextList(): Flow[] {
    return this.#fresh.length > 0 ? this.#fresh : this.#old;
  }

  /**
   * Requests of idle flows do not wait for the commit of the one backlogged flow.
   * SECURITY: not twice in a row. A client that sends one request at a time would otherwise cause a commit for each, and leave little to
   * the backlogged flow.
   */
  #hurryCommitOf(list: readonly Flow[]): void {
    if (list === this.#old) this.#mayHurry = true;
    else if (this.#old.length === 1 && this.#mayHurry) {
      this.#isUrgent = true;
      this.#mayHurry = false;
    }
  }

  #shedOverdue(): void {
    const now = this.#nowMs();
    const { targetMs, intervalMs } = this.#settings;
    if (now - this.#checkedAtMs < CHECK_MS) return;
    this.#checkedAtMs = now;
    const ageOf = ({ entries: [oldest] }: Flow) => (oldest === undefined ? 0 : now - oldest.sinceMs);
    const isOverdue = [...this.#flows.values()].some((flow) => ageOf(flow) > targetMs);
    this.#overdueSinceMs = isOverdue ? (this.#overdueSinceMs ?? now) : undefined;
    if (this.#overdueSinceMs === undefined || now - this.#overdueSinceMs < intervalMs) return;
    const longest = [...this.#flows.values()].reduce((a, b) => (b.entries.length > a.entries.length ? b : a));
    while (ageOf(longest) > targetMs) {
      longest.entries.shift()?.reject(overloaded());
      this.#count -= 1;
      this.#onShed();
    }
  }
}

function overloaded(): ServiceError {
  return new ServiceError(
    'OVERLOADED',
    'The server is overloaded, and this request waited too long. Nothing was executed. Send the same request again.',
  );
}

/** The client does not receive this. */
function disconnected(): ServiceError {
  return new ServiceError('REQUEST_TIMEOUT', 'The connection closed before the request was started.');
}
