import type { Commit } from './store.ts';
import type { BucketKey, UsageClaim, UsageHead } from './usage-store.ts';
import { isWellFormed } from './well-formed.ts';

/** Whether the newest point of a bucket has the expected revision and MAC. Undefined means a bucket without points. */
export function sameUsage(stored: UsageHead | undefined, expected: UsageHead | undefined): boolean {
  if (stored === undefined || expected === undefined) return stored === expected;
  return stored.revision === expected.revision && Buffer.compare(stored.mac, expected.mac) === 0;
}

/** Name of a bucket, including its organization. */
export function bucketName({ organizationId, bucket }: BucketKey): string {
  return `${organizationId}/${bucket}`;
}

/** How a point names its activity: by id, prefixed with the activity's organization if that differs from the bucket's. */
export function activityName(ownerId: string, organizationId: string, activityId: string): string {
  return ownerId === organizationId ? activityId : `${organizationId}/${activityId}`;
}

/**
 * Returns the rule that claims break regardless of stored rows, or undefined.
 * SECURITY: a bug in one activity cannot add to, or depend on, buckets of an unrelated organization.
 */
export function brokenClaim(claims: readonly UsageClaim[], { organizationId, alsoExpect, activity }: Commit): string | undefined {
  if (activity === undefined) return 'usage is counted without an activity';
  const names = claims.length > 1 ? new Set<string>() : undefined;
  for (const claim of claims) {
    const { expected, next } = claim;
    if (claim.organizationId !== organizationId && claim.organizationId !== alsoExpect?.organizationId)
      return 'a bucket belongs to another organization';
    if (names?.has(bucketName(claim))) return 'a bucket is claimed twice';
    names?.add(bucketName(claim));
    if (next === undefined) continue;
    if (next.organizationId !== claim.organizationId || next.bucket !== claim.bucket) return 'a point is of another bucket';
    if (next.activityId !== activityName(claim.organizationId, organizationId, activity.id))
      return 'a point is of another activity';
    if (next.revision !== (expected?.revision ?? 0) + 1) return 'the revision of a point does not follow the expected one';
    if (!Number.isSafeInteger(next.atMs)) return 'the time of a point is not a whole number';
    if (!isWellFormed(next)) return 'a point holds text with half a surrogate pair';
  }
  return undefined;
}
