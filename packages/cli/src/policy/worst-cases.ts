import { type PolicySource, StepBudget } from '@countersign/policy';
import { byGroup, organizationOf, recordOf, WORST_CASE_STEPS, worstCase, worstCaseWords } from '@countersign/server';

/** The worst that a policy of a file allows, among the other policies of the file. */
export interface FileWorstCase {
  readonly policy: string;
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
  const allowing = policies.filter(({ effect }) => effect === 'EFFECT_ALLOW');
  return allowing.map(({ id }) => {
    const search = { nowMs, budget: new StepBudget(STEPS), every: true };
    const worst = worstCase(organization, id, search);
    const { tried, isComplete, allowed } = worst;
    return {
      policy: id,
      words: worstCaseWords(worst),
      tried,
      isComplete,
      allowed: byGroup(allowed, () => undefined),
      requests: allowed.map(({ request }) => request.id),
    };
  });
}
