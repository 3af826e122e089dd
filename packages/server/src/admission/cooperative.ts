import type { Steps } from '@countersign/policy';
import { RoundRobin } from './round-robin.ts';

/** Long enough that the pauses cost nothing, short enough that nobody notices. */
const SLICE_MS = 1;

/** Whose work it is where no organization asked for it. */
export const OWN_WORK = '';

/** By whose it is. */
const waiting = new RoundRobin<() => void>();

/**
 * Lets others run: long work that awaits this goes on in a later turn of the event loop. `owner` is the organization that it is done for.
 * SECURITY: D247: one piece of long work goes on in each turn. If each went on in the next turn, that turn would last as long as all of
 * them together, and so would each of the few turns that a short request takes. Owners take turns: hundreds of requests of one organization
 * do not keep back the work of another, nor that of the log.
 */
export function nextTurn(owner: string): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.isEmpty) setImmediate(goOn);
    waiting.add(owner, resolve);
  });
}

function goOn(): void {
  const next = waiting.take();
  // While somebody is in line, a turn is scheduled.
  if (!waiting.isEmpty) setImmediate(goOn);
  next?.();
}

/**
 * Ends a slice of long work where it has lasted long enough, so that others run in between. Some count the characters that a step has read
 * or written and that the work holds from then on.
 */
export type EndSlice = (characters?: number) => Promise<void> | undefined;

/**
 * Cuts long work into slices: the function that it gives is called between the steps of the work, and what it gives is awaited. Everything
 * on a server shares one thread, so whatever may take longer than a slice is done like this.
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

/** What each item comes to, one after the other, with pauses between slices. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  endSlice: EndSlice,
  step: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    const pause = endSlice();
    if (pause !== undefined) await pause;
    const result = step(item, index);
    results.push(result instanceof Promise ? await result : result);
  }
  return results;
}

/** The result of work in steps, with pauses between slices of them. */
export async function inSlices<T>(steps: Steps<T>, endSlice: EndSlice): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pause = endSlice();
    if (pause !== undefined) await pause;
  }
}
