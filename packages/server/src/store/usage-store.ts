import type { UsagePointRow } from './rows.ts';

/** A bucket: what one control counts for one of its groups. */
export type BucketKey = Pick<UsagePointRow, 'organizationId' | 'bucket'>;

/** What a bucket must have as its newest point. Two are the same only if both parts are; see `Head`. */
export type UsageHead = Pick<UsagePointRow, 'revision' | 'mac'>;

/** What a commit rests on and adds to one bucket. */
export interface UsageClaim extends BucketKey {
  /** The newest point that the decision was made on. Undefined where the bucket has none. */
  readonly expected: UsageHead | undefined;
  /** The point to add. Absent where the decision only looked. */
  readonly next?: UsagePointRow;
}

/** What controls have counted. Points are added by commits alone. */
export interface UsageStore {
  /** The newest point of each bucket that has one, in no particular order. */
  newest(buckets: readonly BucketKey[]): Promise<readonly UsagePointRow[]>;
  /** The newest point of a bucket that lies before a time. */
  lastBefore(bucket: BucketKey, beforeMs: number): Promise<UsagePointRow | undefined>;
  /** The points of a bucket above a revision, in order. */
  after(bucket: BucketKey, revision: number, limit: number): Promise<readonly UsagePointRow[]>;
  /** Buckets of an organization above a name, in order. For maintenance. */
  buckets(organizationId: string, afterBucket: string, limit: number): Promise<readonly string[]>;
  /** Forgets points of a bucket below a revision, at most `limit` of the oldest. Gives how many. */
  sweep(bucket: BucketKey, belowRevision: number, limit: number): Promise<number>;
}
