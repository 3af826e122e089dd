import { policySetOf, quoted, WORST_CASE_STEPS, type WorstCase, worstCaseInSteps, worstCaseWords } from '@countersign/judgement';
import { StepBudget } from '@countersign/policy';
import { type EndSlice, inSlices } from '../admission/index.ts';
import type { PolicyContent } from './new-policy.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** Policies of one request whose worst cases are shown. The activity stores them. */
const MAX_SHOWN = 20;

/**
 * Warnings that say what the policies of a change allow at worst, among the other policies of the organization.
 * SECURITY: D411: approvers read them before they vote. D410: in slices, and all policies share one budget.
 */
export async function worstCases(
  organization: Snapshot,
  changed: ReadonlyMap<string, PolicyContent>,
  nowMs: number,
  endSlice: EndSlice,
): Promise<readonly string[]> {
  const budget = new StepBudget(WORST_CASE_STEPS);
  const find = (policies: Snapshot['policies'], id: string): Promise<WorstCase> =>
    inSlices(worstCaseInSteps({ ...organization, policies }, id, { nowMs, budget }), endSlice);
  let { policies } = organization;
  for (const [id, content] of changed) {
    policies = policies.with(id, { ...content, createdAtMs: nowMs, updatedAtMs: nowMs });
    // Compiles one policy at a time, because a long one takes tens of milliseconds.
    policySetOf({ ...organization, policies });
    await endSlice();
  }
  const tagName = (id: string) => organization.records.userTag.get(id)?.tagName;
  const lines: string[] = [];
  const allowing = [...changed].filter(([, { effect }]) => effect === 'EFFECT_ALLOW');
  for (const [id, { policyName }] of allowing) {
    if (lines.length >= MAX_SHOWN || budget.isExhausted) break;
    const stored = organization.policies.get(id);
    const before = stored?.effect === 'EFFECT_ALLOW' ? await find(organization.policies, id) : undefined;
    lines.push(`WORST_CASE: policy ${quoted(policyName)}: ${worstCaseWords(await find(policies, id), tagName, before)}`);
  }
  const left = allowing.length - lines.length;
  if (left > 0) lines.push(`WORST_CASE: ${left} further policies were not tried (use \`countersign policy check\`)`);
  return lines;
}
