import type { GroupBy } from './model.ts';

/** Whose bucket it is. `key` is an id, an address or a tag; empty for the organization, and for what has none. */
export interface Group {
  readonly by: GroupBy;
  readonly key: string;
}

/**
 * The name of a bucket. A reset begins another epoch, and so other buckets.
 * INVARIANT: two controls never share a bucket, because the name begins with the id of its control.
 */
export function bucketName(controlId: string, epoch: number, { by, key }: Group): string {
  return `${bucketPrefix(controlId, epoch)}${by}/${key}`;
}

/** What the names of all buckets of a control begin with, in one epoch. */
export function bucketPrefix(controlId: string, epoch: number): string {
  return `${controlId}/${epoch}/`;
}

/** The group that a bucket is for. */
export function groupOfBucket(bucket: string): Group {
  const [, , by = 'organization', ...key] = bucket.split('/');
  return { by: by as GroupBy, key: key.join('/') };
}
