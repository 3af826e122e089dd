import type { ReadNode } from '../check/typed.ts';
import { type MapBuilder, PersistentMap } from '../persistent/persistent-map.ts';
import { STEP_ENTRIES, type Steps, sortedInSteps } from '../persistent/steps.ts';
import type { CompiledPolicy } from '../policy.ts';
import type { Namespace } from '../schema/namespace.ts';
import { type IndexKey, pathOf } from './index-key.ts';
import { bucketsOf, type IndexedPolicy, type PolicyIndex, placedBy, textOf } from './policy-index.ts';

/** A policy that is not in the index yet. */
export interface Unplaced {
  readonly at: string;
  readonly policy: CompiledPolicy;
  readonly keys: readonly IndexKey[];
}

type Groups = Map<string, MapBuilder<IndexedPolicy>>;

/**
 * The index of many policies, made at once: each policy is put into its groups, and no group is made more than once.
 * It asks the same policies as one that the policies came to one by one. Those may lie in other groups there, which fill as they come.
 */
export function* builtIndex(
  policies: readonly Unplaced[],
): Steps<{ readonly index: PolicyIndex; readonly all: PersistentMap<IndexedPolicy> }> {
  const crowds = new Map<string, number>();
  for (const [place, { keys }] of policies.entries()) {
    for (const bucket of keys.flatMap(bucketsOf)) crowds.set(bucket, (crowds.get(bucket) ?? 0) + 1);
    if (place % STEP_ENTRIES === 0) yield undefined;
  }
  const always = PersistentMap.builder<IndexedPolicy>();
  const byApprover: Groups = new Map();
  const byNamespace = new Map<string, { readonly namespace: Namespace; readonly group: MapBuilder<IndexedPolicy> }>();
  const byPath = new Map<string, { readonly read: ReadNode; readonly byValue: Groups }>();
  const byFaultyRead = new Map<string, { readonly read: ReadNode; readonly group: MapBuilder<IndexedPolicy> }>();
  const all = PersistentMap.builder<IndexedPolicy>();
  for (const [place, { at, policy, keys }] of policies.entries()) {
    const placed = placedBy(policy, keys, crowds);
    const key = placed.foundBy;
    all.add([at], [placed]);
    if (key === 'ALWAYS') always.add([at], [placed]);
    else if (key !== 'NEVER' && key.kind === 'approver')
      for (const id of key.userIds) groupOf(byApprover, textOf(id)).add([at], [placed]);
    else if (key !== 'NEVER' && key.kind === 'namespace') {
      const { namespace } = key;
      made(byNamespace, namespace.path, () => ({ namespace, group: PersistentMap.builder() })).group.add([at], [placed]);
    } else if (key !== 'NEVER') {
      const { byValue } = made(byPath, pathOf(key.read), () => ({ read: key.read, byValue: new Map() }));
      for (const value of key.values) groupOf(byValue, textOf(value)).add([at], [placed]);
      for (const [name, read] of new Map(key.reads.map((each) => [pathOf(each), each])))
        made(byFaultyRead, name, () => ({ read, group: PersistentMap.builder() })).group.add([at], [placed]);
    }
    if (place % STEP_ENTRIES === 0) yield undefined;
  }
  return {
    index: {
      always: always.finish(),
      byApprover: yield* finishedMap(byApprover, (group) => group.finish()),
      byNamespace: yield* finishedMap(byNamespace, ({ namespace, group }) => ({ namespace, group: group.finish() })),
      byPath: yield* finishedPaths(byPath),
      byFaultyRead: yield* finishedMap(byFaultyRead, ({ read, group }) => ({ read, group: group.finish() })),
      crowds: yield* finishedMap(crowds, (count) => count),
    },
    all: all.finish(),
  };
}

function made<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const fresh = make();
  map.set(key, fresh);
  return fresh;
}

function groupOf(groups: Groups, text: string): MapBuilder<IndexedPolicy> {
  return made(groups, text, () => PersistentMap.builder());
}

function* finishedPaths(
  paths: ReadonlyMap<string, { readonly read: ReadNode; readonly byValue: Groups }>,
): Steps<PolicyIndex['byPath']> {
  const found = new Map<string, { readonly read: ReadNode; readonly byValue: PersistentMap<PersistentMap<IndexedPolicy>> }>();
  for (const [path, { read, byValue }] of paths)
    found.set(path, { read, byValue: yield* finishedMap(byValue, (group) => group.finish()) });
  return PersistentMap.from(found);
}

function* finishedMap<V, W>(map: ReadonlyMap<string, V>, finish: (value: V) => W): Steps<PersistentMap<W>> {
  const keys = yield* sortedInSteps([...map.keys()]);
  const builder = PersistentMap.builder<W>();
  for (let from = 0; from < keys.length; from += STEP_ENTRIES) {
    const part = keys.slice(from, from + STEP_ENTRIES);
    builder.add(
      part,
      part.map((key) => finish(map.get(key) as V)),
    );
    yield undefined;
  }
  return builder.finish();
}
