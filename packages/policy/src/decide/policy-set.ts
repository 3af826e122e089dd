import type { CheckOptions } from '../check/options.ts';
import type { Scalar } from '../check/typed.ts';
import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { namespaceState } from '../expression.ts';
import { type CompiledPolicy, compilePolicy, type PolicySource } from '../policy.ts';
import { approvers as approversNamespace } from '../schema/engine.ts';
import type { Namespace } from '../schema/namespace.ts';
import { isList, isRecord } from '../value.ts';
import { type IndexKey, indexKeys, MAX_INDEXED_APPROVERS, pathOf } from './index-key.ts';
import { readState } from './read-state.ts';

/** The compiled policies of an organization. */
export interface PolicySet {
  readonly policies: readonly CompiledPolicy[];
  /** Whether an approval can turn a DENY on. */
  readonly denyDependsOnPeople: boolean;
  /** The policies that can matter for a request, in the order of `policies`. All others cannot change the decision. */
  candidates(values: NamespaceValues): readonly CompiledPolicy[];
}

interface PathBucket {
  readonly read: Parameters<typeof readState>[0];
  readonly byValue: Map<Scalar, number[]>;
}

/** Compiles policies and indexes them by what they can match. A decision then skips those that cannot apply. */
export function compilePolicies(sources: readonly PolicySource[], options: CheckOptions = {}): PolicySet {
  const policies = sources.map((source) => compilePolicy(source, options));
  const always: number[] = [];
  const byPath = new Map<string, PathBucket>();
  const byFaultyRead = new Map<string, { readonly read: PathBucket['read']; readonly ordinals: number[] }>();
  const byApprover = new Map<Scalar, number[]>();
  const byNamespace = new Map<Namespace, number[]>();

  const place = (ordinal: number, key: IndexKey) => {
    if (key.kind === 'approver') {
      for (const id of key.userIds) push(byApprover, id, ordinal);
    } else if (key.kind === 'namespace') {
      push(byNamespace, key.namespace, ordinal);
    } else {
      const path = pathOf(key.read);
      const bucket = byPath.get(path) ?? { read: key.read, byValue: new Map() };
      byPath.set(path, bucket);
      for (const value of key.values) push(bucket.byValue, value, ordinal);
      for (const read of key.reads) {
        const faulty = byFaultyRead.get(pathOf(read)) ?? { read, ordinals: [] };
        byFaultyRead.set(pathOf(read), faulty);
        faulty.ordinals.push(ordinal);
      }
    }
  };

  const choices = policies.map((policy) => (policy.invalid.length > 0 ? [] : indexKeys(policy)));
  const crowds = countCrowds(choices);
  for (const [ordinal, policy] of policies.entries()) {
    const key = leastCrowded(choices[ordinal] ?? [], crowds);
    if (key !== undefined) place(ordinal, key);
    // An ALLOW that does not compile never grants. A DENY that does not compile is always asked, and denies.
    else if (policy.invalid.length === 0 || policy.effect === 'EFFECT_DENY') always.push(ordinal);
  }

  return {
    policies,
    denyDependsOnPeople: policies.some(({ effect, consensus }) => effect === 'EFFECT_DENY' && consensus !== undefined),
    candidates(values) {
      const approvers = approverIds(values);
      if (approvers.length > MAX_INDEXED_APPROVERS) return policies;
      const found = new Set(always);
      const add = (ordinals: readonly number[] | undefined) => {
        for (const ordinal of ordinals ?? []) found.add(ordinal);
      };
      for (const id of approvers) add(byApprover.get(id));
      for (const [namespace, ordinals] of byNamespace) if (namespaceState(namespace, values) !== 'absent') add(ordinals);
      for (const { read, byValue } of byPath.values()) {
        const state = readState(read, values);
        if (typeof state === 'object') add(byValue.get(state.value as Scalar));
      }
      for (const { read, ordinals } of byFaultyRead.values()) if (readState(read, values) === 'faulty') add(ordinals);
      return [...found].sort((a, b) => a - b).map((ordinal) => policies[ordinal] as CompiledPolicy);
    },
  };
}

function approverIds(values: NamespaceValues): readonly Scalar[] {
  const approvers = values.get(approversNamespace.path);
  if (approvers === undefined || !isList(approvers)) return [];
  return approvers.flatMap((each) => (isRecord(each) && typeof each.id === 'string' ? [each.id] : []));
}

function push<K>(map: Map<K, number[]>, key: K, ordinal: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [ordinal]);
  else list.push(ordinal);
}

/** The buckets that a key would put its policy into. */
function bucketsOf(key: IndexKey): readonly string[] {
  if (key.kind === 'approver') return [...key.userIds].map((id) => `approver\n${String(id)}`);
  if (key.kind === 'namespace') return [`namespace\n${key.namespace.path}`];
  return [...key.values].map((value) => `path\n${pathOf(key.read)}\n${String(value)}`);
}

function countCrowds(choices: readonly (readonly IndexKey[])[]): ReadonlyMap<string, number> {
  const crowds = new Map<string, number>();
  for (const bucket of choices.flatMap((keys) => keys.flatMap(bucketsOf))) crowds.set(bucket, (crowds.get(bucket) ?? 0) + 1);
  return crowds;
}

/** The key whose fullest bucket is the smallest: it makes the fewest requests evaluate the policy in vain. */
function leastCrowded(keys: readonly IndexKey[], crowds: ReadonlyMap<string, number>): IndexKey | undefined {
  const crowd = (key: IndexKey) => Math.max(0, ...bucketsOf(key).map((bucket) => crowds.get(bucket) ?? 0));
  return keys.reduce<IndexKey | undefined>(
    (best, key) => (best === undefined || crowd(key) < crowd(best) ? key : best),
    undefined,
  );
}
