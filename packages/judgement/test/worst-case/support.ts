import { finished } from '@countersign/collections';
import { StepBudget } from '@countersign/policy';
import type { JudgedOrganization } from '../../src/organization.ts';
import { POLICY_LANGUAGE } from '../../src/policy-language-1.ts';
import type { PolicyRecord } from '../../src/records.ts';
import { organizationOf } from '../../src/worst-case/offline-organization.ts';
import { WORST_CASE_STEPS, type WorstCase, worstCaseInSteps } from '../../src/worst-case/worst-case.ts';

export const record = (fields: Partial<PolicyRecord> = {}): PolicyRecord => ({
  policyName: 'P',
  effect: 'EFFECT_ALLOW',
  notes: '',
  language: POLICY_LANGUAGE,
  createdAtMs: 0,
  updatedAtMs: 0,
  ...fields,
});

export const NOW_MS = Date.parse('2026-03-20T10:00:00Z');

/** What the first of these policies allows among the others. */
export function worstOf(
  first: Partial<PolicyRecord>,
  others: readonly Partial<PolicyRecord>[] = [],
  more: { readonly steps?: number; readonly records?: Partial<JudgedOrganization['records']>; readonly every?: boolean } = {},
): WorstCase {
  const all = [first, ...others].map((each, index) => [`p${index}`, record(each)] as const);
  const organization = organizationOf(new Map(all));
  const budget = new StepBudget(more.steps ?? WORST_CASE_STEPS);
  const search = { nowMs: NOW_MS, budget, ...(more.every === true && { every: true }) };
  const records = { ...organization.records, ...more.records };
  return finished(worstCaseInSteps({ ...organization, records }, 'p0', search));
}
