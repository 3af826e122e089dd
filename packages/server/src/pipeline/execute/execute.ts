import type { ActivityDefinition } from '@countersign/contract';
import { runInSlices } from '../../admission/index.ts';
import type { Limits } from '../../config/limits.ts';
import { withheldParameters } from '../../dialects/redaction.ts';
import { type ActivityRecord, toAuditChanges } from '../../organizations/activities/activity-record.ts';
import { withComparison } from '../../organizations/activities/comparison.ts';
import { applyChanges, applyChangesInSteps } from '../../organizations/snapshot/apply-changes.ts';
import type { Change, LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { SecretMissing } from '../../vault/errors.ts';
import { limitExceeded } from '../../wire/refuse.ts';
import { withDecision, withUsage } from '../authorize/decision-record.ts';
import type { Authorization, Authorized, Executed, Execution, Proposal } from '../context.ts';
import type { Outcome, RunContext } from '../plan/executor.ts';
import { planContextOf } from '../plan/plan.ts';
import type { PipelineServices } from '../services.ts';
import { Retry } from '../stages.ts';
import { denialCode, denialMessage, failureOf } from './denial.ts';
import { requireUnfrozenChanges } from './frozen-changes.ts';
import { messageCharges } from './message-quotas.ts';
import { storedDenial } from './stored-denial.ts';

/** Stage: runs the executor of an allowed activity and builds the record to commit. */
export async function executeActivity(services: PipelineServices, context: Authorized): Promise<Executed | Retry> {
  const { request, authenticated, stored, proposal, authorization, plan, record } = context;
  const decided = withDecision(services, proposal, plan, authorization, record);
  const execution =
    authorization.decision.outcome === 'ALLOW'
      ? await executedAs(services, context, withComparison(decided, proposal, plan.subject.parameters), authorization.decision.by)
      : notExecuted(services, proposal, authorization, decided);
  if (execution instanceof Retry) return execution;
  return { request, authenticated, stored, authorization, execution };
}

/** An execution that changes nothing but the activity itself and the credential of the vote. */
export function withoutExecution(
  { vault }: Pick<PipelineServices, 'vault'>,
  { target, changes = [] }: Pick<Proposal, 'target' | 'changes'>,
  record: ActivityRecord,
): Execution {
  const applied = applyChanges(vault.integrity, target, [...changes, ...tracking(target, record)]);
  return { record, applied, forget: [] };
}

/** An activity that is denied, or pending. */
function notExecuted(
  services: PipelineServices,
  proposal: Proposal,
  { decision, judgement, reading }: Authorization,
  decided: ActivityRecord,
): Execution {
  if (decision.outcome !== 'DENY') {
    requireRoomToWait(proposal, services.limits, decided);
    return withoutExecution(services, proposal, { ...decided, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' });
  }
  const failure = failureOf(denialCode(decision), denialMessage(decision, judgement));
  const denied = storedDenial({ ...decided, status: 'ACTIVITY_STATUS_FAILED', failure });
  const execution = withoutExecution(services, proposal, denied);
  // A denial depends on the counters that it read, as an ALLOW does.
  return reading === undefined || reading.usedControls.length === 0
    ? execution
    : { ...execution, usage: { reading, counts: false } };
}

function run(
  services: PipelineServices,
  { proposal, plan, planContext }: Authorized,
  allowedBy: RunContext['allowedBy'],
  usedKeys: string[],
): Promise<Outcome<unknown>> {
  const { vault, newId, newOrganizationId } = services;
  // A vote is authorized without a requester and executed with one.
  const isSame = planContext !== undefined && planContext.requester === proposal.requester;
  const context = isSame ? planContext : planContextOf(services, proposal);
  return proposal.executor.run({ vault, newId, newOrganizationId, allowedBy, usedKeys, ...context }, plan);
}

/** Runs the executor. Returns the record and changes of the activity. */
async function executedAs(
  services: PipelineServices,
  context: Authorized,
  decided: ActivityRecord,
  allowedBy: RunContext['allowedBy'],
): Promise<Execution | Retry> {
  const { request, proposal } = context;
  const { reading } = context.authorization;
  const usedKeys: string[] = [];
  const outcome = await run(services, context, allowedBy, usedKeys).catch((error: unknown) =>
    retryIfDeleted(services, proposal.target, error),
  );
  if (outcome instanceof Retry) return outcome;
  const { definition, target, changes = [] } = proposal;
  requireUnfrozenChanges(target, outcome.changes);
  const { forget = [], refusal, alarms, sends, intent = decided.intent } = outcome;
  // INVARIANT: other nodes forget keys by the type of the activity alone.
  if (forget.length > 0 && proposal.executor.endsKeys !== true) throw new Error(`${decided.type} ends keys, but does not say so`);
  const ends = tracking(target, decided, 'ACTIVITY_STATUS_COMPLETED', outcome.changes);
  const all = [...changes, ...outcome.changes, ...ends];
  const applied = await runInSlices(applyChangesInSteps(services.vault.integrity, target, all), request.admitted.endSlice);
  const charges = [...messageCharges(services.limits, proposal, outcome.changes), ...(outcome.charges ?? [])];
  const execution = { applied, forget, usedKeys, charges, ...(alarms && { alarms }), ...(sends && { sends }) };
  if (refusal !== undefined) {
    const failure = failureOf(refusal.code, refusal.message);
    const failed: ActivityRecord = { ...decided, status: 'ACTIVITY_STATUS_FAILED', failure };
    // It adds nothing to the counters, so the commit does not store them.
    const record = reading === undefined || reading.usedControls.length === 0 ? failed : withUsage(failed, reading.toStored());
    return { record, ...execution };
  }
  const result = storedResult(definition, outcome.result);
  const changed = toAuditChanges(outcome.changes, withheldParameters(decided));
  const warnings = [...(decided.warnings ?? []), ...(outcome.warnings ?? [])];
  const record: ActivityRecord = {
    ...decided,
    intent,
    status: 'ACTIVITY_STATUS_COMPLETED',
    result,
    ...(changed !== undefined && { changed }),
    ...(warnings.length > 0 && { warnings }),
  };
  return {
    record,
    ...execution,
    ...(result !== outcome.result && { disclosed: outcome.result }),
    ...(reading !== undefined && { usage: { reading, counts: true } }),
  };
}

/**
 * Another process may have deleted a key after this attempt read it. The next attempt then does not find the key.
 * SECURITY: a secret that is missing at the version that the key was read at was removed outside the service.
 */
async function retryIfDeleted({ organizations }: PipelineServices, { id, version }: Snapshot, error: unknown): Promise<Retry> {
  if (!(error instanceof SecretMissing)) throw error;
  const current = await organizations.snapshots.current(id);
  if (current?.version !== version) return new Retry('VERSION_MOVED');
  throw organizations.activities.tampered(id, error.message);
}

/** SECURITY: a token that is as good as a credential is not stored with its activity, because every user can read it there. */
function storedResult({ submitterOnly }: ActivityDefinition, result: unknown): unknown {
  if (submitterOnly.length === 0) return result;
  return { ...(result as object), ...Object.fromEntries(submitterOnly.map((field) => [field, ''])) };
}

const nothing: readonly LocalChange[] = [];

/**
 * The change that updates the organization's list of pending activities when an activity gets a status, by default its own. Empty if the
 * activity is not pending and was not. `made` are the changes of the activity itself: deleting the organization also deletes the list.
 * INVARIANT: an activity is pending exactly as long as the list contains it, with the same number of votes as its row.
 */
function tracking(
  { records }: Snapshot,
  { id, votes, createdAtMs, updatedAtMs, status: own }: ActivityRecord,
  status = own,
  made: readonly Change[] = [],
): readonly LocalChange[] {
  const kind = 'openActivity';
  if (status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') {
    const body = { submitterId: votes[0]?.userId ?? '', votes: votes.length, createdAtMs, updatedAtMs };
    return [{ op: 'putRecord', kind, id, body }];
  }
  const gone = () => made.some((change) => change.op === 'deleteRecord' && change.kind === kind && change.id === id);
  return records.openActivity.has(id) && !gone() ? [{ op: 'deleteRecord', kind, id }] : nothing;
}

/** Whether the organization's list contains a stored pending activity in this state. */
export function isTrackedAs({ records }: Snapshot, { id, tracked, votes }: ActivityRecord): boolean {
  const open = records.openActivity.get(id);
  return open === undefined ? tracked === undefined : open.votes === votes.length;
}

/** Limits the pending activities of a user. The list is kept in memory and shared by all users of the organization. */
function requireRoomToWait({ target }: Proposal, { maxOpenActivities: limit }: Limits, { id, votes }: ActivityRecord): void {
  const open = target.records.openActivity;
  if (open.has(id)) return;
  const submitterId = votes[0]?.userId;
  let waiting = 0;
  for (const other of open.values()) if (other.submitterId === submitterId) waiting++;
  if (waiting >= limit) throw limitExceeded('pending activities of a user', limit, 'maxOpenActivities');
}
