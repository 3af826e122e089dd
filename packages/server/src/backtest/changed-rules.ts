import { PersistentMap } from '@countersign/collections';
import type { ControlChangeShape, PolicyChangeShape } from '@countersign/contract';
import { ControlProblem, readDefinition, tokenListOf, updated } from '@countersign/judgement';
import { readPolicy, requireValid, updatedPolicy } from '../organizations/new-policy.ts';
import { requireTagIds } from '../organizations/policy-tags.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { invalidField, notFound, requireDistinct } from '../wire/refuse.ts';
import type { RuleSet } from './backtest-types.ts';

/** A change to test. */
export interface RuleChange {
  readonly policies: PolicyChangeShape;
  readonly velocityControls: ControlChangeShape;
}

/**
 * The policies and limits of an organization with a hypothetical change applied. Throws the same errors as the activities that make such
 * changes. An added rule has the id `new:` plus its name, which cannot collide with an id.
 */
export function changedRules(organization: Snapshot, change: RuleChange, nowMs: number): RuleSet {
  const controls = changedControls(organization, change.velocityControls, nowMs);
  const records = { ...organization.records, velocityControl: PersistentMap.from(controls) };
  const policies = changedPolicies({ ...organization, records }, change.policies, nowMs);
  for (const [index, id] of (change.velocityControls.remove ?? []).entries()) {
    const identifier = organization.records.velocityControl.get(id)?.identifier ?? '';
    const named = new RegExp(`\\bcontrols\\s*\\.\\s*${identifier}\\b`);
    const naming = [...policies.values()].find(({ condition = '' }) => named.test(condition));
    if (naming !== undefined)
      throw invalidField(
        `velocityControls.remove.${index}`,
        `is used as controls.${identifier} by policy "${naming.policyName}"`,
      );
  }
  return { policies, controls };
}

/** SECURITY: D177: derived from the organization's own map, so that only changed policies are compiled, regardless of their number. */
function changedPolicies(
  organization: Snapshot,
  { add = [], update = [], remove = [] }: PolicyChangeShape,
  nowMs: number,
): RuleSet['policies'] {
  const { policies } = organization;
  let changed = policies;
  requireDistinct([...update.map(({ policyId }) => policyId), ...remove], 'policy', 'policies.remove');
  for (const [index, id] of remove.entries()) {
    if (!changed.has(id)) throw notFound('policy', `policies.remove.${index}`);
    changed = changed.without(id);
  }
  for (const [index, { policyId, ...fields }] of update.entries()) {
    const field = `policies.update.${index}.`;
    const stored = policies.get(policyId);
    if (stored === undefined) throw notFound('policy', `${field}policyId`);
    const content = updatedPolicy(stored, fields);
    requireValid(organization, content, field, { condition: 'policyCondition', consensus: 'policyConsensus', time: 'time' });
    const { policyCondition, policyConsensus } = fields;
    requireTagIds(organization, {
      [`${field}policyCondition`]: policyCondition,
      [`${field}policyConsensus`]: policyConsensus,
    });
    changed = changed.with(policyId, { ...content, createdAtMs: stored.createdAtMs, updatedAtMs: nowMs });
  }
  for (const [index, params] of add.entries()) {
    const field = `policies.add.${index}.`;
    const id = `new:${params.policyName}`;
    if (changed.has(id)) throw invalidField(`${field}policyName`, 'repeats a name of this change');
    changed = changed.with(id, { ...readPolicy(organization, params, field), createdAtMs: nowMs, updatedAtMs: nowMs });
  }
  return changed;
}

function changedControls(
  { records }: Snapshot,
  { add = [], update = [], remove = [] }: ControlChangeShape,
  nowMs: number,
): RuleSet['controls'] {
  const stored = records.velocityControl;
  if (add.length + update.length + remove.length === 0) return stored;
  const changed = new Map(stored);
  const ids = [...update.map(({ velocityControlId }) => velocityControlId), ...remove];
  requireDistinct(ids, 'velocity control', 'velocityControls.remove');
  for (const [index, id] of remove.entries()) {
    if (!changed.delete(id)) throw notFound('velocity control', `velocityControls.remove.${index}`);
  }
  for (const [index, { velocityControlId: id, ...fields }] of update.entries()) {
    const field = `velocityControls.update.${index}.`;
    const control = stored.get(id);
    if (control === undefined) throw notFound('velocity control', `${field}velocityControlId`);
    changed.set(
      id,
      orRefuse(field, () => updated(control, fields, nowMs)),
    );
  }
  for (const [index, params] of add.entries()) {
    const field = `velocityControls.add.${index}.`;
    const { name, identifier } = params;
    if ([...changed.values()].some((other) => other.identifier === identifier))
      throw invalidField(`${field}identifier`, 'is the identifier of another limit');
    const definition = orRefuse(field, () => readDefinition(params, tokenListOf(records.token)));
    changed.set(`new:${identifier}`, { name, identifier, ...definition, epoch: 0, createdAtMs: nowMs, updatedAtMs: nowMs });
  }
  return changed;
}

function orRefuse<T>(field: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof ControlProblem) throw invalidField(`${field}${error.field}`, error.description, { cause: error });
    throw error;
  }
}
