import {
  namedIn,
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
import type { RuleChange } from './rule-change.ts';
import type { Snapshot } from './snapshot/snapshot.ts';

/** Policies of one request whose worst cases are shown. The activity stores them. */
export const MAX_SHOWN = 20;

/** A policy whose worst case a change may affect. `content` is what it becomes; undefined if it is removed. */
interface Affected {
  readonly id: string;
  readonly content: PolicyContent | undefined;
  /** Whether the change could make requests possible that the policy prevents. */
  readonly prevents: boolean;
}

/**
 * Warnings that say what the policies of a change allow at worst, among the other policies of the organization, and what becomes possible
 * because of it. A change of a limit affects the policies that name it.
 * SECURITY: D411: approvers read them before they vote. D410: in slices, and all policies share one budget.
 */
export async function worstCases(
  organization: Snapshot,
  after: Snapshot,
  change: RuleChange,
  nowMs: number,
  endSlice: EndSlice,
): Promise<readonly string[]> {
  const search = { nowMs, budget: new StepBudget(WORST_CASE_STEPS) };
  const find = (where: Snapshot, id: string): Promise<WorstCase> => inSlices(worstCaseInSteps(where, id, search), endSlice);
  const tagName = (id: string) => organization.records.userTag.get(id)?.tagName;
  const lines: string[] = [...unnamed(organization, after, change)];
  const shown = affected(organization, after, change);
  let left = shown.length;
  for (const { id, content, prevents } of shown) {
    if (lines.length >= MAX_SHOWN || search.budget.isExhausted) break;
    left -= 1;
    const stored = organization.policies.get(id);
    if (stored !== undefined && prevents) {
      const released = await inSlices(releasedInSteps(organization, after, id, search), endSlice);
      const how = content === undefined ? 'without' : 'after the change of';
      lines.push(`WORST_CASE: ${how} policy ${quoted(stored.policyName)}: ${releasedWords(released, tagName)}`);
    }
    if (content?.effect !== 'EFFECT_ALLOW') continue;
    const before = stored?.effect === 'EFFECT_ALLOW' ? await find(organization, id) : undefined;
    lines.push(`WORST_CASE: policy ${quoted(content.policyName)}: ${worstCaseWords(await find(after, id), tagName, before)}`);
  }
  if (left > 0) lines.push(`WORST_CASE: ${left} further policies were not tried (use \`countersign policy check\`)`);
  return lines;
}

/** The changed policies, and those that name a changed limit. */
function affected(organization: Snapshot, after: Snapshot, { policies = new Map(), controls }: RuleChange): readonly Affected[] {
  const changed = [...policies].map(([id, content]) => ({ id, content, prevents: preventsLess(organization, id, content) }));
  const naming = controls === undefined ? [] : namingPolicies(organization, after, controls);
  const others = naming.flatMap((id): Affected[] => {
    const content = after.policies.get(id);
    return policies.has(id) || content === undefined ? [] : [{ id, content, prevents: content.effect === 'EFFECT_DENY' }];
  });
  return [...changed, ...others].filter(({ content, prevents }) => prevents || content?.effect === 'EFFECT_ALLOW');
}

/** The ids of the policies that name one of these limits, before or after a change. */
function namingPolicies(before: Snapshot, after: Snapshot, controls: ReadonlyMap<string, unknown>): readonly string[] {
  const ids = [before, after].flatMap((organization) =>
    policySetOf(organization).policies.flatMap((policy) =>
      namedIn(policy, organization.records.velocityControl).some((id) => controls.has(id)) ? [policy.id] : [],
    ),
  );
  return [...new Set(ids)];
}

/** Sentences about changed limits that no policy names. */
function unnamed(before: Snapshot, after: Snapshot, { controls = new Map() }: RuleChange): readonly string[] {
  return [...controls.keys()].flatMap((id) => {
    if (namingPolicies(before, after, new Map([[id, undefined]])).length > 0) return [];
    const { identifier } = after.records.velocityControl.get(id) ?? before.records.velocityControl.get(id) ?? {};
    return identifier === undefined ? [] : [`WORST_CASE: no policy names controls.${identifier}, so no decision changes`];
  });
}

/**
 * Whether a change could make a stored policy prevent less: a DENY that changes, and an ALLOW that is removed or that names limits. The
 * limits of an ALLOW protect keys from signing hashes, and the names in it are names that others may not hand out.
 */
function preventsLess({ policies }: Snapshot, id: string, content: PolicyContent | undefined): boolean {
  const stored = policies.get(id);
  if (stored === undefined || content === undefined) return stored !== undefined;
  if (stored.effect === 'EFFECT_ALLOW' && !/\bcontrols\b/.test(stored.condition ?? '')) return false;
  return (['effect', 'condition', 'consensus', 'time'] as const).some((field) => stored[field] !== content[field]);
}
