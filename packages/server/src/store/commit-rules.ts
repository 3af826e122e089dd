import type { LogEntryRow, Write } from './rows.ts';
import type { Commit, Head } from './store.ts';
import type { BucketKey, UsageClaim, UsageHead } from './usage-store.ts';

/** Ids of the organizations that a commit inserts. */
export function insertedOrganizations(commit: Commit): readonly string[] {
  if (commit.writes.length === 0) return [];
  return commit.writes.filter((write) => write.table === 'organizations').map((write) => write.row.organizationId);
}

/** Whether a stored head has the expected version and MAC. */
export function sameHead(stored: Head | undefined, { version, mac }: Head): boolean {
  return stored !== undefined && stored.version === version && Buffer.compare(stored.mac, mac) === 0;
}

/**
 * Returns the rule that a commit breaks regardless of stored rows, or undefined. The engine checks rules that depend on stored rows.
 * SECURITY: a bug in one activity cannot write another organization's rows. Lookups are exempt, because they are never trusted.
 */
export function brokenRule(commit: Commit): string | undefined {
  const { organizationId, expected, head, activity, logEntry, writes } = commit;
  if (activity === undefined && head === undefined) return 'a commit without an activity must change the head';
  if (activity !== undefined && activity.organizationId !== organizationId) return 'the activity belongs to another organization';
  if (activity !== undefined && !(Number.isSafeInteger(activity.revision) && activity.revision >= 0))
    return 'the revision is not a whole number of 0 or more';
  if (activity !== undefined && !Number.isSafeInteger(activity.requestedAtMs))
    return 'the time of the request is not a whole number';
  if (!Number.isSafeInteger(expected.version)) return 'the expected version is not a whole number';
  if (head !== undefined && !(Number.isSafeInteger(head.version) && head.version > expected.version)) {
    return 'the next version is not above the expected one';
  }
  if (commit.alsoExpect?.organizationId === organizationId) return 'the organization itself is expected twice';
  if (activity !== undefined && !isWellFormed(activity)) return 'the activity contains an unpaired surrogate';
  if (logEntry !== undefined && !isOf(logEntry, commit)) return 'the log entry does not belong to the commit';
  if (commit.usage !== undefined) {
    const broken = brokenClaim(commit.usage, commit);
    if (broken !== undefined) return broken;
  }
  if (commit.accounts?.some((claim) => claim.organizationId !== organizationId) === true)
    return 'an account belongs to another organization';
  if (writes.length === 0) return undefined;
  const inserted = insertedOrganizations(commit);
  if (new Set(inserted).size !== inserted.length) return 'an organization is inserted twice';
  if (head !== undefined && inserted.includes(organizationId)) return 'an organization that is inserted has its head in that row';
  for (const write of writes) {
    const broken = brokenWrite(write, organizationId, inserted);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

/** Whether an entry is that of the activity of a commit, or of its organization if the service itself makes the change. */
function isOf({ organizationId, activityId, revision }: LogEntryRow, { organizationId: own, activity }: Commit): boolean {
  if (organizationId !== own) return false;
  if (activity === undefined) return activityId.startsWith('system:') && revision === 0;
  return activity.id === activityId && activity.revision === revision;
}

/**
 * Why the log would not follow a commit, or undefined.
 * INVARIANT: every head that is ever current is in a log entry, and versions have no gaps. Otherwise a process could not tell a head that
 * was put back from one that the log does not know.
 */
export function unloggedHead(commit: Commit): string | undefined {
  const { expected, head, logEntry } = commit;
  if (head !== undefined && head.version !== expected.version + 1) return 'the next version does not follow the expected one';
  if (logEntry !== undefined) return undefined;
  if (head !== undefined) return 'the head moves without a log entry';
  return insertedOrganizations(commit).length > 0 ? 'an organization is inserted without a log entry' : undefined;
}

function brokenWrite(write: Write, organizationId: string, inserted: readonly string[]): string | undefined {
  if (!isWellFormed(write.row)) return `a row of ${write.table} contains an unpaired surrogate`;
  if (write.table === 'organizations') {
    return Number.isSafeInteger(write.row.version) ? undefined : 'the version of an inserted organization is not a whole number';
  }
  if (write.table === 'lookups') return undefined;
  const owner = write.row.organizationId;
  if (owner === organizationId || inserted.includes(owner)) return undefined;
  return `a row of ${write.table} belongs to another organization`;
}

/** Whether the newest point of a bucket has the expected revision and MAC. Undefined means a bucket without points. */
export function sameUsage(stored: UsageHead | undefined, expected: UsageHead | undefined): boolean {
  if (stored === undefined || expected === undefined) return stored === expected;
  return stored.revision === expected.revision && Buffer.compare(stored.mac, expected.mac) === 0;
}

/** Commits between two sweeps of tombstones, and the number of versions whose tombstones are kept. */
const SWEEP_EVERY = 256;
const KEPT_VERSIONS = 4_096;

/** The version below which a commit removes the tombstones of its organization. Undefined if it removes none. */
export function sweptTombstones(head: Head | undefined): number | undefined {
  return head === undefined || head.version % SWEEP_EVERY !== 0 ? undefined : head.version - KEPT_VERSIONS;
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
function brokenClaim(claims: readonly UsageClaim[], { organizationId, alsoExpect, activity }: Commit): string | undefined {
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
    if (!isWellFormed(next)) return 'a point contains an unpaired surrogate';
  }
  return undefined;
}

/** Whether all text of a row survives UTF-8. A lone surrogate would be read back as another character, and no MAC would match. */
function isWellFormed<R extends object>(row: R): boolean {
  let field: keyof R;
  for (field in row) {
    const value: unknown = row[field];
    if (typeof value === 'string' && !(value as string & { isWellFormed(): boolean }).isWellFormed()) return false;
  }
  return true;
}
