import type { Steps } from '@countersign/policy';

/** How long work goes on before others get a turn. */
const SLICE_MS = 5;

/** Ends a slice of long work where it has lasted long enough, so that other requests are served in between. */
export type EndSlice = () => Promise<void> | undefined;

export function createSlices(): EndSlice {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return new Promise<void>((resolve) =>
      setImmediate(() => {
        since = performance.now();
        resolve();
      }),
    );
  };
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
