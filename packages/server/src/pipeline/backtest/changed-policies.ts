import type { PolicyChangeShape } from '@countersign/contract';
import type { PolicyRecord } from '@countersign/judgement';
import { readPolicy, requireValid, updatedPolicy } from '../../organizations/new-policy.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { invalidField, notFound, requireDistinct } from '../../wire/refuse.ts';

/**
 * The policies of an organization after a change that nobody made. Throws as the activities that make such changes do.
 * What is added is named by `new:` and its name, which no id looks like.
 */
export function changedPolicies(
  { policies }: Snapshot,
  { add = [], update = [], remove = [] }: PolicyChangeShape,
  nowMs: number,
): ReadonlyMap<string, PolicyRecord> {
  const changed = new Map(policies);
  requireDistinct([...update.map(({ policyId }) => policyId), ...remove], 'policy', 'policies.remove');
  for (const [index, id] of remove.entries()) {
    if (!changed.delete(id)) throw notFound('policy', `policies.remove.${index}`);
  }
  for (const [index, { policyId, ...fields }] of update.entries()) {
    const field = `policies.update.${index}.`;
    const stored = policies.get(policyId);
    if (stored === undefined) throw notFound('policy', `${field}policyId`);
    const content = updatedPolicy(stored, fields);
    requireValid(content, field, { condition: 'policyCondition', consensus: 'policyConsensus', time: 'time' });
    changed.set(policyId, { ...content, createdAtMs: stored.createdAtMs, updatedAtMs: nowMs });
  }
  for (const [index, params] of add.entries()) {
    const field = `policies.add.${index}.`;
    const id = `new:${params.policyName}`;
    if (changed.has(id)) throw invalidField(`${field}policyName`, 'repeats a name of this change');
    changed.set(id, { ...readPolicy(params, field), createdAtMs: nowMs, updatedAtMs: nowMs });
  }
  return changed;
}
