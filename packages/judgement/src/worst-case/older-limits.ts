import { StepBudget } from '@countersign/policy';
import { policySetOf } from '../compiled-policies.ts';
import { namedIn } from '../controls/control-identifiers.ts';
import { updated } from '../controls/update.ts';
import type { JudgedOrganization } from '../organization.ts';
import type { StricterPolicy } from './stricter.ts';
import { WORST_CASE_STEPS, worstCase } from './worst-case.ts';

/** A stored limit that still counts by the rules of an earlier release. */
export interface OlderLimit {
  readonly controlId: string;
  /** The ALLOW policies that name it, each with the hostile requests that it allows now and would not allow by the current rules. */
  readonly allows: readonly StricterPolicy[];
  /** The DENY policies that name it. By the current rules they deny more: what the limit does not count. */
  readonly denies: readonly string[];
}

/**
 * The limits of an organization that count by the first rules, with what the current rules would change. Read-only. Requests outside of
 * the corpus are not found, so a limit without one is listed too.
 */
export function olderLimits(organization: JudgedOrganization, nowMs: number): readonly OlderLimit[] {
  const { velocityControl } = organization.records;
  return [...velocityControl].flatMap(([controlId, control]) => {
    if (control.rules !== undefined) return [];
    const switched = new Map(velocityControl).set(controlId, updated(control, { controlRules: 2 }, nowMs));
    const after = { ...organization, records: { ...organization.records, velocityControl: switched } };
    const naming = policySetOf(organization).policies.filter((policy) => namedIn(policy, velocityControl).includes(controlId));
    const idsOf = (effect: string) => naming.filter((policy) => policy.effect === effect).map(({ id }) => id);
    const allows = idsOf('EFFECT_ALLOW').map((policyId) => ({ policyId, requests: lost(organization, after, policyId, nowMs) }));
    return [{ controlId, allows, denies: idsOf('EFFECT_DENY') }];
  });
}

/** The hostile requests that a policy allows before, and not after. */
function lost(
  before: JudgedOrganization,
  after: JudgedOrganization,
  policyId: string,
  nowMs: number,
): StricterPolicy['requests'] {
  const allowed = (organization: JudgedOrganization) =>
    worstCase(organization, policyId, { nowMs, budget: new StepBudget(10 * WORST_CASE_STEPS), every: true }).allowed;
  const still = new Set(allowed(after).map(({ request }) => request.id));
  return allowed(before).filter(({ request }) => !still.has(request.id));
}
