import type { ActivityRow, LogEntryRow, Write } from './rows.ts';
import type { Commit, Head } from './store.ts';
import { brokenClaim } from './usage-rules.ts';
import { isWellFormed } from './well-formed.ts';

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
  if (activity === undefined && head === undefined) return 'without an activity the head has to move';
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
  if (activity !== undefined && !isWellFormed(activity)) return 'the activity holds text with half a surrogate pair';
  if (logEntry !== undefined && !isOf(logEntry, activity)) return 'the log entry is not of the activity';
  if (commit.usage !== undefined) {
    const broken = brokenClaim(commit.usage, commit);
    if (broken !== undefined) return broken;
  }
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

function isOf({ organizationId, activityId, revision }: LogEntryRow, activity: ActivityRow | undefined): boolean {
  return activity?.organizationId === organizationId && activity.id === activityId && activity.revision === revision;
}

function brokenWrite(write: Write, organizationId: string, inserted: readonly string[]): string | undefined {
  if (!isWellFormed(write.row)) return `a row of ${write.table} holds text with half a surrogate pair`;
  if (write.table === 'organizations') {
    return Number.isSafeInteger(write.row.version) ? undefined : 'the version of an inserted organization is not a whole number';
  }
  if (write.table === 'lookups') return undefined;
  const owner = write.row.organizationId;
  if (owner === organizationId || inserted.includes(owner)) return undefined;
  return `a row of ${write.table} belongs to another organization`;
}
