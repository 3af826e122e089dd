import { PersistentMap, type Steps } from '@countersign/collections';
import type { ReadNode, Scalar } from '../check/typed.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { namespaceState } from '../expression.ts';
import type { Namespace } from '../schema/namespace.ts';
import { BucketCounts, scalarKey } from './bucket-counts.ts';
import type { Compiled } from './compile-cache.ts';
import { type IndexKey, pathOf } from './index-key.ts';
import { readState } from './read-state.ts';

/** A policy in the index: its position in the set, and the key under which it is stored. */
export interface IndexedPolicy extends Compiled {
  readonly at: string;
  readonly storedUnder: IndexKey | 'ALWAYS' | 'NEVER';
}

/** Policies by their position. */
type Group = PersistentMap<IndexedPolicy>;

interface NamespaceGroup {
  readonly namespace: Namespace;
  readonly group: Group;
}

interface PathGroups {
  readonly read: ReadNode;
  /** By `scalarKey` of the value. */
  readonly byValue: PersistentMap<Group>;
}

interface InvalidReadGroup {
  readonly read: ReadNode;
  readonly group: Group;
}

/** Policies by the key under which they are stored. Immutable. */
export interface PolicyIndex {
  readonly always: Group;
  /** By `scalarKey` of the user's id. */
  readonly byApprover: PersistentMap<Group>;
  readonly byNamespace: PersistentMap<NamespaceGroup>;
  readonly byPath: PersistentMap<PathGroups>;
  /** Policies stored under a path, by every path whose error makes them deny. */
  readonly byInvalidRead: PersistentMap<InvalidReadGroup>;
  readonly counts: BucketCounts;
}

const emptyGroup: Group = PersistentMap.empty<IndexedPolicy>();

export const emptyIndex: PolicyIndex = {
  always: emptyGroup,
  byApprover: PersistentMap.empty<Group>(),
  byNamespace: PersistentMap.empty<NamespaceGroup>(),
  byPath: PersistentMap.empty<PathGroups>(),
  byInvalidRead: PersistentMap.empty<InvalidReadGroup>(),
  counts: BucketCounts.empty,
};

/**
 * Indexes policies in steps. It counts all keys first, so that each policy is stored under the smallest bucket. An index to which policies
 * were added one by one can store them under other keys, but returns the same candidates.
 */
export function* buildIndex(
  policies: readonly (readonly [string, Compiled])[],
): Steps<{ readonly index: PolicyIndex; readonly all: Group }> {
  let { counts } = emptyIndex;
  for (const [, { keys }] of policies) {
    counts = counts.with(keys, 1);
    yield undefined;
  }
  let index: PolicyIndex = { ...emptyIndex, counts };
  const all = PersistentMap.builder<IndexedPolicy>();
  for (const [at, compiled] of policies) {
    const added = place(at, compiled, counts);
    index = updateGroups(index, added, (group) => group.with(at, added));
    all.add([at], [added]);
    yield undefined;
  }
  return { index, all: all.finish() };
}

export function addToIndex(
  index: PolicyIndex,
  at: string,
  compiled: Compiled,
): { readonly index: PolicyIndex; readonly added: IndexedPolicy } {
  const counts = index.counts.with(compiled.keys, 1);
  const added = place(at, compiled, counts);
  return { index: { ...updateGroups(index, added, (group) => group.with(at, added)), counts }, added };
}

export function removeFromIndex(index: PolicyIndex, removed: IndexedPolicy): PolicyIndex {
  const counts = index.counts.with(removed.keys, -1);
  return { ...updateGroups(index, removed, (group) => group.without(removed.at)), counts };
}

function place(at: string, { policy, keys }: Compiled, counts: BucketCounts): IndexedPolicy {
  // An ALLOW that does not compile never grants. A DENY that does not compile denies every request.
  const otherwise = policy.invalid.length === 0 || policy.effect === 'EFFECT_DENY' ? 'ALWAYS' : 'NEVER';
  return { at, policy, keys, storedUnder: counts.smallestBucket(keys) ?? otherwise };
}

/** The index with a change to every group that a policy belongs to. Empty groups are removed. */
function updateGroups(index: PolicyIndex, { storedUnder: key }: IndexedPolicy, change: (group: Group) => Group): PolicyIndex {
  if (key === 'NEVER') return index;
  if (key === 'ALWAYS') return { ...index, always: change(index.always) };
  if (key.kind === 'approver') return { ...index, byApprover: updateBuckets(index.byApprover, key.userIds, change) };
  if (key.kind === 'namespace') {
    const { namespace } = key;
    const group = change(index.byNamespace.get(namespace.path)?.group ?? emptyGroup);
    const byNamespace = withGroup(index.byNamespace, namespace.path, group, { namespace, group });
    return { ...index, byNamespace };
  }
  const { read, path } = key;
  const before = index.byPath.get(path)?.byValue ?? PersistentMap.empty<Group>();
  const byValue = updateBuckets(before, key.values, change);
  let { byInvalidRead } = index;
  for (const [name, invalid] of new Map(key.reads.map((each) => [pathOf(each), each]))) {
    const group = change(byInvalidRead.get(name)?.group ?? emptyGroup);
    byInvalidRead = withGroup(byInvalidRead, name, group, { read: invalid, group });
  }
  return { ...index, byPath: withGroup(index.byPath, path, byValue, { read, byValue }), byInvalidRead };
}

function updateBuckets(
  groups: PersistentMap<Group>,
  values: ReadonlySet<Scalar>,
  change: (group: Group) => Group,
): PersistentMap<Group> {
  let updated = groups;
  for (const value of values) {
    const key = scalarKey(value);
    const group = change(updated.get(key) ?? emptyGroup);
    updated = withGroup(updated, key, group, group);
  }
  return updated;
}

function withGroup<V>(map: PersistentMap<V>, key: string, { size }: { readonly size: number }, entry: V): PersistentMap<V> {
  return size === 0 ? map.without(key) : map.with(key, entry);
}

/** The policies whose key a request meets, with their positions. */
export function lookUp(index: PolicyIndex, approvers: ReadonlySet<string>, values: NamespaceValues): [string, IndexedPolicy][] {
  const found = new Map<string, IndexedPolicy>();
  const add = (group: Group | undefined) => {
    for (const [at, policy] of group ?? emptyGroup) found.set(at, policy);
  };
  add(index.always);
  for (const id of approvers) add(index.byApprover.get(scalarKey(id)));
  for (const { namespace, group } of index.byNamespace.values()) if (namespaceState(namespace, values) !== 'absent') add(group);
  for (const { read, byValue } of index.byPath.values()) {
    const state = readState(read, values);
    if (typeof state === 'object' && typeof state.value !== 'object') add(byValue.get(scalarKey(state.value)));
  }
  for (const { read, group } of index.byInvalidRead.values()) if (readState(read, values) === 'invalid') add(group);
  return [...found];
}

/** The policies in each bucket that one of these keys selects, and those in no bucket: at most `limit` of each. */
export function lookUpKeys(index: PolicyIndex, keys: readonly IndexKey[], limit: number): [string, IndexedPolicy][] {
  const found = new Map<string, IndexedPolicy>();
  const add = (group: Group | undefined) => {
    let count = 0;
    for (const [at, policy] of (group ?? emptyGroup).descending()) {
      if (count++ >= limit) return;
      found.set(at, policy);
    }
  };
  add(index.always);
  for (const key of keys) {
    if (key.kind === 'approver') for (const id of key.userIds) add(index.byApprover.get(scalarKey(id)));
    else if (key.kind === 'namespace') add(index.byNamespace.get(key.namespace.path)?.group);
    else for (const value of key.values) add(index.byPath.get(key.path)?.byValue.get(scalarKey(value)));
  }
  return [...found];
}

/** Whether a request meets a key. A path key is met by one of its values, or by an error that makes the policy deny. */
export function meets(key: IndexKey, approvers: ReadonlySet<string>, values: NamespaceValues): boolean {
  if (key.kind === 'approver') {
    for (const id of approvers) if (key.userIds.has(id)) return true;
    return false;
  }
  if (key.kind === 'namespace') return namespaceState(key.namespace, values) !== 'absent';
  const state = readState(key.read, values);
  if (typeof state === 'object' && key.values.has(state.value as Scalar)) return true;
  return key.reads.some((read) => readState(read, values) === 'invalid');
}
