import type { RecordDelete } from '../../organizations/changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PlanContext } from '../../pipeline/executor.ts';
import { requireAdmittedBy } from '../organizations/ip-allowlists.ts';

/** The changes that take API keys out of an organization, each with the IP allowlist that governs it alone. */
export function removeApiKeys({ records }: Pick<Snapshot, 'records'>, ids: readonly string[]): RecordDelete[] {
  return ids.flatMap((id): RecordDelete[] => [
    { op: 'deleteRecord', kind: 'apiKey', id },
    ...(records.ipAllowlist.has(id) ? [{ op: 'deleteRecord' as const, kind: 'ipAllowlist' as const, id }] : []),
  ]);
}

/**
 * Refuses to take API keys away where one of them asks for it, from an address that its own list has and the organization's has not: that
 * list goes with the key, and perhaps nobody is left who can call. Asked when it is submitted and when it is carried out.
 */
export function requireNoLockOutWithout(context: Pick<PlanContext, 'organization' | 'requester'>, ids: readonly string[]): void {
  const { ipAllowlist } = context.organization.records;
  const removed = new Set(ids.filter((id) => ipAllowlist.has(id)));
  if (removed.size === 0) return;
  requireAdmittedBy(new Map([...ipAllowlist].filter(([id]) => !removed.has(id))), context);
}
