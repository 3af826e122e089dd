import type { UsagePointRow } from './rows.ts';

/** A bucket: what one spending limit counts for one of its groups. */
export type BucketKey = Pick<UsagePointRow, 'organizationId' | 'bucket'>;

/** Revision and MAC of a bucket's newest point. Equal only if both parts are; see `Head`. */
export type UsageHead = Pick<UsagePointRow, 'revision' | 'mac'>;

/** The point of a bucket that a commit depends on, and the point that it adds. */
export interface UsageClaim extends BucketKey {
  /** The newest point that the decision was based on. Undefined if the bucket has no points. */
  readonly expected: UsageHead | undefined;
  /** The point to add. Absent if the decision only read the bucket. */
  readonly next?: UsagePointRow;
}

/** Usage that spending limits have counted. Only commits add points. */
export interface UsageStore {
  /** The newest point of each bucket that has one, in no particular order. */
  newest(buckets: readonly BucketKey[]): Promise<readonly UsagePointRow[]>;
  /** The newest point of a bucket before a time. */
  lastBefore(bucket: BucketKey, beforeMs: number): Promise<UsagePointRow | undefined>;
  /** Points of a bucket above a revision, in order. */
  after(bucket: BucketKey, revision: number, limit: number): Promise<readonly UsagePointRow[]>;
  /** Buckets of an organization with names above `afterBucket`, in order. For maintenance. */
  buckets(organizationId: string, afterBucket: string, limit: number): Promise<readonly string[]>;
  /** Deletes points of a bucket below a revision, at most `limit` of the oldest. Returns the number of deleted points. */
  sweep(bucket: BucketKey, belowRevision: number, limit: number): Promise<number>;
}
