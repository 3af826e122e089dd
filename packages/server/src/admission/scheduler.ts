import { ServiceError } from '@countersign/contract';
import { FairQueue } from './fair-queue.ts';
import type { Flow } from './flow.ts';

/** Times are in milliseconds. */
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
  /** How long a block of addresses runs before the next one's turn: a few requests. */
  readonly unprovenQuantumMs: number;
  /** Part of the run time for unproven requests while proven ones wait. */
  readonly unprovenShare: number;
  /** The slice of unproven requests after a connection was accepted: each turn of the event loop accepts one. */
  readonly acceptSliceMs: number;
  /** Number of unproven requests that may wait. */
  readonly maxUnproven: number;
}

export const defaultSchedule: SchedulerSettings = {
  quantumMs: 2,
  sliceMs: 2,
  gatherMs: 8,
  targetMs: 1_500,
  intervalMs: 1_000,
  unprovenQuantumMs: 1,
  unprovenShare: 0.2,
  acceptSliceMs: 0.25,
  maxUnproven: 4_096,
};

/** Numbers of requests that wait: of clients that have proved a credential, and of others. */
export interface QueuedRequests {
  readonly proven: number;
  readonly unproven: number;
}

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
  /** Whether the request is between two of its steps. */
  readonly hasBegun: boolean;
  readonly isGone: () => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/** The requests of one class, and since when some of them are overdue. */
interface RequestClass {
  readonly queue: FairQueue<Entry>;
  overdueSinceMs: number | undefined;
}

/** Requests with more bytes yield between their steps: each step takes a good part of a slice. */
const LONG_REQUEST = 32_768;
/** Interval between two checks for overdue requests. */
const CHECK_MS = 50;
/** A flow counts as the only one again after this time without another. */
const COMPANY_MS = 1_000;

/**
 * Decides which request runs next. Proven requests (see `Flow`) run before unproven ones, which get a fixed share of the time while proven
 * ones wait. Inside each class, flows take turns by measured run time: organizations, their users and the credentials of a user, or blocks
 * of addresses. The cost of a request is its run time up to its first real wait.
 * If requests of a class stay overdue, some of that class are shed: all overdue ones if they are unproven, else those of the longest flow.
 * INVARIANT: if nothing waits, a request starts immediately, and results are committed immediately.
 * INVARIANT: the wait of a proven request does not depend on the number of unproven ones, nor on the number of their addresses.
 */
export class Scheduler {
  readonly #proven: RequestClass;
  readonly #unproven: RequestClass;
  /** Run time that unproven requests may use before the proven ones that wait. */
  #unprovenCreditMs = 0;
  #isRunning = false;
  #runs = 0;
  #isLoopAwaited = false;
  #sliceEndsAtMs = 0;
  #hasAccepted = false;
  #lastOwner = '';
  /** When another owner than the last one sent a request. */
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
    const { quantumMs, unprovenQuantumMs } = settings;
    this.#proven = { queue: new FairQueue({ quantumMs, newFirst: true }), overdueSinceMs: undefined };
    this.#unproven = { queue: new FairQueue({ quantumMs: unprovenQuantumMs, newFirst: false }), overdueSinceMs: undefined };
    this.#nowMs = nowMs;
    this.#loop = loop;
  }

  /**
   * Resolves when it is the turn of this flow; undefined if that is now. Rejects with OVERLOADED if the request was shed, and with
   * REQUEST_TIMEOUT if `isGone` reports that the client has disconnected.
   */
  wait(flow: Flow, isGone: () => boolean): Promise<void> | undefined {
    return this.#enqueue(flow, isGone, false);
  }

  /**
   * Yields between two steps of a long request. Its user continues it before starting another request, and it is not shed.
   * SECURITY: D247: parsing a long body, authenticating it and reading its parameters take milliseconds each.
   */
  yieldToOthers(flow: Flow, bytes: number, isGone: () => boolean): Promise<void> | undefined {
    return bytes > LONG_REQUEST ? this.#enqueue(flow, isGone, true) : undefined;
  }

  /** Identifies the run of the request that runs now. */
  get currentRun(): number {
    return this.#runs;
  }

  /**
   * Continues a request after it may have waited for something else than its turn. Undefined if its run continues.
   * SECURITY: D435: otherwise everything after the first wait, such as verifying a stamp, would use no turn.
   */
  resume(flow: Flow, run: number, isGone: () => boolean): Promise<void> | undefined {
    return this.#isRunning && this.#runs === run ? undefined : this.#enqueue(flow, isGone, true);
  }

  /**
   * A connection was accepted, and others may wait to be.
   * SECURITY: D340: a tenant whose connection waits behind a thousand others is not served at all. Proven requests do not wait for more
   * connections, so that connecting without end delays nobody (D244).
   */
  accepted(): void {
    this.#hasAccepted = true;
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

  /** Requests that wait, by class. */
  queued(): QueuedRequests {
    return { proven: this.#proven.queue.waiting, unproven: this.#unproven.queue.waiting };
  }

  /** Number of requests that wait. */
  get waiting(): number {
    return this.#proven.queue.waiting + this.#unproven.queue.waiting;
  }

  #enqueue(flow: Flow, isGone: () => boolean, hasBegun: boolean): Promise<void> | undefined {
    const owner = flow.isProven ? (flow.path[1] ?? '') : 'unproven';
    if (owner !== this.#lastOwner) {
      if (this.#lastOwner !== '') this.#otherSinceMs = this.#nowMs();
      this.#lastOwner = owner;
    }
    this.#awaitLoop();
    if (!this.#isRunning && this.waiting === 0 && !this.#isSliceOver()) {
      this.#run(() => {});
      return undefined;
    }
    return new Promise<void>((resolve, reject) => {
      const { queue } = flow.isProven ? this.#proven : this.#unproven;
      // Few requests of a flow are between their steps at a time: they wait one level above those that have not started.
      const path = hasBegun ? flow.path.slice(0, -1) : flow.path;
      queue.push(path, { sinceMs: this.#nowMs(), hasBegun, isGone, resolve, reject });
      if (!flow.isProven) this.#boundUnproven();
    });
  }

  #run(charge: (ms: number) => void): void {
    this.#isRunning = true;
    this.#runs += 1;
    const startedAtMs = this.#nowMs();
    this.#loop.afterWork(() => {
      charge(this.#nowMs() - startedAtMs);
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
    const { sliceMs, gatherMs, acceptSliceMs } = this.#settings;
    const isAccepting = this.#hasAccepted && this.#proven.queue.waiting === 0;
    this.#hasAccepted = false;
    this.#sliceEndsAtMs = now + (isAccepting ? acceptSliceMs : now - this.#otherSinceMs < COMPANY_MS ? sliceMs : gatherMs);
    this.#loop.afterLoop(() => this.#afterLoop());
  }

  #afterLoop(): void {
    this.#isLoopAwaited = false;
    const isReady = this.#batch !== undefined && (this.#proven.queue.waiting === 0 || this.#nowMs() >= this.#batchEndsAtMs);
    if (isReady) this.#endBatch();
    this.#isUrgent = false;
    if (this.waiting === 0) return;
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
    if (this.#isUrgent && !this.#proven.queue.hasNew) {
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

  /** The next request, whose run begins. */
  #pick(): Entry | undefined {
    const [proven, unproven] = [this.#proven.queue, this.#unproven.queue];
    const isContended = proven.waiting > 0 && unproven.waiting > 0;
    const isUnproven = proven.waiting === 0 || (isContended && this.#unprovenCreditMs > 0);
    const taken = (isUnproven ? unproven : proven).take();
    if (taken === undefined) return undefined;
    if (isUnproven || taken.ahead === undefined) this.#mayHurry = true;
    else this.#hurryCommit(taken.ahead + (unproven.waiting > 0 ? 1 : 0));
    if (!taken.item.isGone())
      this.#run((ms) => {
        taken.charge(ms);
        if (isContended) this.#shareTime(isUnproven, ms);
      });
    return taken.item;
  }

  /** Each class pays the other for the time that it ran while both waited. */
  #shareTime(isUnproven: boolean, ms: number): void {
    const { unprovenShare, quantumMs } = this.#settings;
    const earnedMs = isUnproven ? -ms : (ms * unprovenShare) / (1 - unprovenShare);
    this.#unprovenCreditMs = Math.min(quantumMs, this.#unprovenCreditMs + earnedMs);
  }

  /**
   * Requests of idle organizations and users do not wait for the commit of the one backlogged organization or user.
   * SECURITY: not twice in a row. A client that sends one request at a time would otherwise cause a commit for each, and leave little to
   * the backlogged one.
   */
  #hurryCommit(busyFlows: number): void {
    if (busyFlows !== 1 || !this.#mayHurry) return;
    this.#isUrgent = true;
    this.#mayHurry = false;
  }

  /** SECURITY: D340: the block of addresses with the most requests loses its oldest one. */
  #boundUnproven(): void {
    const { queue } = this.#unproven;
    if (queue.waiting <= this.#settings.maxUnproven) return;
    let isFirst = true;
    const isDropped = ({ hasBegun }: Entry) => {
      if (hasBegun || !isFirst) return false;
      isFirst = false;
      return true;
    };
    this.#shed(queue.dropOfLongest(isDropped));
  }

  #shedOverdue(): void {
    const now = this.#nowMs();
    if (now - this.#checkedAtMs < CHECK_MS) return;
    this.#checkedAtMs = now;
    const { targetMs, intervalMs } = this.#settings;
    const isOverdue = ({ hasBegun, sinceMs }: Entry) => !hasBegun && now - sinceMs > targetMs;
    for (const each of [this.#proven, this.#unproven]) {
      each.overdueSinceMs = each.queue.someFirst(isOverdue) ? (each.overdueSinceMs ?? now) : undefined;
      if (each.overdueSinceMs === undefined || now - each.overdueSinceMs < intervalMs) continue;
      this.#shed(each === this.#proven ? each.queue.dropOfLongest(isOverdue) : each.queue.dropWhere(isOverdue));
    }
  }

  #shed(entries: readonly Entry[]): void {
    for (const entry of entries) {
      entry.reject(overloaded());
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
