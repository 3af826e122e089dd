import type { Exporter } from './sdk.ts';

export type Signal = 'spans' | 'metrics';
export type Outcome = 'sent' | 'failed' | 'dropped';

/** Counts spans and metrics by outcome. `reason` is a code, present if they were not sent. */
export type CountItems = (signal: Signal, outcome: Outcome, count: number, reason?: string) => void;

/** Spans that wait for the endpoint. Traces beyond that are dropped. */
export const MAX_QUEUED_SPANS = 4_096;

/**
 * Counts what an exporter does with its items.
 * SECURITY: an error of the endpoint can contain what was sent to it, such as a token, so only its code is reported.
 */
export function countExports<Items extends object>(
  exporter: Exporter<Items>,
  signal: Signal,
  sizeOf: (items: Items) => number,
  count: CountItems,
): Exporter<Items> {
  return {
    export(items, done) {
      exporter.export(items, (result) => {
        const isSent = result.code === 0;
        count(signal, isSent ? 'sent' : 'failed', sizeOf(items), isSent ? undefined : codeOf(result.error));
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/** A code of the system such as ECONNREFUSED, an HTTP status, or the class of the error. */
function codeOf(error: (Error & { readonly code?: unknown }) | undefined): string {
  const { code, name = 'unknown' } = error ?? {};
  return typeof code === 'number' || (typeof code === 'string' && /^[A-Z0-9_]{2,40}$/.test(code)) ? String(code) : name;
}

/** Bounds the spans that wait for the endpoint, so that one that does not answer costs neither memory nor time. */
export function createSpanQueue(count: CountItems, maxQueued = MAX_QUEUED_SPANS) {
  let queued = 0;
  return {
    /** Whether so many more spans may wait. Otherwise they count as dropped. */
    take(spans: number): boolean {
      if (queued + spans > maxQueued) {
        count('spans', 'dropped', spans, 'QUEUE_FULL');
        return false;
      }
      queued += spans;
      return true;
    },
    /** So many spans no longer wait. */
    leave(spans: number): void {
      queued -= spans;
    },
  };
}
