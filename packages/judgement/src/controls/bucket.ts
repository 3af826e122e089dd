import type { GroupBy } from './model.ts';

/**
 * The group that a bucket counts for. `key` is an id, an address or a tag. It is empty for the organization, and for a request or recipient
 * without one.
 */
export interface Group {
  readonly by: GroupBy;
  readonly key: string;
}

/**
 * The name of a bucket. A reset starts a new epoch, and so new buckets.
 * INVARIANT: two controls never share a bucket, because the name begins with the id of its control.
 */
export function bucketName(controlId: string, epoch: number, { by, key }: Group): string {
  return `${bucketPrefix(controlId, epoch)}${by}/${key}`;
}

/** The prefix of all bucket names of a control in one epoch. */
export function bucketPrefix(controlId: string, epoch: number): string {
  return `${controlId}/${epoch}/`;
}

/** The group that a bucket is for. */
export function groupOfBucket(bucket: string): Group {
  const [, , by = 'organization', ...key] = bucket.split('/');
  return { by: by as GroupBy, key: key.join('/') };
}
