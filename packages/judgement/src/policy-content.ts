import type { ActivityInput } from '@countersign/contract';
import { POLICY_LANGUAGE } from './policy-language-1.ts';
import type { Dated, PolicyRecord } from './records.ts';

/** The content of a policy, without its dates. */
export type PolicyContent = Omit<PolicyRecord, keyof Dated>;

/** The fields of a policy update. */
export type PolicyUpdate = Omit<ActivityInput<'updatePolicy'>, 'policyId'>;

/** The optional expressions of a policy. */
type Expressions = { readonly [K in 'condition' | 'consensus' | 'time' | 'language']?: PolicyContent[K] | undefined };

/** The content of a policy without absent expressions. An empty one counts as absent, which matches how queries show them. */
export function policyContent(given: Omit<PolicyContent, keyof Expressions> & Expressions): PolicyContent {
  const { policyName, effect, notes, condition = '', consensus = '', time = '', language } = given;
  return {
    policyName,
    effect,
    notes,
    ...(condition !== '' && { condition }),
    ...(consensus !== '' && { consensus }),
    ...(time !== '' && { time }),
    ...(language !== undefined && { language }),
  };
}

/** The stored policy with an update applied. Nothing is checked. */
export function updatedContent(
  { createdAtMs: _, updatedAtMs: __, ...before }: PolicyRecord,
  params: PolicyUpdate,
): PolicyContent {
  return policyContent({
    policyName: params.policyName ?? before.policyName,
    effect: params.policyEffect ?? before.effect,
    condition: params.policyCondition || before.condition,
    consensus: params.policyConsensus || before.consensus,
    time: params.time ?? before.time,
    notes: params.policyNotes ?? before.notes,
    // SECURITY: D394: an unchanged condition keeps its language version, and with it its meaning.
    language: isRewritten(before, params) ? POLICY_LANGUAGE : before.language,
  });
}

/** Whether an update replaces the condition, or the consensus of a policy that has no condition. */
function isRewritten(before: Pick<PolicyContent, 'condition'>, { policyCondition, policyConsensus }: PolicyUpdate): boolean {
  return Boolean(policyCondition) || (before.condition === undefined && Boolean(policyConsensus));
}
