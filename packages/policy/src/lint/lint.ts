import type { CheckOptions } from '../expression.ts';
import { compilePolicy, type PolicySource } from '../policy.ts';
import { gaps } from './gaps.ts';
import { toComparable } from './implication.ts';
import { type LintOrganization, tooWide, unreachableConsensus, unreachableQuorum } from './lock-out.ts';
import { neverMatches } from './never-matches.ts';
import { rawSigningSidestep } from './raw-signing.ts';
import { shadowing } from './shadowing.ts';
import type { PolicyWarning } from './warning.ts';

/** What the checks may know besides the policies. */
export interface LintOptions extends CheckOptions {
  /** The policies to warn about; all of them when absent. The others still count as the ground they stand on. */
  readonly focus?: readonly string[];
  readonly organization?: LintOrganization;
  /** Milliseconds since 1970, to tell whether a time has passed. */
  readonly now?: number;
}

/** Warnings about policies as they would be together. Policies that do not compile are passed over. */
export function lintPolicies(sources: readonly PolicySource[], options: LintOptions = {}): readonly PolicyWarning[] {
  const all = sources
    .map((source) => toComparable(compilePolicy(source, options)))
    .filter(({ policy }) => policy.invalid.length === 0);
  const focus = options.focus === undefined ? undefined : new Set(options.focus);
  const { organization } = options;
  const warnings = all
    .filter(({ policy }) => focus === undefined || focus.has(policy.id))
    .flatMap((subject) => [
      ...neverMatches(subject.policy, options.now),
      ...(organization === undefined ? [] : unreachableConsensus(subject.policy, organization)),
      ...shadowing(subject, all),
      ...rawSigningSidestep(subject, all),
      ...gaps(subject.policy),
      ...tooWide(subject),
    ]);
  return organization === undefined ? warnings : [...warnings, ...unreachableQuorum(organization)];
}
