import { type Judgement, type StoredUsage, serializeSubject, showDecision, showParsed } from '@countersign/judgement';
import type { Decision, Explanation } from '@countersign/policy';
import { publicView } from '../../dialects/redaction.ts';
import type { ActivityRecord, DecisionRecord } from '../../organizations/activities/activity-record.ts';
import type { UsageSnapshot } from '../../usage/usage-service.ts';
import type { Authorization, Proposal } from '../context.ts';
import type { Plan } from '../plan/executor.ts';
import type { PipelineServices } from '../services.ts';

/** The record with its votes and the decision on them. */
export function withDecision(
  services: Pick<PipelineServices, 'policies'>,
  { votes, nowMs }: Proposal,
  { intent, subject: { parsed, parameters } }: Plan<unknown, unknown>,
  { decision, judgement, reading }: Authorization,
  base: ActivityRecord,
): ActivityRecord {
  // Approving a token approves the person it identifies, so that person is shown.
  const needsParameters = decision.outcome === 'NEEDS_CONSENSUS' && parameters !== undefined;
  return {
    ...base,
    intent,
    votes,
    decisions: [...base.decisions, decisionRecord(services, judgement, decision, reading)],
    updatedAtMs: nowMs,
    ...(needsParameters && { judgedParameters: parameters() }),
    ...(parsed !== undefined && { parsed: showParsed(parsed) }),
  };
}

/**
 * The part of the subject that only the executor knew. It is not stored for a full root quorum, which does not need it, and for signatures,
 * whose body contains everything.
 */
function storedSubjectOf({ definition, type, subject }: Judgement, decision: Decision) {
  const isPlain = definition.policy.action === 'SIGN' || (decision.outcome === 'ALLOW' && decision.by === 'ROOT_QUORUM');
  const kept = isPlain ? undefined : serializeSubject(subject, publicView(type).params);
  return kept && { subject: kept };
}

/**
 * The decision to store. An ALLOW explains the policies that were evaluated; any other outcome also explains policies that nearly applied.
 */
function decisionRecord(
  { policies: { authorize } }: Pick<PipelineServices, 'policies'>,
  judgement: Judgement,
  decision: Decision,
  reading: UsageSnapshot | undefined,
): DecisionRecord {
  const { votes, nowMs: createdAtMs } = judgement;
  const voteId = votes.at(-1)?.id ?? '';
  const shown = showDecision(decision);
  // For a final decision, the commit stores the counters, because only it knows them.
  const usage =
    decision.outcome === 'NEEDS_CONSENSUS' && reading !== undefined && reading.usedControls.length > 0
      ? reading.toStored()
      : undefined;
  const subject = storedSubjectOf(judgement, decision);
  const asked = decision.evaluations.map(({ policyId }) => policyId);
  const base = { voteId, createdAtMs, ...shown, ...(usage && { usage }), ...subject };
  if (decision.outcome !== 'ALLOW') return { ...base, explanation: relevant(authorize.explain(judgement), decision, asked) };
  return asked.length === 0 ? base : { ...base, explanation: authorize.explain(judgement, asked) };
}

/** The record with the counters of spending limits in its newest decision. */
export function withUsage(record: ActivityRecord, usage: readonly StoredUsage[]): ActivityRecord {
  const last = record.decisions.at(-1);
  if (last === undefined) return record;
  return { ...record, decisions: [...record.decisions.slice(0, -1), { ...last, usage }] };
}

/** Maximum number of policies in an explanation that were not evaluated. */
const MAX_NEAR = 10;

/** Reduces an explanation to the evaluated policies and some that would have allowed the activity. */
function relevant(explanation: Explanation, decision: Decision, asked: readonly string[]): Explanation {
  const kept = new Set(asked);
  const near = explanation.policies
    .filter(({ effect, error }) => effect === 'EFFECT_ALLOW' && error?.code !== 'NAMESPACE_ABSENT')
    .filter(({ policyId }) => !kept.has(policyId));
  for (const { policyId } of near.slice(0, MAX_NEAR)) kept.add(policyId);
  return { ...explanation, decision, policies: explanation.policies.filter(({ policyId }) => kept.has(policyId)) };
}
