import {
  policySetOf,
  quoted,
  releasedInSteps,
  releasedWords,
  WORST_CASE_STEPS,
  type WorstCase,
  worstCaseInSteps,
  worstCaseWords,
} from '@countersign/judgement';
import { StepBudget } from '@countersign/policy';
import { type EndSlice, inSlices } from '../admission/index.ts';
import type { PolicyContent } from './new-policy.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** Policies of one request whose worst cases are shown. The activity stores them. */
const MAX_SHOWN = 20;

/** The new content of policies by their ids. Undefined removes a policy. */
type Changed = ReadonlyMap<string, PolicyContent | undefined>;

/**
 * Warnings that say what the policies of a change allow at worst, among the other policies of the organization, and what becomes possible
 * because a DENY policy is changed or removed.
 * SECURITY: D411: approvers read them before they vote. D410: in slices, and all policies share one budget.
 */
export async function worstCases(
  organization: Snapshot,
  changed: Changed,
  nowMs: number,
  endSlice: EndSlice,
): Promise<readonly string[]> {
  const search = { nowMs, budget: new StepBudget(WORST_CASE_STEPS) };
  const find = (where: Snapshot, id: string): Promise<WorstCase> => inSlices(worstCaseInSteps(where, id, search), endSlice);
  const after = await withChanges(organization, changed, nowMs, endSlice);
  const tagName = (id: string) => organization.records.userTag.get(id)?.tagName;
  const lines: string[] = [];
  const shown = [...changed].filter(
    ([id, content]) => content?.effect === 'EFFECT_ALLOW' || deniesLess(organization, id, content),
  );
  let left = shown.length;
  for (const [id, content] of shown) {
    if (lines.length >= MAX_SHOWN || search.budget.isExhausted) break;
    left -= 1;
    const stored = organization.policies.get(id);
    if (stored !== undefined && deniesLess(organization, id, content)) {
      const released = await inSlices(releasedInSteps(organization, after, id, search), endSlice);
      const change = content === undefined ? 'without' : 'after the change of';
      lines.push(`WORST_CASE: ${change} policy ${quoted(stored.policyName)}: ${releasedWords(released, tagName)}`);
    }
    if (content?.effect !== 'EFFECT_ALLOW') continue;
    const before = stored?.effect === 'EFFECT_ALLOW' ? await find(organization, id) : undefined;
    lines.push(`WORST_CASE: policy ${quoted(content.policyName)}: ${worstCaseWords(await find(after, id), tagName, before)}`);
  }
  if (left > 0) lines.push(`WORST_CASE: ${left} further policies were not tried (use \`countersign policy check\`)`);
  return lines;
}

/** Whether a change could make a stored DENY policy deny less. */
function deniesLess({ policies }: Snapshot, id: string, content: PolicyContent | undefined): boolean {
  const stored = policies.get(id);
  if (stored?.effect !== 'EFFECT_DENY') return false;
  return (['effect', 'condition', 'consensus', 'time'] as const).some((field) => stored[field] !== content?.[field]);
}

/** The organization with the changed policies. Compiles one policy at a time, because a long one takes tens of milliseconds. */
async function withChanges(organization: Snapshot, changed: Changed, nowMs: number, endSlice: EndSlice): Promise<Snapshot> {
  let { policies } = organization;
  for (const [id, content] of changed) {
    policies =
      content === undefined ? policies.without(id) : policies.with(id, { ...content, createdAtMs: nowMs, updatedAtMs: nowMs });
    policySetOf({ ...organization, policies });
    await endSlice();
  }
  return { ...organization, policies };
}
