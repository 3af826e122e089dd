import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DurationRow } from '../store/count-store.ts';
import type { Store } from '../store/store.ts';
import { hourOf } from './activity-counts.ts';
import { bucketOf } from './latency-histogram.ts';

/** Request latencies: recorded in memory, and written to the database in the background. */
export interface LatencyRecorder {
  /** A request of the organization was answered just now. */
  record(organizationId: string, milliseconds: number): void;
  /** Recorded latencies of an organization that are not written yet. */
  unwritten(organizationId: string): readonly DurationRow[];
  /** Writes all recorded latencies to the database. A failed write loses its latencies, so that none counts twice. */
  write(store: Pick<Store, 'counts'>): Promise<void>;
}

/** Buckets between two writes. Further latencies are dropped: a sample is enough. */
const MOST_ROWS = 10_000;
/** Rows per durable transaction: few enough not to delay requests. */
const SLICE = 250;
const EVERY_MS = 10_000;

export function createLatencyRecorder({ nowMs }: { nowMs(): number }, mostRows = MOST_ROWS): LatencyRecorder {
  // By organization, then by hour and bucket, so that a request makes no new text for its organization.
  let unwrittenRows = new Map<string, Map<string, DurationRow>>();
  let size = 0;

  return {
    record(organizationId, milliseconds) {
      const hour = hourOf(nowMs());
      const bucket = bucketOf(milliseconds);
      const key = `${hour}/${bucket}`;
      const own = unwrittenRows.get(organizationId) ?? new Map<string, DurationRow>();
      const row = own.get(key);
      if (row === undefined && size >= mostRows) return;
      if (row === undefined) size++;
      own.set(key, { organizationId, hour, bucket, amount: (row?.amount ?? 0) + 1 });
      unwrittenRows.set(organizationId, own);
    },
    unwritten: (organizationId) => [...(unwrittenRows.get(organizationId)?.values() ?? [])],
    async write({ counts }) {
      const taken = [...unwrittenRows.values()].flatMap((own) => [...own.values()]);
      unwrittenRows = new Map();
      size = 0;
      // In the order of their key, so that two nodes that add some wait for each other in one direction.
      const orderOf = ({ organizationId, hour, bucket }: DurationRow) => `${organizationId}/${hour}/${bucket}`;
      taken.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
      for (let from = 0; from < taken.length; from += SLICE) {
        await counts.addDurations(taken.slice(from, from + SLICE));
        // Requests that wait come first.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Writes the recorded latencies every ten seconds, and once more at shutdown. */
export function startLatencyWriter(recorder: LatencyRecorder, store: Pick<Store, 'counts'>, log: Pick<Logger, 'warn'>) {
  const ended = new AbortController();

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      await recorder.write(store).catch((error: unknown) => log.warn({ err: error }, 'durations of requests cannot be kept now'));
    }
  }

  const working = work();
  return {
    async stop(): Promise<void> {
      ended.abort();
      await working;
    },
  };
}
