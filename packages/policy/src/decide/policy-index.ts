import type { ReadNode, Scalar } from '../check/typed.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { namespaceState } from '../expression.ts';
import { BasedMap } from '../persistent/based-map.ts';
import { PersistentMap } from '../persistent/persistent-map.ts';
import type { Namespace } from '../schema/namespace.ts';
import type { Compiled } from './compile-cache.ts';
import { Crowds } from './crowds.ts';
import { type IndexKey, pathOf } from './index-key.ts';
import { readState } from './read-state.ts';

/** A policy in the index: its place, and the one of its keys that it is found by. */
export interface IndexedPolicy extends Compiled {
  readonly at: string;
  readonly foundBy: IndexKey | 'ALWAYS' | 'NEVER';
}

type Group = PersistentMap<IndexedPolicy>;

/** The policies that are found by one value. One alone needs no group. */
export type Members = Group | IndexedPolicy;

export interface NamespaceGroup {
  readonly namespace: Namespace;
  readonly group: Group;
}

export interface PathGroups {
  readonly read: ReadNode;
  readonly byValue: BasedMap<Scalar, Members>;
}

export interface FaultyGroup {
  readonly read: ReadNode;
  readonly group: Group;
}

/** Policies by what they are found by. A change makes another index. */
export interface PolicyIndex {
  readonly always: Group;
  readonly byApprover: BasedMap<Scalar, Members>;
  readonly byNamespace: PersistentMap<NamespaceGroup>;
  readonly byPath: PersistentMap<PathGroups>;
  /** Policies that are found by a path, by every path whose fault makes them deny. */
  readonly byFaultyRead: PersistentMap<FaultyGroup>;
  readonly crowds: Crowds;
}

const nobody: Group = PersistentMap.empty<IndexedPolicy>();

export const emptyIndex: PolicyIndex = {
  always: nobody,
  byApprover: BasedMap.empty<Scalar, Members>(),
  byNamespace: PersistentMap.empty<NamespaceGroup>(),
  byPath: PersistentMap.empty<PathGroups>(),
  byFaultyRead: PersistentMap.empty<FaultyGroup>(),
  crowds: Crowds.none,
};

/** A policy and the key that finds it, where the buckets are as full as `crowds` says. */
export function placedBy(at: string, { policy, keys, prefixes }: Compiled, crowds: Crowds): IndexedPolicy {
  // An ALLOW that does not compile never grants. A DENY that does not compile is always asked, and denies.
  const otherwise = policy.invalid.length === 0 || policy.effect === 'EFFECT_DENY' ? 'ALWAYS' : 'NEVER';
  return { at, policy, keys, prefixes, foundBy: crowds.leastCrowded(keys) ?? otherwise };
}

export function withIndexed(
  index: PolicyIndex,
  at: string,
  compiled: Compiled,
): { readonly index: PolicyIndex; readonly placed: IndexedPolicy } {
  const crowds = index.crowds.with(compiled.keys, 1);
  const placed = placedBy(at, compiled, crowds);
  return { index: { ...regrouped(index, placed, (group) => group.with(at, placed)), crowds }, placed };
}

export function withoutIndexed(index: PolicyIndex, gone: IndexedPolicy): PolicyIndex {
  const crowds = index.crowds.with(gone.keys, -1);
  return { ...regrouped(index, gone, (group) => group.without(gone.at)), crowds };
}

/** The index with every group changed that a policy belongs to. Groups without members are left out. */
function regrouped(index: PolicyIndex, { foundBy: key }: IndexedPolicy, change: (group: Group) => Group): PolicyIndex {
  if (key === 'NEVER') return index;
  if (key === 'ALWAYS') return { ...index, always: change(index.always) };
  if (key.kind === 'approver') {
    const byApprover = [...key.userIds].reduce((all, id) => grouped(all, id, change), index.byApprover);
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
  const { read, path } = key;
  const before = index.byPath.get(path)?.byValue ?? BasedMap.empty<Scalar, Members>();
  const byValue = [...key.values].reduce((all, value) => grouped(all, value, change), before);
  const byPath = byValue.size === 0 ? index.byPath.without(path) : index.byPath.with(path, { read, byValue });
  let { byFaultyRead } = index;
  for (const faulty of new Map(key.reads.map((each) => [pathOf(each), each]))) {
    const [name, node] = faulty;
    const group = change(byFaultyRead.get(name)?.group ?? nobody);
    byFaultyRead = group.size === 0 ? byFaultyRead.without(name) : byFaultyRead.with(name, { read: node, group });
  }
  return { ...index, byPath, byFaultyRead };
}

function grouped(all: BasedMap<Scalar, Members>, value: Scalar, change: (group: Group) => Group): BasedMap<Scalar, Members> {
  const group = change(groupOf(all.get(value)));
  return group.size === 0 ? all.without(value) : all.with(value, group);
}

function groupOf(members: Members | undefined): Group {
  if (members === undefined) return nobody;
  return members instanceof PersistentMap ? members : PersistentMap.of(members.at, members);
}

/** The policies whose key a request meets, with their places. */
export function lookUp(index: PolicyIndex, approvers: ReadonlySet<string>, values: NamespaceValues): [string, IndexedPolicy][] {
  const found = new Map<string, IndexedPolicy>();
  const add = (members: Members | undefined) => {
    for (const [at, policy] of groupOf(members)) found.set(at, policy);
  };
  add(index.always);
  for (const id of approvers) add(index.byApprover.get(id));
  for (const { namespace, group } of index.byNamespace.values()) if (namespaceState(namespace, values) !== 'absent') add(group);
  for (const { read, byValue } of index.byPath.values()) {
    const state = readState(read, values);
    if (typeof state === 'object' && typeof state.value !== 'object') add(byValue.get(state.value as Scalar));
  }
  for (const { read, group } of index.byFaultyRead.values()) if (readState(read, values) === 'faulty') add(group);
  return [...found];
}

/** The policies in every bucket that one of these keys would put a policy into, and those in no bucket: up to so many of each. */
export function beside(index: PolicyIndex, keys: readonly IndexKey[], limit: number): [string, IndexedPolicy][] {
  const found = new Map<string, IndexedPolicy>();
  const add = (members: Members | undefined) => {
    let count = 0;
    for (const [at, policy] of groupOf(members).descending()) {
      if (count++ >= limit) return;
      found.set(at, policy);
    }
  };
  add(index.always);
  for (const key of keys) {
    if (key.kind === 'approver') for (const id of key.userIds) add(index.byApprover.get(id));
    else if (key.kind === 'namespace') add(index.byNamespace.get(key.namespace.path)?.group);
    else for (const value of key.values) add(index.byPath.get(key.path)?.byValue.get(value));
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
