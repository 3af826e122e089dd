import type { ActivityCountRow } from './rows.ts';

/** Range of counts to sum. Hours are counted from 1970. */
export interface CountRange {
  readonly fromHour: number;
  /** Exclusive. */
  readonly beforeHour: number;
  /** Length of an interval in hours. */
  readonly hours: number;
  readonly limit: number;
}

/** Sum of one interval. `hour` is the first hour of the interval. */
export type IntervalCount = Omit<ActivityCountRow, 'organizationId'>;

/** Number of requests of an organization in an hour whose duration falls into a histogram bucket. */
export interface DurationRow {
  readonly organizationId: string;
  readonly hour: number;
  readonly bucket: string;
  readonly amount: number;
}

/** Counts of an organization and the number of log leaves that they cover, from one snapshot. */
export interface CountedSums {
  readonly leaves: number;
  /** By hour, type and status. */
  readonly sums: readonly IntervalCount[];
}

/** Activity counts of organizations. Not authenticated: they are only shown in plots and grant no rights, and the log has the proof. */
export interface CountStore {
  /** Number of log leaves counted so far. */
  counted(): Promise<number>;
  /**
   * Adds the counts of the leaves from `from` up to, but not including, `to`, in one durable transaction. Returns false and changes
   * nothing if the number of counted leaves is no longer `from`.
   */
  add(from: number, to: number, counts: readonly ActivityCountRow[]): Promise<boolean>;
  sums(organizationId: string, range: CountRange): Promise<CountedSums>;
  /** Adds durations of requests in one durable transaction. Does not change the number of counted leaves. */
  addDurations(rows: readonly DurationRow[]): Promise<void>;
  /** Durations per interval. `hour` is the first hour of the interval. */
  durations(organizationId: string, range: Omit<CountRange, 'limit'>): Promise<readonly Omit<DurationRow, 'organizationId'>[]>;
}
