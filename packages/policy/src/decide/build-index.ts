import type { ReadNode, Scalar } from '../check/typed.ts';
import { BasedMap } from '../persistent/based-map.ts';
import { PersistentMap } from '../persistent/persistent-map.ts';
import { STEP_ENTRIES, type Steps } from '../persistent/steps.ts';
import type { Namespace } from '../schema/namespace.ts';
import type { Compiled } from './compile-cache.ts';
import { Crowds } from './crowds.ts';
import { pathOf } from './index-key.ts';
import {
  type FaultyGroup,
  type IndexedPolicy,
  type Members,
  type NamespaceGroup,
  type PathGroups,
  type PolicyIndex,
  placedBy,
} from './policy-index.ts';

/** A policy that is not in the index yet. */
export interface Unplaced {
  readonly at: string;
  readonly compiled: Compiled;
}

/** Policies by a value. Most values have one, which needs no list. */
type Groups = Map<Scalar, Members | IndexedPolicy[]>;

/**
 * The index of many policies, made at once: each policy is put into its groups, and no group is made more than once.
 * It asks the same policies as one that the policies came to one by one. Those may lie in other groups there, which fill as they come.
 */
export function* builtIndex(
  policies: readonly Unplaced[],
): Steps<{ readonly index: PolicyIndex; readonly all: PersistentMap<IndexedPolicy> }> {
  const counter = Crowds.counter();
  for (const [place, { compiled }] of policies.entries()) {
    counter.add(compiled.keys);
    if (place % STEP_ENTRIES === 0) yield undefined;
  }
  const crowds = counter.finish();
  const always: IndexedPolicy[] = [];
  const byApprover: Groups = new Map();
  const byNamespace = new Map<string, { readonly namespace: Namespace; readonly group: IndexedPolicy[] }>();
  const byPath = new Map<string, { readonly read: ReadNode; readonly byValue: Groups }>();
  const byFaultyRead = new Map<string, { readonly read: ReadNode; readonly group: IndexedPolicy[] }>();
  const all: IndexedPolicy[] = [];
  for (const [place, { at, compiled }] of policies.entries()) {
    const placed = placedBy(at, compiled, crowds);
    const key = placed.foundBy;
    all.push(placed);
    if (key === 'ALWAYS') always.push(placed);
    else if (key !== 'NEVER' && key.kind === 'approver') for (const id of key.userIds) addTo(byApprover, id, placed);
    else if (key !== 'NEVER' && key.kind === 'namespace') {
      const { namespace } = key;
      made(byNamespace, namespace.path, () => ({ namespace, group: [] })).group.push(placed);
    } else if (key !== 'NEVER') {
      const { byValue } = made(byPath, key.path, () => ({ read: key.read, byValue: new Map() }));
      for (const value of key.values) addTo(byValue, value, placed);
      for (const [name, read] of new Map(key.reads.map((each) => [pathOf(each), each])))
        made(byFaultyRead, name, () => ({ read, group: [] })).group.push(placed);
    }
    if (place % STEP_ENTRIES === 0) yield undefined;
  }
  const namespaces = new Map<string, NamespaceGroup>();
  for (const [path, { namespace, group }] of byNamespace) namespaces.set(path, { namespace, group: yield* groupOf(group) });
  const faulty = new Map<string, FaultyGroup>();
  for (const [path, { read, group }] of byFaultyRead) faulty.set(path, { read, group: yield* groupOf(group) });
  const paths = new Map<string, PathGroups>();
  for (const [path, { read, byValue }] of byPath) paths.set(path, { read, byValue: yield* membersOf(byValue) });
  return {
    index: {
      always: yield* groupOf(always),
      byApprover: yield* membersOf(byApprover),
      byNamespace: PersistentMap.from(namespaces),
      byPath: PersistentMap.from(paths),
      byFaultyRead: PersistentMap.from(faulty),
      crowds,
    },
    all: yield* groupOf(all),
  };
}

function made<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const fresh = make();
  map.set(key, fresh);
  return fresh;
}

function addTo(groups: Groups, value: Scalar, placed: IndexedPolicy): void {
  const known = groups.get(value);
  if (known === undefined) groups.set(value, placed);
  else if (Array.isArray(known)) known.push(placed);
  else groups.set(value, [known as IndexedPolicy, placed]);
}

/** The groups as the index holds them. */
function* membersOf(groups: Groups): Steps<BasedMap<Scalar, Members>> {
  let seen = 0;
  for (const [value, group] of groups) {
    if (Array.isArray(group)) groups.set(value, yield* groupOf(group));
    if (++seen % STEP_ENTRIES === 0) yield undefined;
  }
  return BasedMap.over(groups as Map<Scalar, Members>);
}

function* groupOf(policies: readonly IndexedPolicy[]): Steps<PersistentMap<IndexedPolicy>> {
  const builder = PersistentMap.builder<IndexedPolicy>();
  for (let from = 0; from < policies.length; from += STEP_ENTRIES) {
    const part = policies.slice(from, from + STEP_ENTRIES);
    builder.add(
      part.map(({ at }) => at),
      part,
    );
    if (policies.length > STEP_ENTRIES) yield undefined;
  }
  return builder.finish();
}
