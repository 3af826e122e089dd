import { memoizeByRef } from '@countersign/collections';
import type { VelocityControlRecord } from '@countersign/judgement';
import type { PolicyContent } from './new-policy.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** What a request makes of policies and limits, by their ids. Undefined removes one. A new one has the id `new:` plus its name. */
export interface RuleChange {
  readonly policies?: ReadonlyMap<string, PolicyContent | undefined>;
  readonly controls?: ReadonlyMap<string, VelocityControlRecord | undefined>;
}

/** The limits of an organization after a change. The same map if none of them changes. */
export function changedControls(
  { records }: Snapshot,
  { controls = new Map() }: RuleChange,
): Snapshot['records']['velocityControl'] {
  let changed = records.velocityControl;
  for (const [id, control] of controls) changed = control === undefined ? changed.without(id) : changed.with(id, control);
  return changed;
}

/** Enough of the policies and limits of an organization to notice a later change. */
export interface RulesState {
  readonly policies: number;
  readonly controls: number;
  readonly atMs: number;
}

export function rulesState({ policies, records }: Snapshot, atMs: number): RulesState {
  return { policies: policies.size, controls: records.velocityControl.size, atMs };
}

/** Whether policies or limits were created, changed or deleted since. A deletion and a creation together show by the time of the new one. */
export function haveRulesChanged({ policies, records: { velocityControl } }: Snapshot, before: RulesState): boolean {
  if (policies.size !== before.policies || velocityControl.size !== before.controls) return true;
  return Math.max(lastChange(policies).atMs, lastChange(velocityControl).atMs) >= before.atMs;
}

const lastChange = memoizeByRef((records: ReadonlyMap<string, { readonly updatedAtMs: number }>) => {
  let atMs = 0;
  for (const { updatedAtMs } of records.values()) atMs = Math.max(atMs, updatedAtMs);
  return { atMs };
});
