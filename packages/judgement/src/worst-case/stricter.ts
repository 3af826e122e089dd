import { StepBudget } from '@countersign/policy';
import type { JudgedOrganization } from '../organization.ts';
import { CURRENT_RULES } from '../rules.ts';
import { type AllowedRequest, WORST_CASE_STEPS, worstCase } from './worst-case.ts';

/** A stored policy that allows less under the current rules than under earlier ones, with the requests that change. */
export interface StricterPolicy {
  readonly policyId: string;
  /** Allowed before, and not any more. The worst first. */
  readonly requests: readonly AllowedRequest[];
}

/** The first rules, under which a policy named something if its text contained the word. */
const FIRST_RULES = 1;

/**
 * The policies of an organization whose decision on a hostile request changes from ALLOW under the first rules to something else under the
 * current ones. Read-only. Policies that change only for requests outside of the corpus are not found. `among` are the ids to try.
 */
export function stricterPolicies(
  organization: JudgedOrganization,
  nowMs: number,
  among: Iterable<string> = organization.policies.keys(),
): readonly StricterPolicy[] {
  const allowedBy = (policyId: string, rules: number) =>
    worstCase(organization, policyId, { nowMs, budget: new StepBudget(10 * WORST_CASE_STEPS), every: true, rules }).allowed;
  return [...among].flatMap((policyId) => {
    if (organization.policies.get(policyId)?.effect !== 'EFFECT_ALLOW') return [];
    const after = new Set(allowedBy(policyId, CURRENT_RULES).map(({ request }) => request.id));
    const requests = allowedBy(policyId, FIRST_RULES).filter(({ request }) => !after.has(request.id));
    return requests.length === 0 ? [] : [{ policyId, requests }];
  });
}
