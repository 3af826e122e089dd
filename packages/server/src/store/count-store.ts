import type { ActivityCountRow } from './rows.ts';

/** Which counts of an organization to add up. Hours are counted from 1970. */
export interface CountRange {
  readonly fromHour: number;
  /** Not included. */
  readonly beforeHour: number;
  /** How many hours are one interval. */
  readonly hours: number;
  readonly limit: number;
}

/** The sum of one interval. `hour` is its first one. */
export type IntervalCount = Omit<ActivityCountRow, 'organizationId'>;

/** How many requests of an organization took how long in an hour. `bucket` is what a histogram calls it. */
export interface DurationRow {
  readonly organizationId: string;
  readonly hour: number;
  readonly bucket: string;
  readonly amount: number;
}

/** The counts of an organization, and how many leaves of the log they cover, as of one instant. */
export interface CountedSums {
  readonly leaves: number;
  /** By hour, type and status. */
  readonly sums: readonly IntervalCount[];
}

/**
 * How many activities organizations had. Not authenticated: nobody gains a right by a number in a plot, and the log has the proof.
 */
export interface CountStore {
  /** How many leaves of the log are counted. */
  counted(): Promise<number>;
  /**
   * Adds the counts of the leaves from `from` up to, not including, `to`, in one durable transaction. False, with nothing changed, where
   * another number of leaves is counted by now.
   */
  add(from: number, to: number, counts: readonly ActivityCountRow[]): Promise<boolean>;
  sums(organizationId: string, range: CountRange): Promise<CountedSums>;
  /** Adds to the durations of requests, in one durable transaction. No leaf of the log is counted by that. */
  addDurations(rows: readonly DurationRow[]): Promise<void>;
  /** Durations by interval. `hour` is its first one. */
  durations(organizationId: string, range: Omit<CountRange, 'limit'>): Promise<readonly Omit<DurationRow, 'organizationId'>[]>;
}
