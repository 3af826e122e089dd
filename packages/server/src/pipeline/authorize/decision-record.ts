import { type Judgement, type NotedUsage, noteSubject, showDecision, showParsed } from '@countersign/judgement';
import type { Decision, Explanation } from '@countersign/policy';
import { publicView } from '../../dialects/redaction.ts';
import type { ActivityRecord, DecisionRecord } from '../../organizations/activity-record.ts';
import type { Reading } from '../../usage/book.ts';
import type { Filling } from '../../wire/filling.ts';
import type { PipelineServices } from '../services.ts';
import type { Judged, Proposal } from './authorize.ts';

/** The record with its votes and the decision on them, before anything follows from it. */
export function decided(
  services: PipelineServices,
  { votes, nowMs }: Proposal,
  { plan, decision, judgement, reading }: Judged,
  base: ActivityRecord,
): ActivityRecord {
  const { parsed, parameters } = plan.subject;
  // Who approves a token approves the person it speaks of, so that person is shown.
  const asks = decision.outcome === 'NEEDS_CONSENSUS' && parameters !== undefined;
  const made = decisionRecord(services, judgement, decision, reading);
  const decisions = base.decisions.length === 0 ? [made] : [...base.decisions, made];
  const record: Filling<ActivityRecord> = { ...base };
  record.intent = plan.intent;
  record.votes = votes;
  record.decisions = decisions;
  record.updatedAtMs = nowMs;
  if (asks) record.judgedParameters = parameters();
  if (parsed !== undefined) record.parsed = showParsed(parsed);
  return record;
}

/**
 * What only the executor knew of the request. A full root quorum asks for nothing of it, and a signature's body tells all.
 */
function noted({ definition, type, subject }: Judgement, decision: Decision) {
  const isPlain = definition.policy.action === 'SIGN' || (decision.outcome === 'ALLOW' && decision.by === 'ROOT_QUORUM');
  const kept = isPlain ? undefined : noteSubject(subject, publicView(type).params);
  return kept && { subject: kept };
}

/** What is kept of a decision: for an ALLOW the explanation of the policies that were asked, for any other of all that came near. */
function decisionRecord(
  { authorize }: PipelineServices,
  judgement: Judgement,
  decision: Decision,
  reading: Reading | undefined,
): DecisionRecord {
  const { votes, nowMs: createdAtMs } = judgement;
  const voteId = votes.at(-1)?.id ?? '';
  const shown = showDecision(decision);
  // What is the last word has its numbers noted by the commit: only that knows them.
  const usage =
    decision.outcome === 'NEEDS_CONSENSUS' && reading !== undefined && reading.asked.length > 0 ? reading.noted() : undefined;
  const subject = noted(judgement, decision);
  const asked = decision.evaluations.map(({ policyId }) => policyId);
  const { outcome, by, policyIds, evaluations } = shown;
  if (outcome === 'ALLOW' && asked.length > 0 && subject === undefined && by !== undefined) {
    // Written out, because copies of objects are slow, and this is part of every signature that a policy allows.
    const explanation = authorize.explain(judgement, asked);
    const explained = { voteId, createdAtMs, outcome, by, policyIds, evaluations, explanation };
    return explained satisfies Required<Omit<DecisionRecord, 'subject' | 'mayApprove' | 'usage'>>;
  }
  const base = { voteId, createdAtMs, ...shown, ...(usage && { usage }), ...subject };
  if (outcome !== 'ALLOW') return { ...base, explanation: relevant(authorize.explain(judgement), decision, asked) };
  return asked.length === 0 ? base : { ...base, explanation: authorize.explain(judgement, asked) };
}

/** The record whose newest decision tells what it rested on. */
export function withUsage(record: ActivityRecord, usage: readonly NotedUsage[]): ActivityRecord {
  const last = record.decisions.at(-1);
  if (last === undefined) return record;
  const decision = decisionWith(last, usage);
  const noted: Filling<ActivityRecord> = { ...record };
  noted.decisions = record.decisions.length === 1 ? [decision] : [...record.decisions.slice(0, -1), decision];
  return noted;
}

/** Written out for what most signatures have: an object that is copied and then gets one more field is slow to make. */
function decisionWith(decision: DecisionRecord, usage: readonly NotedUsage[]): DecisionRecord {
  const { voteId, createdAtMs, outcome, by, policyIds, evaluations, explanation, subject, mayApprove } = decision;
  if (by === undefined || explanation === undefined || subject !== undefined || mayApprove !== undefined)
    return { ...decision, usage };
  const noted = { voteId, createdAtMs, outcome, by, policyIds, evaluations, explanation, usage };
  return noted satisfies Required<Omit<DecisionRecord, 'subject' | 'mayApprove'>>;
}

/** How many policies that were not asked are kept in an explanation. */
const MAX_NEAR = 10;

/** An explanation without the policies that could not have mattered: those that were asked, and some that would have allowed it. */
function relevant(explanation: Explanation, decision: Decision, asked: readonly string[]): Explanation {
  const kept = new Set(asked);
  const near = explanation.policies
    .filter(({ effect, error }) => effect === 'EFFECT_ALLOW' && error?.code !== 'NAMESPACE_ABSENT')
    .filter(({ policyId }) => !kept.has(policyId));
  for (const { policyId } of near.slice(0, MAX_NEAR)) kept.add(policyId);
  return { ...explanation, decision, policies: explanation.policies.filter(({ policyId }) => kept.has(policyId)) };
}
