import { setImmediate } from 'node:timers/promises';

/** Long enough that the pauses cost nothing, short enough that nobody notices. */
const SLICE_MS = 5;

/**
 * Cuts long work into slices: the function that it gives is awaited between the steps of the work, and lets others run once a slice is
 * over. Everything on a server shares one thread, so whatever may take longer than a slice is done like this.
 */
export function inSlices(sliceMs = SLICE_MS): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < sliceMs) return;
    await setImmediate();
    since = performance.now();
  };
}
