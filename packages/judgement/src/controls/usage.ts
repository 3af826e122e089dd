/** What one bucket has counted in the window of its control, before the request that is judged. */
export interface Usage {
  /** The id of the control. */
  readonly control: string;
  readonly bucket: string;
  /** Scaled by 10^18. */
  readonly used: bigint;
  /** How many requests the bucket has counted since it began. A commit names the revision that it was judged on. */
  readonly revision: number;
  /** What stops counting next, and when, the earliest first. */
  readonly freesUp?: readonly FreesUp[];
}

export interface FreesUp {
  readonly amount: bigint;
  readonly atMs: number;
}

/** Usage by bucket, of all buckets that the decision can depend on. */
export type UsageByBucket = ReadonlyMap<string, Usage>;

/** What a decision rested on, as its activity keeps it. Amounts are decimal texts. */
export interface StoredUsage {
  readonly control: string;
  readonly bucket: string;
  /** Before the activity. */
  readonly used: string;
  /** The threshold that was in force; absent for FIRST. */
  readonly threshold?: string;
  /** The newest count of the bucket before the activity; 0 where there was none. */
  readonly revision: number;
  /** The time at which the window ended that `used` is the sum of. */
  readonly atMs: number;
  /** What the activity added. Absent where it counted nothing, because it was not carried out or only asked. */
  readonly counted?: {
    readonly amount: string;
    readonly revision: number;
    /** All that the bucket has counted since it began, with this amount. */
    readonly total: string;
  };
}
