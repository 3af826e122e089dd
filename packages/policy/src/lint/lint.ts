import { finished, type Steps } from '@countersign/collections';
import type { CheckOptions } from '../check/options.ts';
import { type CompiledPolicy, compilePolicy, type PolicySource } from '../policy.ts';
import type { ActivityWords } from '../request.ts';
import { stepsAside } from './applicable.ts';
import { blockingApprovals } from './blocking.ts';
import { deadComparisons } from './dead-comparison.ts';
import { denySidesteps } from './deny-sidestep.ts';
import { gaps } from './gaps.ts';
import { type ComparablePolicy, toComparable } from './implication.ts';
import { otherAssets } from './limits.ts';
import { type LintOrganization, rootNotBound, tooWide, unreachableConsensus, unreachableQuorum } from './lock-out.ts';
import { neverMatches } from './never-matches.ts';
import { type NotOffered, notOfferedWords } from './not-offered.ts';
import { paymentHoles } from './payment-holes.ts';
import { quotedIntegers } from './quoted-integers.ts';
import { type KeysWithoutHashes, rawSigningPolicies, rawSigningSidestep } from './raw-signing.ts';
import { notForReading, type ReadableQuery } from './reading.ts';
import { shadowing } from './shadowing.ts';
import { transactionLimits } from './transaction-limits.ts';
import { unitsWithoutAsset } from './units.ts';
import type { PolicyWarning } from './warning.ts';

/** Options of the checks. */
export interface LintOptions extends CheckOptions {
  /** The policies to warn about. By default all. The others are still compared with these. */
  readonly focus?: readonly string[];
  /** The activity types that policies authorize, to determine where a policy can apply. */
  readonly activities?: readonly ActivityWords[];
  /** The queries that policies authorize. */
  readonly queries?: readonly ReadableQuery[];
  readonly notOffered?: NotOffered;
  readonly organization?: LintOrganization;
  /** Which keys of the organization sign no bare hashes. */
  readonly hashes?: KeysWithoutHashes;
  /** Milliseconds since 1970, to determine whether a time has passed. */
  readonly now?: number;
}

/** Warnings about a set of policies. Policies that do not compile are skipped. */
export function lintPolicies(sources: readonly PolicySource[], options: LintOptions = {}): readonly PolicyWarning[] {
  return lintCompiled(
    sources.map((source) => compilePolicy(source, options)),
    options,
  );
}

/** Like `lintPolicies`, for policies compiled with the same options. */
export function lintCompiled(policies: readonly CompiledPolicy[], options: LintOptions): readonly PolicyWarning[] {
  return finished(lintInSteps(policies, options));
}

/** The same in steps: one for each policy. */
export function* lintInSteps(policies: readonly CompiledPolicy[], options: LintOptions): Steps<readonly PolicyWarning[]> {
  const all: ComparablePolicy[] = [];
  for (const policy of policies) {
    if (policy.invalid.length > 0) continue;
    all.push(toComparable(policy));
    yield undefined;
  }
  const focus = options.focus === undefined ? undefined : new Set(options.focus);
  const inFocus = (policyId: string) => focus?.has(policyId) ?? true;
  const { organization, queries = [] } = options;
  const raw = rawSigningPolicies(all);
  const warnings: PolicyWarning[] = [];
  for (const subject of all) {
    if (!inFocus(subject.policy.id)) continue;
    yield undefined;
    warnings.push(
      ...reach(subject.policy, options),
      ...(organization === undefined ? [] : unreachableConsensus(subject.policy, organization)),
      ...blockingApprovals(subject.policy),
      ...shadowing(subject, all, queries),
      ...notForReading(subject.policy, queries),
      ...rawSigningSidestep(subject, raw, inFocus, options.hashes),
      ...deadComparisons(subject.policy),
      ...denySidesteps(subject.policy, options.activities),
      ...notOfferedWords(subject.policy, options.notOffered),
      ...gaps(subject.policy),
      ...transactionLimits(subject.policy),
      ...unitsWithoutAsset(subject.policy),
      ...paymentHoles(subject.policy),
      ...otherAssets(subject.policy, options.controls),
      ...quotedIntegers(subject.policy),
      ...tooWide(subject),
    );
  }
  if (organization === undefined) return warnings;
  const changed = all.map(({ policy }) => policy).filter(({ id }) => inFocus(id));
  return [...warnings, ...rootNotBound(changed, organization), ...unreachableQuorum(organization)];
}

/** Warns about requests that a policy cannot match. If it matches none, no further warning is needed. */
function reach(policy: CompiledPolicy, { activities, now }: LintOptions): readonly PolicyWarning[] {
  const never = neverMatches(policy, now);
  return never.length > 0 || activities === undefined ? never : stepsAside(policy, activities);
}
