import type { WorkerFiles } from './workers/worker.ts';

/**
 * Where the files of worker processes are.
 * INVARIANT: they lie in one folder with this one, as modules of the package and in the bundle of the command alike.
 */
export const workerFiles: WorkerFiles = {
  workerEntry: new URL('./worker-entry.js', import.meta.url),
  edgeEntry: new URL('./edge-entry.js', import.meta.url),
  ignoreDebuggerSignal: new URL('./ignore-debugger-signal.js', import.meta.url),
};
