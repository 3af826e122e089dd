import type { RecordDelete } from '../../organizations/changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';

/** The changes that take API keys out of an organization, each with the IP allowlist that governs it alone. */
export function removeApiKeys({ records }: Pick<Snapshot, 'records'>, ids: readonly string[]): RecordDelete[] {
  return ids.flatMap((id): RecordDelete[] => [
    { op: 'deleteRecord', kind: 'apiKey', id },
    ...(records.ipAllowlist.has(id) ? [{ op: 'deleteRecord' as const, kind: 'ipAllowlist' as const, id }] : []),
  ]);
}
