import { finished, indexedBy, PersistentMap, type Steps } from '@countersign/collections';
import type { CheckOptions } from '../check/options.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { StepBudget } from '../evaluate/step-budget.ts';
import type { NamespaceUse } from '../expression.ts';
import type { CompiledPolicy, PolicySource } from '../policy.ts';
import type { ActivityWords, PolicyUser } from '../request.ts';
import { controlOf } from '../schema/controls.ts';
import { approvers as approversNamespace } from '../schema/engine.ts';
import { isList, isRecord } from '../value.ts';
import { type Compiled, compileCached } from './compile-cache.ts';
import { alwaysDenies, couldGrant } from './early-denial.ts';
import { type IndexKey, MAX_INDEXED_APPROVERS } from './index-key.ts';
import {
  addToIndex,
  buildIndex,
  emptyIndex,
  type IndexedPolicy,
  lookUp,
  lookUpKeys,
  meets,
  type PolicyIndex,
  removeFromIndex,
} from './policy-index.ts';

/** The compiled policies of an organization. */
export interface PolicySet {
  readonly policies: readonly CompiledPolicy[];
  /** Whether an approval can cause a DENY to apply. */
  readonly denyDependsOnPeople: boolean;
  /** The policies that can matter for a request, in the order of `policies`. All others cannot change the decision. */
  candidates(values: NamespaceValues): readonly CompiledPolicy[];
  /** The same in steps, if it takes long to find them. */
  candidatesInSteps?(values: NamespaceValues): Steps<readonly CompiledPolicy[]>;
}

/** A set with updates: each change returns a new set, at a cost that does not depend on the number of policies. */
export interface GrowingPolicySet extends PolicySet {
  readonly size: number;
  get(key: string): CompiledPolicy | undefined;
  /** The first policies in key order. */
  first(count: number): readonly CompiledPolicy[];
  /**
   * Policies to compare with a policy of this content: those that share an index key with it or have none. Returns at most `limit` of them,
   * newest keys first.
   */
  near(source: PolicySource, limit: number): readonly CompiledPolicy[];
  /**
   * Whether a policy could grant an activity to a user, or make it pending, for any parameters. Without a user: to any user. It can
   * evaluate every policy, so callers cache the result. True if the budget does not suffice. Without a budget: no limit.
   */
  couldGrant(activity: ActivityWords, approver: PolicyUser | undefined, budget?: StepBudget): boolean;
  /** Whether a DENY applies to every request of an activity type by a user. False if the budget does not suffice. */
  alwaysDenies(activity: ActivityWords, approver: PolicyUser, budget: StepBudget): boolean;
  /** Builds the index that `withControls` uses, in steps. Otherwise the first call builds it. */
  prepareIndexes(): Steps<undefined>;
  /** The names of the controls that policies read, in order. */
  namedControls(): readonly string[];
  /**
   * The set with other controls. Recompiles only policies that name a changed control, and those that did not compile. `changed` contains
   * the names of controls that were added or removed, or whose activity kinds changed.
   */
  withControls(options: CheckOptions, changed: ReadonlySet<string>): GrowingPolicySet;
  /** The set with a policy under a key. The order of keys is the order of `policies`. */
  with(key: string, source: PolicySource): GrowingPolicySet;
  without(key: string): GrowingPolicySet;
}

/** Compiles policies and indexes them by what they can match. A decision then skips those that cannot apply. */
export function compilePolicies(sources: readonly PolicySource[], options: CheckOptions = {}): PolicySet {
  // Two policies of a file may share an id, so the keys are positions.
  return finished(compileInSteps(new Map(sources.map((source, place) => [String(place).padStart(12, '0'), source])), options));
}

/** Compiles policies under their keys, in steps: one for each policy, and some for the index. */
export function* compileInSteps(sources: ReadonlyMap<string, PolicySource>, options: CheckOptions): Steps<GrowingPolicySet> {
  const policies: (readonly [string, Compiled])[] = [];
  let denialsOnPeople = 0;
  for (const [at, source] of sources) {
    const compiled = compileCached(source, options);
    policies.push([at, compiled]);
    denialsOnPeople += deniesOnPeople(compiled.policy);
    yield undefined;
  }
  const { index, all } = yield* buildIndex(policies);
  return new IndexedSet(options, all, index, denialsOnPeople);
}

/** An empty set. */
export function emptyPolicySet(options: CheckOptions = {}): GrowingPolicySet {
  return new IndexedSet(options, PersistentMap.empty(), emptyIndex, 0);
}

/** The index key of policies that do not compile. No control has this name. */
const INVALID = '!';
/** Policies by the controls that they name. A policy that does not compile may name any. */
const byControl = indexedBy(({ policy: { invalid, condition } }: IndexedPolicy) => {
  if (invalid.length > 0) return [INVALID];
  return condition?.uses.some(isControl) === true ? condition.uses.filter(isControl).map(nameOfControl) : noNames;
});
const noNames: readonly string[] = [];
const isControl = ({ namespace }: NamespaceUse) => controlOf(namespace.path) !== undefined;
const nameOfControl = ({ namespace }: NamespaceUse) => controlOf(namespace.path) ?? '';

class IndexedSet implements GrowingPolicySet {
  readonly #options: CheckOptions;
  readonly #all: PersistentMap<IndexedPolicy>;
  readonly #index: PolicyIndex;
  readonly #denialsOnPeople: number;
  #listed: readonly CompiledPolicy[] | undefined;
  readonly denyDependsOnPeople: boolean;

  constructor(options: CheckOptions, all: PersistentMap<IndexedPolicy>, index: PolicyIndex, denialsOnPeople: number) {
    this.#options = options;
    this.#all = all;
    this.#index = index;
    this.#denialsOnPeople = denialsOnPeople;
    this.denyDependsOnPeople = denialsOnPeople > 0;
  }

  get policies(): readonly CompiledPolicy[] {
    this.#listed ??= [...this.#all.values()].map(({ policy }) => policy);
    return this.#listed;
  }

  get size(): number {
    return this.#all.size;
  }

  get(key: string): CompiledPolicy | undefined {
    return this.#all.get(key)?.policy;
  }

  first(count: number): readonly CompiledPolicy[] {
    const found: CompiledPolicy[] = [];
    if (count <= 0) return found;
    for (const { policy } of this.#all.values()) if (found.push(policy) >= count) break;
    return found;
  }

  near(source: PolicySource, limit: number): readonly CompiledPolicy[] {
    const { keys } = compileCached(source, this.#options);
    const found = lookUpKeys(this.#index, keys, limit).sort(([a], [b]) => (a < b ? 1 : -1));
    return found.slice(0, limit).map(([, { policy }]) => policy);
  }

  couldGrant(activity: ActivityWords, approver: PolicyUser | undefined, budget?: StepBudget): boolean {
    return couldGrant(this.#index, activity, approver, budget);
  }

  alwaysDenies(activity: ActivityWords, approver: PolicyUser, budget: StepBudget): boolean {
    return alwaysDenies(this.#index, activity, approver, budget);
  }

  *prepareIndexes(): Steps<undefined> {
    yield* byControl.inSteps(this.#all);
    return undefined;
  }

  namedControls(): readonly string[] {
    return [...byControl(this.#all).keys()].filter((name) => name !== INVALID);
  }

  withControls(options: CheckOptions, changed: ReadonlySet<string>): GrowingPolicySet {
    const index = byControl(this.#all);
    const affected = [...changed, INVALID].flatMap((name) => [...(index.get(name) ?? [])]);
    const moved = new IndexedSet(options, this.#all, this.#index, this.#denialsOnPeople);
    return affected.reduce<GrowingPolicySet>((set, [key, { policy }]) => set.with(key, policy.source), moved);
  }

  with(key: string, source: PolicySource): GrowingPolicySet {
    if (this.#all.has(key)) return (this.without(key) as IndexedSet).with(key, source);
    const { index, added } = addToIndex(this.#index, key, compileCached(source, this.#options));
    const denialsOnPeople = this.#denialsOnPeople + deniesOnPeople(added.policy);
    return new IndexedSet(this.#options, this.#all.with(key, added), index, denialsOnPeople);
  }

  without(key: string): GrowingPolicySet {
    const gone = this.#all.get(key);
    if (gone === undefined) return this;
    const index = removeFromIndex(this.#index, gone);
    return new IndexedSet(this.#options, this.#all.without(key), index, this.#denialsOnPeople - deniesOnPeople(gone.policy));
  }

  /**
   * INVARIANT: a policy is a candidate if the request meets all of its keys, regardless of the key under which it is stored. So the
   * candidates depend only on the policies and the request, and a replay elsewhere evaluates the same ones.
   */
  candidates(values: NamespaceValues): readonly CompiledPolicy[] {
    const approvers = approverIds(values);
    if (approvers.length > MAX_INDEXED_APPROVERS) return this.policies;
    const among = new Set(approvers);
    const isMet = (key: IndexKey) => meets(key, among, values);
    const found = lookUp(this.#index, among, values).filter(([, { keys }]) => keys.every(isMet));
    return found.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { policy }]) => policy);
  }
}

/** 1 for a DENY with a consensus. */
function deniesOnPeople({ effect, consensus }: CompiledPolicy): number {
  return effect === 'EFFECT_DENY' && consensus !== undefined ? 1 : 0;
}

function approverIds(values: NamespaceValues): readonly string[] {
  const approvers = values.get(approversNamespace.path);
  if (approvers === undefined || !isList(approvers)) return [];
  const ids: string[] = [];
  for (const each of approvers) if (isRecord(each) && typeof each.id === 'string') ids.push(each.id);
  return ids;
}
