import { trustedScriptUrl } from '../offline/trusted-script.ts';
import type { ProofOrder, ProverReport } from './messages.ts';

export type ProofOutcome = Extract<ProverReport, { readonly kind: 'RESULTS' | 'FAILED' }>;

/** The most questions of one property, and how long each may exceed its time limit. */
const MOST_QUESTIONS = 10;
const GRACE_MS = 5_000;

/**
 * Proves in a worker, which can be stopped at any time. Never resolves after an abort.
 * SECURITY: D1063: the outcome is a result only if the worker says so. Any other event is a failure, which proves nothing.
 */
export function runProof(
  order: ProofOrder,
  signal: AbortSignal,
  onProgress: (step: 'LOADING' | 'SOLVING') => void,
): Promise<ProofOutcome> {
  if (!crossOriginIsolated || typeof SharedArrayBuffer === 'undefined')
    return Promise.resolve({ kind: 'FAILED', reason: 'NOT_ISOLATED', detail: '' });
  return new Promise((resolve) => {
    const worker = new Worker(trustedScriptUrl('prover/worker.js'));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      clearTimeout(timer);
      worker.terminate();
    };
    const end = (outcome: ProofOutcome) => {
      stop();
      if (!signal.aborted) resolve(outcome);
    };
    signal.addEventListener('abort', stop);
    worker.addEventListener('error', ({ message = '' }) => end({ kind: 'FAILED', reason: 'CRASHED', detail: message }));
    worker.addEventListener('message', ({ data }: MessageEvent<ProverReport>) => {
      if (signal.aborted) return;
      if (data.kind === 'RESULTS' || data.kind === 'FAILED') return end(data);
      onProgress(data.kind);
      // Loading takes as long as the network does. The solver keeps its own time limits, unless it hangs.
      const limitMs = MOST_QUESTIONS * order.properties.length * (order.timeoutMs + GRACE_MS);
      if (data.kind === 'SOLVING') timer = setTimeout(end, limitMs, { kind: 'FAILED', reason: 'TIME', detail: '' });
    });
    worker.postMessage(order);
  });
}
