import type { ReadNode, Scalar } from '../check/typed.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { namespaceState } from '../expression.ts';
import { PersistentMap } from '../persistent/persistent-map.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { Namespace } from '../schema/namespace.ts';
import { type IndexKey, pathOf } from './index-key.ts';
import { readState } from './read-state.ts';

/** A policy in the index: what a request must meet for it to matter, and the one of these that it is found by. */
export interface IndexedPolicy {
  readonly policy: CompiledPolicy;
  readonly keys: readonly IndexKey[];
  readonly foundBy: IndexKey | 'ALWAYS' | 'NEVER';
}

type Group = PersistentMap<IndexedPolicy>;

interface Read {
  readonly read: ReadNode;
  readonly byValue: PersistentMap<Group>;
}

/** Policies by what they are found by. A change makes another index. */
export interface PolicyIndex {
  readonly always: Group;
  readonly byApprover: PersistentMap<Group>;
  readonly byNamespace: PersistentMap<{ readonly namespace: Namespace; readonly group: Group }>;
  readonly byPath: PersistentMap<Read>;
  /** Policies that are found by a path, by every path whose fault makes them deny. */
  readonly byFaultyRead: PersistentMap<{ readonly read: ReadNode; readonly group: Group }>;
  /** How many policies could be found in each bucket. */
  readonly crowds: PersistentMap<number>;
}

const nobody: Group = PersistentMap.empty<IndexedPolicy>();

export const emptyIndex: PolicyIndex = {
  always: nobody,
  byApprover: PersistentMap.empty<Group>(),
  byNamespace: PersistentMap.empty<{ namespace: Namespace; group: Group }>(),
  byPath: PersistentMap.empty<Read>(),
  byFaultyRead: PersistentMap.empty<{ read: ReadNode; group: Group }>(),
  crowds: PersistentMap.empty<number>(),
};

/** A literal as the key of a group. */
export const textOf = (value: Scalar) => `${typeof value} ${String(value)}`;

/** The buckets that a key would put its policy into. */
export function bucketsOf(key: IndexKey): readonly string[] {
  if (key.kind === 'approver') return [...key.userIds].map((id) => `approver\n${textOf(id)}`);
  if (key.kind === 'namespace') return [`namespace\n${key.namespace.path}`];
  return [...key.values].map((value) => `path\n${pathOf(key.read)}\n${textOf(value)}`);
}

/** The key whose fullest bucket is the smallest: it makes the fewest requests look at the policy in vain. */
function leastCrowded(keys: readonly IndexKey[], crowds: ReadonlyMap<string, number>): IndexKey | undefined {
  const crowd = (key: IndexKey) => Math.max(0, ...bucketsOf(key).map((bucket) => crowds.get(bucket) ?? 0));
  let best: { readonly key: IndexKey; readonly crowd: number } | undefined;
  for (const key of keys) {
    const size = crowd(key);
    if (best === undefined || size < best.crowd) best = { key, crowd: size };
  }
  return best?.key;
}

/** A policy and the key that finds it, where the buckets are as full as `crowds` says. */
export function placedBy(policy: CompiledPolicy, keys: readonly IndexKey[], crowds: ReadonlyMap<string, number>): IndexedPolicy {
  // An ALLOW that does not compile never grants. A DENY that does not compile is always asked, and denies.
  const otherwise = policy.invalid.length === 0 || policy.effect === 'EFFECT_DENY' ? 'ALWAYS' : 'NEVER';
  return { policy, keys, foundBy: leastCrowded(keys, crowds) ?? otherwise };
}

export function withIndexed(
  index: PolicyIndex,
  at: string,
  policy: CompiledPolicy,
  keys: readonly IndexKey[],
): { readonly index: PolicyIndex; readonly placed: IndexedPolicy } {
  const crowds = counted(index.crowds, keys, 1);
  const placed = placedBy(policy, keys, crowds);
  return { index: { ...regrouped(index, placed, (group) => group.with(at, placed)), crowds }, placed };
}

export function withoutIndexed(index: PolicyIndex, at: string, gone: IndexedPolicy): PolicyIndex {
  const crowds = counted(index.crowds, gone.keys, -1);
  return { ...regrouped(index, gone, (group) => group.without(at)), crowds };
}

function counted(crowds: PersistentMap<number>, keys: readonly IndexKey[], by: 1 | -1): PersistentMap<number> {
  let counts = crowds;
  for (const bucket of keys.flatMap(bucketsOf)) {
    const count = (counts.get(bucket) ?? 0) + by;
    counts = count === 0 ? counts.without(bucket) : counts.with(bucket, count);
  }
  return counts;
}

/** The index with every group changed that a policy belongs to. Groups without members are left out. */
function regrouped(index: PolicyIndex, { foundBy: key }: IndexedPolicy, change: (group: Group) => Group): PolicyIndex {
  if (key === 'NEVER') return index;
  if (key === 'ALWAYS') return { ...index, always: change(index.always) };
  if (key.kind === 'approver') {
    const byApprover = [...key.userIds].reduce((all, id) => grouped(all, textOf(id), change), index.byApprover);
    return { ...index, byApprover };
  }
  if (key.kind === 'namespace') {
    const { namespace } = key;
    const group = change(index.byNamespace.get(namespace.path)?.group ?? nobody);
    const { byNamespace } = index;
    return {
      ...index,
      byNamespace:
        group.size === 0 ? byNamespace.without(namespace.path) : byNamespace.with(namespace.path, { namespace, group }),
    };
  }
  const { read } = key;
  const path = pathOf(read);
  const before = index.byPath.get(path)?.byValue ?? PersistentMap.empty<Group>();
  const byValue = [...key.values].reduce((all, value) => grouped(all, textOf(value), change), before);
  const byPath = byValue.size === 0 ? index.byPath.without(path) : index.byPath.with(path, { read, byValue });
  let { byFaultyRead } = index;
  for (const faulty of new Map(key.reads.map((each) => [pathOf(each), each]))) {
    const [name, node] = faulty;
    const group = change(byFaultyRead.get(name)?.group ?? nobody);
    byFaultyRead = group.size === 0 ? byFaultyRead.without(name) : byFaultyRead.with(name, { read: node, group });
  }
  return { ...index, byPath, byFaultyRead };
}

function grouped(all: PersistentMap<Group>, text: string, change: (group: Group) => Group): PersistentMap<Group> {
  const group = change(all.get(text) ?? nobody);
  return group.size === 0 ? all.without(text) : all.with(text, group);
}

/** The policies whose key a request meets, with their places. */
export function lookUp(index: PolicyIndex, approvers: ReadonlySet<string>, values: NamespaceValues): [string, IndexedPolicy][] {
  const found = new Map<string, IndexedPolicy>();
  const add = (group: Group | undefined) => {
    for (const [at, policy] of group ?? nobody) found.set(at, policy);
  };
  add(index.always);
  for (const id of approvers) add(index.byApprover.get(textOf(id)));
  for (const { namespace, group } of index.byNamespace.values()) if (namespaceState(namespace, values) !== 'absent') add(group);
  for (const { read, byValue } of index.byPath.values()) {
    const state = readState(read, values);
    if (typeof state === 'object' && typeof state.value !== 'object') add(byValue.get(textOf(state.value as Scalar)));
  }
  for (const { read, group } of index.byFaultyRead.values()) if (readState(read, values) === 'faulty') add(group);
  return [...found];
}

/** The policies in every bucket that one of these keys would put a policy into, and those in no bucket: up to so many of each. */
export function beside(index: PolicyIndex, keys: readonly IndexKey[], limit: number): [string, IndexedPolicy][] {
  const found = new Map<string, IndexedPolicy>();
  const add = (group: Group | undefined) => {
    let count = 0;
    for (const [at, policy] of (group ?? nobody).descending()) {
      if (count++ >= limit) return;
      found.set(at, policy);
    }
  };
  add(index.always);
  for (const key of keys) {
    if (key.kind === 'approver') for (const id of key.userIds) add(index.byApprover.get(textOf(id)));
    else if (key.kind === 'namespace') add(index.byNamespace.get(key.namespace.path)?.group);
    else for (const value of key.values) add(index.byPath.get(pathOf(key.read))?.byValue.get(textOf(value)));
  }
  return [...found];
}

/** Whether a request meets a key. For a path that means a value that is asked for, or a fault that makes the policy deny. */
export function meets(key: IndexKey, approvers: ReadonlySet<string>, values: NamespaceValues): boolean {
  if (key.kind === 'approver') {
    for (const id of approvers) if (key.userIds.has(id)) return true;
    return false;
  }
  if (key.kind === 'namespace') return namespaceState(key.namespace, values) !== 'absent';
  const state = readState(key.read, values);
  if (typeof state === 'object' && key.values.has(state.value as Scalar)) return true;
  return key.reads.some((read) => readState(read, values) === 'faulty');
}
