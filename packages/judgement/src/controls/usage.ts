/** What one bucket has counted in the window of its control, before the request to authorize. */
export interface Usage {
  /** The id of the control. */
  readonly control: string;
  readonly bucket: string;
  /** Scaled by 10^18. */
  readonly used: bigint;
  /** The number of requests that the bucket has counted since its creation. A commit names the revision on which its decision depends. */
  readonly revision: number;
  /** The amounts that stop counting next, and when, earliest first. */
  readonly freesUp?: readonly FreesUp[];
}

export interface FreesUp {
  readonly amount: bigint;
  readonly atMs: number;
}

/** Usage of all buckets that the decision can depend on, by bucket. */
export type UsageByBucket = ReadonlyMap<string, Usage>;

/** The usage that a decision depended on, as its activity stores it. Amounts are decimal texts. */
export interface StoredUsage {
  readonly control: string;
  readonly bucket: string;
  /** Before the activity. */
  readonly used: string;
  /** The threshold that was in force; absent for FIRST. */
  readonly threshold?: string;
  /** The last revision of the bucket before the activity. 0 if there was none. */
  readonly revision: number;
  /** The end of the window over which `used` is the sum. */
  readonly atMs: number;
  /** The activity's addition. Absent if it counted nothing, because it was not executed or only read the control. */
  readonly counted?: {
    readonly amount: string;
    readonly revision: number;
    /** The sum of everything that the bucket has counted since its creation, including this amount. */
    readonly total: string;
  };
}
