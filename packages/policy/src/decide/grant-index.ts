import { derivedFrom } from '../persistent/derived.ts';
import { type Difference, PersistentMap } from '../persistent/persistent-map.ts';
import { STEP_ENTRIES, type Steps } from '../persistent/steps.ts';
import { endingOf } from './grant-keys.ts';
import type { IndexedPolicy } from './policy-index.ts';

type ByEnding = PersistentMap<PersistentMap<IndexedPolicy>>;

/** The policies with one prefix, by their endings. One alone needs no ending. */
type Granting = IndexedPolicy | ByEnding;

/** Policies by what they could grant, and to whom. */
type GrantIndex = PersistentMap<Granting>;

/** Makes the index of policies, and keeps it up to date. */
export const grants = derivedFrom<IndexedPolicy, GrantIndex>(made, updated);

/** One policy of each kind that a prefix finds. The others of a kind give the same answers. */
export function* granting(index: GrantIndex, prefix: string): Generator<IndexedPolicy, undefined> {
  const found = index.get(prefix);
  if (found instanceof PersistentMap) {
    for (const group of found.values()) {
      const [policy] = group.values();
      if (policy !== undefined) yield policy;
    }
  } else if (found !== undefined) yield found;
  return undefined;
}

function* made(policies: ReadonlyMap<string, IndexedPolicy>): Steps<GrantIndex> {
  const found = new Map<string, Granting>();
  let added = 0;
  for (const policy of policies.values()) {
    for (const prefix of uniquePrefixes(policy)) found.set(prefix, withPolicy(found.get(prefix), policy));
    // Steps are short, also where a policy has hundreds of prefixes.
    added += policy.prefixes.length + 1;
    if (added < STEP_ENTRIES) continue;
    added = 0;
    yield undefined;
  }
  return PersistentMap.from(found);
}

function updated(from: GrantIndex, differences: readonly Difference<IndexedPolicy>[]): GrantIndex {
  let index = from;
  for (const { before, after } of differences) {
    for (const prefix of before === undefined ? [] : uniquePrefixes(before)) {
      const rest = removed(index.get(prefix), before as IndexedPolicy);
      index = rest === undefined ? index.without(prefix) : index.with(prefix, rest);
    }
    for (const prefix of after === undefined ? [] : uniquePrefixes(after))
      index = index.with(prefix, withPolicy(index.get(prefix), after as IndexedPolicy));
  }
  return index;
}

function withPolicy(granting: Granting | undefined, policy: IndexedPolicy): Granting {
  if (granting === undefined) return policy;
  const groups = granting instanceof PersistentMap ? granting : withEnding(PersistentMap.empty(), granting);
  return withEnding(groups, policy);
}

function withEnding(groups: ByEnding, policy: IndexedPolicy): ByEnding {
  const ending = keptEnding(policy);
  return groups.with(ending, groupIn(groups, ending).with(policy.at, policy));
}

/** What is left without a policy. The last one stands alone again, as if there had been no other. */
function removed(granting: Granting | undefined, policy: IndexedPolicy): Granting | undefined {
  if (!(granting instanceof PersistentMap)) return undefined;
  const ending = keptEnding(policy);
  const group = groupIn(granting, ending).without(policy.at);
  const rest = group.size === 0 ? granting.without(ending) : granting.with(ending, group);
  const [first] = rest.values();
  if (rest.size > 1 || first === undefined || first.size > 1) return rest;
  const [last] = first.values();
  return last;
}

const endings = new WeakMap<IndexedPolicy, string>();

/** SECURITY: an ending takes a look at the whole policy, and is asked for with each of up to 256 prefixes. So it is made once. */
function keptEnding(policy: IndexedPolicy): string {
  const known = endings.get(policy);
  if (known !== undefined) return known;
  const ending = endingOf(policy.policy, policy.at);
  endings.set(policy, ending);
  return ending;
}

function groupIn(groups: ByEnding, ending: string): PersistentMap<IndexedPolicy> {
  return groups.get(ending) ?? PersistentMap.empty<IndexedPolicy>();
}

function uniquePrefixes({ prefixes }: IndexedPolicy): Iterable<string> {
  return prefixes.length < 2 ? prefixes : new Set(prefixes);
}
