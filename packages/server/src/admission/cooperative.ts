import type { Steps } from '@countersign/collections';

/** A queue in which owners take turns. INVARIANT: the items of an owner keep their order. */
export class RoundRobin<T> {
  /** In order of turns. */
  readonly #byOwner = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  add(owner: string, item: T): void {
    const others = this.#byOwner.get(owner);
    if (others === undefined) this.#byOwner.set(owner, [item]);
    else others.push(item);
  }

  take(): T | undefined {
    for (const [owner, items] of this.#byOwner) {
      const item = items.shift();
      this.#byOwner.delete(owner);
      if (items.length > 0) this.#byOwner.set(owner, items);
      return item;
    }
    return undefined;
  }
}

/** Long enough that the pauses are cheap, short enough that other requests do not notice. */
const SLICE_MS = 1;

/** The owner of work that no organization requested. */
export const OWN_WORK = '';

/** By owner. */
const waiting = new RoundRobin<() => void>();

/**
 * Yields to the event loop. Long work awaits this between slices. `owner` is the organization that requested the work.
 * SECURITY: D247: each turn of the loop resumes one piece of long work. If all of them resumed in the next turn, that turn would take as
 * long as their slices together, and a short request needs several turns. Owners take turns, so that hundreds of requests of one
 * organization do not delay the work of another or of the log.
 */
export function nextTurn(owner: string): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.isEmpty) setImmediate(resumeNext);
    waiting.add(owner, resolve);
  });
}

function resumeNext(): void {
  const next = waiting.take();
  // INVARIANT: a turn is scheduled while work waits.
  if (!waiting.isEmpty) setImmediate(resumeNext);
  next?.();
}

/**
 * Ends a slice of long work if it took long enough. `characters` is what the last step added to the memory of the work; some
 * implementations count it.
 */
export type EndSlice = (characters?: number) => Promise<void> | undefined;

/**
 * Divides long work into slices. Call the returned function between the steps of the work, and await its result. All requests share one
 * thread, so work that may take longer than a slice needs this.
 */
export function createSlices(owner: string): EndSlice {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return nextTurn(owner).then(() => {
      since = performance.now();
    });
  };
}

/** Maps items in order, with pauses between slices. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  endSlice: EndSlice,
  step: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    const pause = endSlice();
    if (pause !== undefined) await pause;
    results.push(await step(item, index));
  }
  return results;
}

/** Runs a generator to its end, with pauses between slices. */
export async function inSlices<T>(steps: Steps<T>, endSlice: EndSlice): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pause = endSlice();
    if (pause !== undefined) await pause;
  }
}

/** Like `inSlices`, without a promise if the work needs no pause. */
export function runInSlices<T>(steps: Steps<T>, endSlice: EndSlice): T | Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pause = endSlice();
    if (pause !== undefined) return pause.then(() => inSlices(steps, endSlice));
  }
}

/** A body whose reading can pause. */
export interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Bytes of bodies that one turn of the event loop reads. That takes less than a millisecond. */
const TURN_BYTES = 262_144;
/** Bodies that resume in one turn. Each brings at most 64 KiB, the size of one read from a socket. */
const RESUMED = 4;

/**
 * Bounds the bytes of bodies that are read in one turn of the event loop. Without it the loop reads two megabytes of each connection that
 * has as many, and short requests wait for all of them.
 * SECURITY: D248: addresses take turns, so that many bodies of one address do not delay the bodies of another.
 */
export class ReadThrottle {
  readonly #paused = new RoundRobin<Pausable>();
  readonly #afterLoop: (next: () => void) => void;
  #bytes = 0;
  #isScheduled = false;

  constructor(afterLoop: (next: () => void) => void = setImmediate) {
    this.#afterLoop = afterLoop;
  }

  /** Counts a chunk of a body. Pauses the body if this turn has read enough. */
  received(bytes: number, body: Pausable, address: string): void {
    this.#bytes += bytes;
    this.#schedule();
    if (this.#bytes <= TURN_BYTES) return;
    body.pause();
    this.#paused.add(address, body);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#afterLoop(() => {
      this.#isScheduled = false;
      this.#bytes = 0;
      for (let count = 0; count < RESUMED; count++) this.#paused.take()?.resume();
      if (!this.#paused.isEmpty) this.#schedule();
    });
  }
}
