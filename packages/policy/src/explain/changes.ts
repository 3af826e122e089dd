import type { Decision, Waiting } from '../decide/decide.ts';
import { decisionLimits } from '../limits.ts';
import type { ExplainedPolicy } from './explanation.ts';
import { cutText } from './show-value.ts';

const MAX_POLICIES = 5;
const MAX_REQUIREMENT = 320;
const MAX_USERS = 10;
const MAX_SENTENCES = 20;

/** The changes that would have led to another outcome: one sentence each, smallest change first. */
export function decisionChanges(decision: Decision, policies: readonly ExplainedPolicy[]): readonly string[] {
  if (decision.outcome === 'NEEDS_CONSENSUS') {
    const denials = decision.policyIds.map((id) => `policy ${id} denies this unless the root quorum approves it`);
    return [...firstOf(denials), ...firstOf(decision.waiting.flatMap(waitingFor))];
  }
  if (decision.outcome === 'ALLOW') {
    if (decision.by === 'ROOT_QUORUM') return ['the root quorum approved, so no policy was consulted'];
    return ['a policy with EFFECT_DENY that applies would have denied this'];
  }
  if (decision.by === 'ROOT_QUORUM_ONLY') return ['only the root quorum may do this: a member must send the request'];
  if (decision.by === 'FROZEN') return ['the root quorum must unfreeze it first'];
  if (decision.by === 'HIDDEN_CONTENT')
    return ['send the content instead of its hash, for example with sign_transaction: policies must see what this key signs'];
  if (decision.by === 'STEP_LIMIT')
    return [
      `the policies that can apply take more than ${decisionLimits.steps} steps together, or finding the users who may approve takes more than ${decisionLimits.pendingSteps}: the root quorum must shorten or remove policies`,
    ];
  if (decision.by === 'POLICY') {
    const byId = new Map(policies.map((policy) => [policy.policyId, policy]));
    return firstOf(decision.policyIds.map((id) => denial(byId.get(id), id)));
  }
  const allows = policies.filter(({ effect, reasons }) => effect === 'EFFECT_ALLOW' && reasons.length > 0);
  if (allows.length === 0) return ['no policy with EFFECT_ALLOW could allow this'];
  return allows
    .sort(nearestFirst)
    .slice(0, MAX_POLICIES)
    .map(({ policyId, reasons }) => `policy ${policyId} would allow this, but ${reasons.join('; and ')}`);
}

/** The first sentences, and how many others there are. */
function firstOf(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= MAX_SENTENCES) return sentences;
  return [...sentences.slice(0, MAX_SENTENCES), `and ${sentences.length - MAX_SENTENCES} others`];
}

function waitingFor(waiting: Waiting): readonly string[] {
  return waiting.missing.map(({ count, requirement, userIds }) => {
    const approvals = count === 1 ? 'one more approval' : `${count} more approvals`;
    const names = userIds.slice(0, MAX_USERS).join(', ');
    const more = userIds.length > MAX_USERS ? ` and ${userIds.length - MAX_USERS} others` : '';
    const who =
      waiting.by === 'ROOT_QUORUM'
        ? 'the root quorum'
        : `policy ${waiting.policyId} (\`${cutText(requirement, MAX_REQUIREMENT)}\`)`;
    return `${approvals} for ${who}, by: ${names}${more}`;
  });
}

function denial(policy: ExplainedPolicy | undefined, id: string): string {
  if (policy?.error === undefined)
    return `policy ${id} denies this; it would not apply if any part of its condition, consensus or time were false`;
  return `policy ${id} denies this because its ${policy.error.field} could not be evaluated: ${policy.error.message}`;
}

/** Policies that apply to this kind of request come first, then those with fewer reasons. */
function nearestFirst(a: ExplainedPolicy, b: ExplainedPolicy): number {
  return distance(a) - distance(b);
}

function distance({ error, reasons }: ExplainedPolicy): number {
  return reasons.length + (error?.code === 'NAMESPACE_ABSENT' ? 1_000 : error === undefined ? 0 : 500);
}
