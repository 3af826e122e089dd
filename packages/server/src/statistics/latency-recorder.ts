import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DurationRow } from '../store/count-store.ts';
import type { Store } from '../store/store.ts';

/** Upper bounds in milliseconds: about two for each doubling, so a percentile is at most half as long again as the real one. */
const bounds = [
  1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1_024, 1_536, 2_048, 4_096, 8_192, 16_384,
] as const;
/** The name of the bucket above every bound. */
const LONGER = 'LONGER';

/** Number of requests by bucket. The name of a bucket is its upper bound, as stored. */
export type DurationHistogram = ReadonlyMap<string, number>;

const names: readonly string[] = [...bounds.map(String), LONGER];
const order: ReadonlyMap<string, number> = new Map(names.map((name, index) => [name, index]));

/** The bucket that a duration falls into. */
export function bucketOf(milliseconds: number): string {
  let low = 0;
  let high: number = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (milliseconds <= (bounds[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return names[low] as string;
}

/** Adds to a bucket. Names that are no bucket come from a changed database, and add nothing. */
export function addTo(histogram: Map<string, number>, bucket: string, amount: number): void {
  if (order.has(bucket)) histogram.set(bucket, (histogram.get(bucket) ?? 0) + amount);
}

interface Percentiles {
  readonly count: number;
  /** Milliseconds. Undefined without requests, and above the largest bound. */
  readonly medianMs: number | undefined;
  readonly p99Ms: number | undefined;
}

/** INVARIANT: at least this share of the requests took at most the returned bound. It is never lower than the real latency. */
export function percentilesOf(histogram: DurationHistogram): Percentiles {
  const sorted = [...histogram].sort(([a], [b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  const count = sorted.reduce((sum, [, amount]) => sum + amount, 0);
  const within = (percent: number) => {
    const wanted = Math.ceil((count * percent) / 100);
    let sum = 0;
    for (const [name, amount] of sorted) {
      sum += amount;
      if (sum >= wanted) return bounds[order.get(name) ?? bounds.length];
    }
    return undefined;
  };
  return { count, medianMs: within(50), p99Ms: within(99) };
}

const HOUR_MS = 3_600_000;

/** The hour of a time, counted from 1970 in UTC. */
export function hourOf(timeMs: number): number {
  return Math.floor(timeMs / HOUR_MS);
}

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
  // By organization, then by hour and bucket, so that a request allocates no key for its organization.
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
      // In key order, so that two nodes that add latencies cannot deadlock.
      const orderOf = ({ organizationId, hour, bucket }: DurationRow) => `${organizationId}/${hour}/${bucket}`;
      taken.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
      for (let from = 0; from < taken.length; from += SLICE) {
        await counts.addDurations(taken.slice(from, from + SLICE));
        // Yield to pending requests.
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
      await recorder.write(store).catch((error: unknown) => log.warn({ err: error }, 'request durations cannot be stored'));
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
