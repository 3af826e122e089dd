import type { CheckOptions } from '../check/options.ts';
import { type CompiledPolicy, compilePolicy, type PolicySource } from '../policy.ts';
import type { ActivityWords } from '../request.ts';
import { kindsOf } from '../schema/namespace.ts';
import { parameterOf } from '../schema/parameters.ts';
import { queryOrganization } from '../schema/query.ts';
import { admits, factsOf } from './facts.ts';
import { queriesOf, type ReadableQuery } from './reading.ts';
import type { PolicyWarning } from './warning.ts';

/**
 * The activity types to which a policy can apply, according to its text. The policy does not apply to the others: their requests lack a
 * namespace that the condition names, or the condition requires another type, kind, resource or action.
 * INVARIANT: no other type can satisfy the condition. A DENY in error can still deny types that its condition excludes by type, kind,
 * resource or action, but never types that lack a namespace it names.
 */
function applicableActivities(policy: CompiledPolicy, activities: readonly ActivityWords[]): readonly ActivityWords[] {
  const { condition } = policy;
  if (condition === undefined) return activities;
  return asked(policy, activities).filter(({ kind }) =>
    condition.uses.every(({ namespace }) => kindsOf(namespace)?.has(kind) !== false),
  );
}

/** The activities to which a policy can apply. */
export interface PolicyReach {
  /** Kinds of activity, or single types if not all versions are included. */
  readonly appliesTo: readonly string[];
  /** True if the policy can apply to every activity that policies authorize. */
  readonly everything: boolean;
  /** Kinds of queries that it counts for. */
  readonly queries: readonly string[];
}

/** The activities to which a policy can apply, according to its text. Undefined if its condition does not compile. */
export function policyReach(
  source: PolicySource,
  options: CheckOptions & { readonly activities: readonly ActivityWords[]; readonly queries?: readonly ReadableQuery[] },
): PolicyReach | undefined {
  const policy = compilePolicy(source, options);
  if (policy.invalid.some(({ field }) => field === 'condition')) return undefined;
  const applicable = applicableActivities(policy, options.activities);
  return {
    appliesTo: nameActivities(applicable, options.activities),
    everything: applicable.length === options.activities.length,
    queries: queriesOf(policy, options.queries ?? []),
  };
}

/** Summarizes activity types: a kind represents all of its versions. */
function nameActivities(chosen: readonly ActivityWords[], activities: readonly ActivityWords[]): readonly string[] {
  const count = (among: readonly ActivityWords[], kind: string) => among.filter((each) => each.kind === kind).length;
  return [...new Set(chosen.map(({ type, kind }) => (count(chosen, kind) === count(activities, kind) ? kind : type)))];
}

/** Warns if a policy does not apply to some activities because they lack a parameter or another namespace. */
export function stepsAside(policy: CompiledPolicy, activities: readonly ActivityWords[]): readonly PolicyWarning[] {
  const { condition, effect } = policy;
  if (condition === undefined) return [];
  const applicable = applicableActivities(policy, activities);
  const wanted = asked(policy, activities);
  if (wanted.length === 0 || applicable.length === wanted.length) return [];
  // `notForReading` warns about policies on queries.
  if (condition.uses.some(({ namespace }) => namespace === queryOrganization)) return [];
  const limiting = condition.uses.filter(({ namespace }) => kindsOf(namespace) !== undefined);
  const names = limiting.map(({ namespace }) => `\`${namespace.path}\``);
  const base = { policyId: policy.id, field: 'condition', ...(limiting[0] && { span: limiting[0].span }) } as const;
  if (applicable.length === 0) {
    const message = `no activity that it asks for has ${join(names)}`;
    return [{ ...base, code: 'NEVER_MATCHES', message, help: whereTheyExist(policy, activities) }];
  }
  // An ALLOW on transactions makes clear what it applies to. A parameter may belong to unrelated activities.
  const surprising = effect === 'EFFECT_DENY' || limiting.some(({ namespace }) => parameterOf(namespace.path) !== undefined);
  if (!surprising) return [];
  const appliesTo = nameActivities(applicable, activities);
  const message = `it can apply to ${join(appliesTo)} only: other activities have no ${join(names, 'or')}`;
  const help = effect === 'EFFECT_DENY' ? 'this DENY stops nothing there' : 'say which of these it is for with `activity.kind`';
  return [{ ...base, code: 'APPLIES_TO', message, help, appliesTo }];
}

/** The activity types that the condition requires by type, kind, resource and action. */
function asked({ condition }: CompiledPolicy, activities: readonly ActivityWords[]): readonly ActivityWords[] {
  if (condition === undefined) return activities;
  const facts = factsOf(condition.typed);
  return activities.filter((activity) =>
    Object.entries(activity).every(([word, value]) => admits(facts, `activity.${word}`, value)),
  );
}

function whereTheyExist({ condition }: CompiledPolicy, activities: readonly ActivityWords[]): string {
  const places = (condition?.uses ?? []).flatMap(({ namespace }) => {
    const kinds = kindsOf(namespace);
    const known = activities.filter(({ kind }) => kinds?.has(kind) === true);
    return kinds === undefined ? [] : [`\`${namespace.path}\` exists for ${join(nameActivities(known, activities))}`];
  });
  return `${places.join('; ')}. \`||\` does not help, because a policy steps aside where anything that it names is lacking: make one policy for each`;
}

function join(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}
