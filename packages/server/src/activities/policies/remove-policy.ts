import type { RecordDelete } from '../../organizations/changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { notFound } from '../../wire/refuse.ts';

/** The change that takes a policy away. `field` is what names it in the parameters. Throws NOT_FOUND for an unknown one. */
export function removePolicy(organization: Snapshot, policyId: string, field: string): RecordDelete {
  if (!organization.policies.has(policyId)) throw notFound('policy', field);
  return { op: 'deleteRecord', kind: 'policy', id: policyId };
}
