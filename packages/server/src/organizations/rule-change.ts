import { memoizeByRef, type PersistentMap } from '@countersign/collections';
import { policySetOf, type VelocityControlRecord } from '@countersign/judgement';
import type { EndSlice } from '../admission/index.ts';
import type { PolicyContent } from './new-policy.ts';
import type { ContactRecord, OrganizationRecord, TokenRecord, UserRecord } from './records.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** Records by their ids. Undefined removes one. A new one has the id `new:` plus its name. */
type Changed<T> = ReadonlyMap<string, T | undefined>;

/** What a request makes of policies and limits. */
export interface RuleChange {
  readonly policies?: Changed<PolicyContent>;
  readonly controls?: Changed<VelocityControlRecord>;
}

/** What a request makes of the people, contacts and tokens that policies rest on. */
export interface ContextChange {
  readonly users?: Changed<UserRecord>;
  readonly contacts?: Changed<ContactRecord>;
  readonly tokens?: Changed<TokenRecord>;
  readonly rootQuorum?: OrganizationRecord['rootQuorum'];
}

/** The organization after a change. Compiles one policy at a time, because a long one takes tens of milliseconds. */
export async function afterChange(
  organization: Snapshot,
  { policies: contents = new Map(), controls, users, contacts, tokens, rootQuorum }: RuleChange & ContextChange,
  nowMs: number,
  endSlice: EndSlice,
): Promise<Snapshot> {
  let { policies } = organization;
  const user = changed(organization.users, users);
  const records = {
    ...organization.records,
    user,
    velocityControl: changed(organization.records.velocityControl, controls),
    contact: changed(organization.records.contact, contacts),
    token: changed(organization.records.token, tokens),
  };
  const profile = rootQuorum === undefined ? organization.profile : { ...organization.profile, rootQuorum };
  for (const [id, content] of contents) {
    const createdAtMs = policies.get(id)?.createdAtMs ?? nowMs;
    policies = content === undefined ? policies.without(id) : policies.with(id, { ...content, createdAtMs, updatedAtMs: nowMs });
    policySetOf({ ...organization, policies, records });
    await endSlice();
  }
  return { ...organization, profile, policies, users: user, records };
}

/** The same map if nothing changes. */
function changed<T>(stored: PersistentMap<T>, changes: Changed<T> = new Map()): PersistentMap<T> {
  let map = stored;
  for (const [id, record] of changes) map = record === undefined ? map.without(id) : map.with(id, record);
  return map;
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
