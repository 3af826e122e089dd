import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';

/** The change that disables an endpoint. Empty if it is deleted, paused, or was changed since it began to fail. */
export function disableEndpoint(
  { records }: Snapshot,
  endpointId: string,
  failingSinceMs: number,
  nowMs: number,
): readonly LocalChange[] {
  const record = records.webhookEndpoint.get(endpointId);
  if (record === undefined || !record.isActive || record.updatedAtMs >= failingSinceMs) return [];
  const body = { ...record, isActive: false, disabledAtMs: nowMs, updatedAtMs: nowMs };
  return [{ op: 'putRecord', kind: 'webhookEndpoint', id: endpointId, body }];
}
