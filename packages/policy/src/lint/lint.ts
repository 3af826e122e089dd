import type { CheckOptions } from '../check/options.ts';
import { type CompiledPolicy, compilePolicy, type PolicySource } from '../policy.ts';
import { type ActivityWords, stepsAside } from './applicable.ts';
import { gaps } from './gaps.ts';
import { toComparable } from './implication.ts';
import { type LintOrganization, tooWide, unreachableConsensus, unreachableQuorum } from './lock-out.ts';
import { neverMatches } from './never-matches.ts';
import { rawSigningSidestep } from './raw-signing.ts';
import { shadowing } from './shadowing.ts';
import type { PolicyWarning } from './warning.ts';

/** What the checks know besides the policies. */
export interface LintOptions extends CheckOptions {
  /** The policies to warn about; all of them when absent. The others still take part in the comparison. */
  readonly focus?: readonly string[];
  /** The activity types that policies judge, to tell where a policy can apply. */
  readonly activities?: readonly ActivityWords[];
  readonly organization?: LintOrganization;
  /** Milliseconds since 1970, to tell whether a time has passed. */
  readonly now?: number;
}

/** Warnings about a set of policies. Policies that do not compile are skipped. */
export function lintPolicies(sources: readonly PolicySource[], options: LintOptions = {}): readonly PolicyWarning[] {
  const all = sources
    .map((source) => toComparable(compilePolicy(source, options)))
    .filter(({ policy }) => policy.invalid.length === 0);
  const focus = options.focus === undefined ? undefined : new Set(options.focus);
  const { organization } = options;
  const warnings = all
    .filter(({ policy }) => focus === undefined || focus.has(policy.id))
    .flatMap((subject) => [
      ...reach(subject.policy, options),
      ...(organization === undefined ? [] : unreachableConsensus(subject.policy, organization)),
      ...shadowing(subject, all),
      ...rawSigningSidestep(subject, all),
      ...gaps(subject.policy),
      ...tooWide(subject),
    ]);
  return organization === undefined ? warnings : [...warnings, ...unreachableQuorum(organization)];
}

/** Warns about what a policy cannot reach. If it can reach nothing, that reason is enough. */
function reach(policy: CompiledPolicy, { activities, now }: LintOptions): readonly PolicyWarning[] {
  const never = neverMatches(policy, now);
  return never.length > 0 || activities === undefined ? never : stepsAside(policy, activities);
}
