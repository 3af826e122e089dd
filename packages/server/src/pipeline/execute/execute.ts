import { type ActivityDefinition, type ErrorCode, errorCodes, type PolicyDenial, ServiceError } from '@countersign/contract';
import { authorityOf, type Judgement, oneTimeKeyVerdict, scopeRefusal } from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import { withheldParameters } from '../../dialects/redaction.ts';
import type { ActivityFailure, ActivityRecord } from '../../organizations/activity-record.ts';
import { type AppliedChanges, applyChanges } from '../../organizations/apply-changes.ts';
import { toAuditChanges } from '../../organizations/audit-changes.ts';
import type { Reading } from '../../usage/book.ts';
import type { Awaitable } from '../../wire/awaitable.ts';
import type { Filling } from '../../wire/filling.ts';
import { type Judged, type Proposal, planContext } from '../authorize/authorize.ts';
import { decided, withUsage } from '../authorize/decision-record.ts';
import type { GuessingAlarm, Outcome, RunContext } from '../plan/executor.ts';
import { executorOf, type PipelineServices } from '../services.ts';
import type { Charge } from './daily-quotas.ts';
import { messageCharges } from './message-quotas.ts';
import { requireRoomToWait, tracking } from './open-activities.ts';
import { keptRefusal } from './stored-denial.ts';

/** What carrying out an activity led to; nothing of it is durable yet. */
export interface Settled {
  readonly record: ActivityRecord;
  readonly sealed: AppliedChanges;
  readonly forget: readonly string[];
  readonly charges?: readonly Charge[];
  readonly alarms?: readonly GuessingAlarm[];
  /** What controls had counted, and whether this counts besides. Absent where nothing rests on it. */
  readonly usage?: { readonly reading: Reading; readonly counts: boolean };
  /** The result as the answer to the submitter shows it, where the record keeps less. */
  readonly disclosed?: unknown;
}

/**
 * Carries a judged activity out where it is allowed, and gives the record that follows from the decision. It waits only for an executor
 * that does.
 */
export function settle(services: PipelineServices, proposal: Proposal, judged: Judged, base: ActivityRecord): Awaitable<Settled> {
  const { decision, reading } = judged;
  const open = decided(services, proposal, judged, base);
  if (decision.outcome === 'ALLOW') {
    const outcome = run(services, proposal, judged, decision.by);
    return outcome instanceof Promise
      ? outcome.then((made) => settleRun(services, proposal, judged, open, made))
      : settleRun(services, proposal, judged, open, outcome);
  }
  const { target, changes = [] } = proposal;
  const untouched = (record: ActivityRecord) => ({
    record,
    sealed: applyChanges(services.vault.integrity, target, [...changes, ...tracking(target, record)]),
    forget: [],
  });
  if (decision.outcome === 'NEEDS_CONSENSUS') {
    requireRoomToWait(proposal, services.limits, open);
    return untouched({ ...open, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' });
  }
  const failure = failureOf('POLICY_DENIED', denial(decision, judged.judgement));
  const denied = untouched(keptRefusal({ ...open, status: 'ACTIVITY_STATUS_FAILED', failure }));
  // What refuses rests on the sums that it saw, like what allows.
  return reading === undefined || reading.asked.length === 0 ? denied : { ...denied, usage: { reading, counts: false } };
}

function run(
  services: PipelineServices,
  proposal: Proposal,
  { plan, context: planned }: Judged,
  allowedBy: RunContext['allowedBy'],
): Awaitable<Outcome<unknown>> {
  const { vault, newId } = services;
  // Votes are counted without a requester, and carried out with one.
  const isSame = planned !== undefined && planned.requester === proposal.requester;
  const context = isSame ? planned : planContext(services, proposal);
  // Field by field: copying an object of this size takes some ten microseconds.
  const running: RunContext = {
    organization: context.organization,
    submitterId: context.submitterId,
    stampedWith: context.stampedWith,
    submittedWith: context.submittedWith,
    byParent: context.byParent,
    parent: context.parent,
    resources: context.resources,
    counters: context.counters,
    limits: context.limits,
    identities: context.identities,
    requester: context.requester,
    reachable: context.reachable,
    reachableByPush: context.reachableByPush,
    nowMs: context.nowMs,
    vault,
    newId,
    allowedBy,
  };
  return executorOf(services, proposal.definition).run(running, plan);
}

/** What follows from an activity that was carried out. */
function settleRun(
  services: PipelineServices,
  proposal: Proposal,
  { reading }: Judged,
  open: ActivityRecord,
  outcome: Outcome<unknown>,
): Settled {
  const { definition, target, changes = [] } = proposal;
  const ends = tracking(target, open, 'ACTIVITY_STATUS_COMPLETED', outcome.changes);
  const sealed = applyChanges(services.vault.integrity, target, joined(joined(changes, outcome.changes), ends));
  const charges = joined(messageCharges(services.limits, proposal, outcome.changes), outcome.charges ?? []);
  const { forget = [], refusal, alarms, intent = open.intent } = outcome;
  if (refusal !== undefined) {
    const failure = failureOf(refusal.code, refusal.message);
    const failed: ActivityRecord = { ...open, status: 'ACTIVITY_STATUS_FAILED', failure };
    // It counts nothing, so its commit notes nothing.
    const record = reading === undefined || reading.asked.length === 0 ? failed : withUsage(failed, reading.noted());
    return { record, sealed, forget, charges, ...(alarms && { alarms }) };
  }
  const result = kept(definition, outcome.result);
  const changed = toAuditChanges(outcome.changes, withheldParameters(open));
  const warnings = joined(open.warnings ?? [], outcome.warnings ?? []);
  const record: Filling<ActivityRecord> = { ...open };
  record.intent = intent;
  record.status = 'ACTIVITY_STATUS_COMPLETED';
  record.result = result;
  if (changed !== undefined) record.changed = changed;
  if (warnings.length > 0) record.warnings = warnings;
  const settled: Filling<Settled> = { record, sealed, forget, charges };
  if (alarms !== undefined) settled.alarms = alarms;
  if (result !== outcome.result) settled.disclosed = outcome.result;
  if (reading !== undefined) settled.usage = { reading, counts: true };
  return settled;
}

/** Both lists. Most activities have nothing for one of them. */
function joined<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}

/** SECURITY: a token that is as good as a credential is not kept with its activity, where every user can look. */
function kept({ submitterOnly }: ActivityDefinition, result: unknown): unknown {
  if (submitterOnly.length === 0) return result;
  return { ...(result as object), ...Object.fromEntries(submitterOnly.map((field) => [field, ''])) };
}

/** The record as its submitter sees it, this once. */
export function withDisclosed(record: ActivityRecord, { disclosed }: Settled): ActivityRecord {
  return disclosed === undefined ? record : { ...record, result: disclosed };
}

function failureOf(errorCode: ErrorCode, message: string): ActivityFailure {
  return { code: errorCodes[errorCode].grpc, errorCode, message, details: [] };
}

function denial(decision: Decision & { outcome: 'DENY' }, judgement: Judgement): string {
  switch (decision.by) {
    case 'POLICY':
      return `policy engine denied request explicitly: ${denying(decision.policyIds, judgement)} denies it. 'countersign explain' shows why.`;
    case 'ROOT_QUORUM_ONLY':
      return `request not authorized: only the root quorum may do this${because(judgement)}. Ask a root user.`;
    case 'IMPLICIT':
      return (
        scopeRefusal(judgement, judgement.votes[0]?.credentialId) ??
        oneTimeKeyVerdict(judgement)?.refusal ??
        "request not authorized: no policy allows it, and the root quorum did not approve. Ask a root user, or have a policy created; 'countersign explain' shows what was missing."
      );
  }
}

/** SECURITY: the refusal is kept in the sub-organization, whose users do not get to see the ids of the parent's policies. */
function denying(policyIds: readonly string[], { organization, target }: Judgement): string {
  return organization.id === target.id ? `policy ${policyIds.join(', ')}` : 'a policy of the parent organization';
}

function because(judgement: Judgement): string {
  const { reserved } = authorityOf(judgement);
  return reserved === undefined ? '' : `, because ${reserved}`;
}

/** A refused attempt that is kept as an activity is answered as an error that names it, however often it is repeated. */
export function throwIfRefused(record: ActivityRecord): void {
  const refusal = refusalIn(record, record.id);
  if (refusal !== undefined) throw refusal;
}

/** The answer to a refused attempt. `activityId` names the activity that keeps it; undefined where none does. */
export function refusalIn(record: ActivityRecord, activityId: string | undefined): ServiceError | undefined {
  const { status, failure } = record;
  if (status !== 'ACTIVITY_STATUS_FAILED' || failure?.errorCode === undefined) return undefined;
  const denial = failure.errorCode === 'POLICY_DENIED' ? denialIn(record) : undefined;
  const named = activityId === undefined ? {} : { activityId };
  return new ServiceError(failure.errorCode, failure.message, { ...named, ...(denial && { denial }) });
}

/**
 * What policies said to a denied activity.
 * SECURITY: where the parent judged, nothing of its policies. Users of the sub-organization get this answer too if they send the same body.
 */
function denialIn({ judgedBy, decisions }: ActivityRecord): PolicyDenial | undefined {
  const last = decisions.at(-1);
  if (last?.outcome !== 'DENY') return undefined;
  const hidden = judgedBy !== undefined;
  const deniedBy = last.by === 'POLICY' ? { deniedBy: hidden ? [] : last.policyIds } : {};
  return { ...deniedBy, evaluations: hidden ? [] : last.evaluations };
}
