import { insertedOrganizations } from '../commit-rules.ts';
import type { Commit } from '../store.ts';

/** One entry of a batch and its position. */
export interface Entry {
  readonly position: number;
  readonly commit: Commit;
}

/**
 * The entries that can be decided together, and the rest. An entry waits if an earlier one may change what it is checked
 * against: the version of its organization, or the activity that it inserts or replaces.
 * INVARIANT: entries of one organization keep their order: an entry that waits makes the later ones of its organization wait.
 */
export function nextRound(entries: readonly Entry[]): { readonly ready: readonly Entry[]; readonly waiting: readonly Entry[] } {
  const ready: Entry[] = [];
  const waiting: Entry[] = [];
  const unsettled = new Set<string>();
  for (const entry of entries) {
    const { organizationId, head, activity, alsoExpect } = entry.commit;
    const inserted = insertedOrganizations(entry.commit);
    const others = alsoExpect === undefined ? [] : [alsoExpect.organizationId];
    const organizations = [organizationId, ...inserted, ...others].map((id) => `organization ${id}`);
    const claims =
      activity === undefined
        ? []
        : [`activity ${organizationId} ${activity.id}`, `fingerprint ${organizationId} ${activity.fingerprint}`];
    if ([...organizations, ...claims].some((key) => unsettled.has(key))) {
      waiting.push(entry);
      for (const key of [...organizations, ...claims]) unsettled.add(key);
      continue;
    }
    ready.push(entry);
    for (const key of claims) unsettled.add(key);
    if (head !== undefined) unsettled.add(`organization ${organizationId}`);
    for (const id of inserted) unsettled.add(`organization ${id}`);
  }
  return { ready, waiting };
}
