import { bucketName, insertedOrganizations } from '../commit-rules.ts';
import type { Commit } from '../store.ts';

/** One entry of a batch and its position. */
export interface Entry {
  readonly position: number;
  readonly commit: Commit;
}

/**
 * Splits entries into those that can be decided together and the rest. An entry waits if an earlier one may change what it is checked
 * against: the version of its organization, the activity that it inserts or replaces, the newest point of a bucket,
 * or an account to send from.
 * INVARIANT: entries of one organization keep their order: a waiting entry makes the later entries of its organization wait.
 * `chained`: points that build on each other are decided together, so buckets make no entry wait.
 */
export function splitIndependent(
  entries: readonly Entry[],
  { chained = false } = {},
): { readonly ready: readonly Entry[]; readonly waiting: readonly Entry[] } {
  const ready: Entry[] = [];
  const waiting: Entry[] = [];
  const blocked = new Set<string>();
  for (const entry of entries) {
    const { organizationId, head, activity, alsoExpect, usage = [], accounts = [] } = entry.commit;
    const inserted = insertedOrganizations(entry.commit);
    const others = alsoExpect === undefined ? [] : [alsoExpect.organizationId];
    const organizations = [organizationId, ...inserted, ...others].map((id) => `organization ${id}`);
    const sent = accounts.map(({ chain, account }) => `account ${organizationId} ${chain} ${account}`);
    const buckets = [...(chained ? [] : usage.map((claim) => `bucket ${bucketName(claim)}`)), ...sent];
    const claims =
      activity === undefined
        ? buckets
        : [`activity ${organizationId} ${activity.id}`, `fingerprint ${organizationId} ${activity.fingerprint}`, ...buckets];
    if ([...organizations, ...claims].some((key) => blocked.has(key))) {
      waiting.push(entry);
      for (const key of [...organizations, ...claims]) blocked.add(key);
      continue;
    }
    ready.push(entry);
    for (const key of claims) blocked.add(key);
    if (head !== undefined) blocked.add(`organization ${organizationId}`);
    for (const id of inserted) blocked.add(`organization ${id}`);
  }
  return { ready, waiting };
}
