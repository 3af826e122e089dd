import type { RecordDelete } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { notFound } from '../../wire/refuse.ts';

/** Returns the change that removes a policy. `field` is the path of its id in the parameters. Throws NOT_FOUND. */
export function removePolicy(organization: Snapshot, policyId: string, field: string): RecordDelete {
  if (!organization.policies.has(policyId)) throw notFound('policy', field);
  return { op: 'deleteRecord', kind: 'policy', id: policyId };
}
