import { type PolicySource, StepBudget } from '@countersign/policy';
import {
  byGroup,
  organizationOf,
  recordOf,
  released,
  releasedWords,
  WORST_CASE_STEPS,
  worstCase,
  worstCaseWords,
} from '@countersign/server';

/** The worst that an ALLOW policy of a file allows among the others, or what they would allow without a DENY policy. */
export interface FileWorstCase {
  readonly policy: string;
  readonly effect: PolicySource['effect'];
  readonly words: string;
  /** How many requests were tried. */
  readonly tried: number;
  readonly isComplete: boolean;
  /** Who may do what, the worst first. */
  readonly allowed: readonly { readonly who: string; readonly does: readonly string[] }[];
  /** The requests of conformance/policies that it allows. */
  readonly requests: readonly string[];
}

/** A caller without a server pays with their own time, so there is more of it. */
const STEPS = 10 * WORST_CASE_STEPS;

export function worstCasesOf(policies: readonly PolicySource[], nowMs: number): readonly FileWorstCase[] {
  const organization = organizationOf(new Map(policies.map((policy) => [policy.id, recordOf(policy)])));
  return policies.map(({ id, effect }) => {
    const search = { nowMs, budget: new StepBudget(STEPS), every: true };
    const isDeny = effect === 'EFFECT_DENY';
    const worst = isDeny ? released(organization, without(organization, id), id, search) : worstCase(organization, id, search);
    const { tried, isComplete, allowed } = worst;
    return {
      policy: id,
      effect,
      words: isDeny ? releasedWords(worst) : worstCaseWords(worst),
      tried,
      isComplete,
      allowed: byGroup(allowed, () => undefined),
      requests: allowed.map(({ request }) => request.id),
    };
  });
}

function without(organization: ReturnType<typeof organizationOf>, id: string): ReturnType<typeof organizationOf> {
  return { ...organization, policies: new Map([...organization.policies].filter(([other]) => other !== id)) };
}
