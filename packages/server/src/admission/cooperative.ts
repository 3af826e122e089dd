import type { Steps } from '@countersign/collections';
import { RoundRobin } from './round-robin.ts';

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
