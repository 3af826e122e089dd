import type { Steps } from '@countersign/policy';

/** Long enough that the pauses cost nothing, short enough that nobody notices. */
const SLICE_MS = 2;

const waiting: (() => void)[] = [];

/**
 * Lets others run: long work that awaits this goes on in a later turn of the event loop.
 * SECURITY: D247: one piece of long work goes on in each turn, in the order of asking. If each went on in the next turn, that turn would
 * last as long as all of them together, and so would each of the few turns that a short request takes.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  const [next] = waiting;
  // It leaves the line only now: while somebody is in line, a turn is scheduled.
  waiting.shift();
  if (waiting.length > 0) setImmediate(goOn);
  next?.();
}

/** Ends a slice of long work where it has lasted long enough, so that others run in between. */
export type EndSlice = () => Promise<void> | undefined;

/**
 * Cuts long work into slices: the function that it gives is called between the steps of the work, and what it gives is awaited. Everything
 * on a server shares one thread, so whatever may take longer than a slice is done like this.
 */
export function createSlices(): EndSlice {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return nextTurn().then(() => {
      since = performance.now();
    });
  };
}

/** The result of work in steps, with pauses between slices of them. */
export async function inSlices<T>(steps: Steps<T>, endSlice: EndSlice = createSlices()): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pause = endSlice();
    if (pause !== undefined) await pause;
  }
}
