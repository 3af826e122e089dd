import {
  CURRENT_RULES,
  contentToShow,
  type Judgement,
  type StoredUsage,
  sendsTransaction,
  serializeSubject,
  showDecision,
  showParsed,
} from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import { auditView } from '../../dialects/redaction.ts';
import type { ActivityRecord, DecisionRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Authorization, Proposal } from '../context.ts';
import type { Plan } from '../plan/executor.ts';
import type { PipelineServices } from '../services.ts';

/** The record with its votes and the decision on them. */
export function withDecision(
  services: Pick<PipelineServices, 'policies'>,
  { votes, nowMs, home }: Proposal,
  { intent, subject }: Plan<unknown, unknown>,
  authorization: Authorization,
  base: ActivityRecord,
): ActivityRecord {
  const { parameters } = subject;
  const parsed = contentToShow(subject);
  // Approving a token approves the person it identifies, so that person is shown.
  const needsParameters = authorization.decision.outcome === 'NEEDS_CONSENSUS' && parameters !== undefined;
  return {
    ...base,
    intent,
    votes,
    decisions: [...base.decisions, decisionRecord(services, home, authorization)],
    updatedAtMs: nowMs,
    ...(needsParameters && { judgedParameters: parameters() }),
    ...(parsed !== undefined && { parsed: showParsed(parsed) }),
  };
}

/** The members that begin every stored decision. */
export function decisionBase({ version: head }: Snapshot): Required<Pick<DecisionRecord, 'version' | 'rules' | 'head'>> {
  return { version: 2, rules: CURRENT_RULES, head };
}

/**
 * The part of the subject that only the executor knew. It is not stored for a full root quorum, which does not need it, and for signatures,
 * whose body contains everything. A transaction to send is completed by the service, so it is always stored.
 */
function storedSubjectOf({ definition, type, subject }: Judgement, decision: Decision) {
  const isPlain =
    !sendsTransaction(definition) &&
    (definition.policy.action === 'SIGN' || (decision.outcome === 'ALLOW' && decision.by === 'ROOT_QUORUM'));
  const kept = isPlain ? undefined : serializeSubject(subject, auditView(type).params);
  return kept && { subject: kept };
}

/**
 * The decision to store, with the inputs to recompute it and the values that the deciding policies read.
 * SECURITY: D273: no explanation. It can be thousands of times as long as the request, and it can be computed from the stored data.
 */
function decisionRecord(
  { policies: { authorize } }: Pick<PipelineServices, 'policies'>,
  home: Snapshot,
  { decision, judgement, reading }: Authorization,
): DecisionRecord {
  const { votes, nowMs: createdAtMs } = judgement;
  const { evaluations, evaluatedCount, ...shown } = showDecision(decision, judgement);
  const values = authorize.reads(judgement, decision);
  // For a final decision, the commit stores the counters, because only it knows them.
  const usage =
    decision.outcome === 'NEEDS_CONSENSUS' && reading !== undefined && reading.usedControls.length > 0
      ? reading.toStored()
      : undefined;
  return {
    ...decisionBase(home),
    voteId: votes.at(-1)?.id ?? '',
    createdAtMs,
    ...shown,
    evaluations: evaluations.map(({ policyId, outcome }) => ({
      policyId,
      revision: home.policyRevisions.get(policyId) ?? 0,
      outcome,
    })),
    ...(evaluatedCount !== undefined && { evaluatedCount }),
    ...(values.length > 0 && { values }),
    ...(usage && { usage }),
    ...storedSubjectOf(judgement, decision),
  };
}

/** The record with the counters of spending limits in its newest decision. */
export function withUsage(record: ActivityRecord, usage: readonly StoredUsage[]): ActivityRecord {
  const last = record.decisions.at(-1);
  if (last === undefined) return record;
  return { ...record, decisions: [...record.decisions.slice(0, -1), { ...last, usage }] };
}
