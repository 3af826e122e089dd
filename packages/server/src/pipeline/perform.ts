import { type ActivityDefinition, type ActivityVersion, type ErrorCode, errorCodes, ServiceError } from '@countersign/contract';
import type { Decision, Explanation } from '@countersign/policy';
import type { UsedCredential } from '../auth/ip-allowlist.ts';
import type { LocalChange } from '../organizations/changes.ts';
import { type Sealed, seal } from '../organizations/seal.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { showDecision } from '../policies/show-decision.ts';
import type { ActivityFailure, ActivityRecord, DecisionRecord, VoteRecord } from './activity-record.ts';
import type { Judgement } from './authorize.ts';
import type { Executor, Outcome, Plan } from './executor.ts';
import type { Identities } from './identities.ts';
import type { PipelineServices } from './services.ts';

/** An activity to carry out as far as its votes reach. */
export interface Performance {
  readonly definition: ActivityDefinition;
  readonly version: ActivityVersion;
  /** The parameters in their current form. */
  readonly params: unknown;
  readonly target: Snapshot;
  /** The organization whose users and policies judge it: the target, or its parent. */
  readonly home: Snapshot;
  readonly votes: readonly VoteRecord[];
  readonly nowMs: number;
  readonly identities: Identities;
  /** As executors see it. */
  readonly requester?: UsedCredential;
  /** What the vote itself changes, whatever becomes of the activity. */
  readonly changes?: readonly LocalChange[];
}

/** An activity whose intent was made and judged. */
export interface Judged {
  readonly plan: Plan<unknown, unknown>;
  readonly decision: Decision;
  readonly judgement: Judgement;
}

/** What carrying out an activity led to; nothing of it is durable yet. */
export interface Performed {
  readonly record: ActivityRecord;
  readonly sealed: Sealed;
  readonly forget: readonly string[];
  /** The result as the answer to the submitter shows it, where the record keeps less. */
  readonly disclosed?: unknown;
}

export function executorOf({ executors }: PipelineServices, { name }: ActivityDefinition): Executor<ActivityDefinition> {
  return executors[name as keyof typeof executors] as unknown as Executor<ActivityDefinition>;
}

/** Plans and judges, read-only. The submitter is who cast the first vote. Throws where approvals would come too late. */
export async function judge(services: PipelineServices, performance: Performance): Promise<Judged> {
  const { definition, version, params, home, votes, nowMs } = performance;
  const plan = await executorOf(services, definition).plan(planContext(services, performance), params);
  const judgement: Judgement = {
    organization: home,
    votes,
    definition,
    type: version.type,
    params,
    subject: plan.subject,
    nowMs,
  };
  const decision = byOneTimeKey(judgement) ?? services.authorize.decide(judgement);
  requireAtOnce(definition, decision);
  return { plan, decision, judgement };
}

/** Refuses to wait for approvals where nobody would get the result: the submitter's answer has left by then. */
function requireAtOnce({ submitterOnly }: ActivityDefinition, { outcome }: Decision): void {
  if (submitterOnly.length === 0 || outcome !== 'NEEDS_CONSENSUS') return;
  throw new ServiceError(
    'POLICY_DENIED',
    'request not authorized: the result is for the submitter alone, in the answer to this very request, so the approval of others cannot be waited for. Have a policy created that allows it to this user alone, or send it as a user who needs no approval.',
  );
}

/**
 * The decision where the activity was submitted with a one-time key: yes for the one object it was made for, else no.
 * SECURITY: such a key never counts as an approval, be its user a root user or not.
 */
function byOneTimeKey({ organization, votes, definition, subject }: Judgement): Decision | undefined {
  const keyId = organization.apiKeyByPublicKey.get(votes[0]?.publicKey ?? '');
  const restriction = keyId === undefined ? undefined : organization.apiKeys.get(keyId)?.restrictedTo;
  if (restriction === undefined) return undefined;
  const fits = restriction.activity === definition.name && restriction.subjectId === subject.oneTimeSubjectId;
  const base = { policyIds: [], evaluations: [] };
  return fits ? { outcome: 'ALLOW', by: 'SELF_SERVICE', ...base } : { outcome: 'DENY', by: 'IMPLICIT', ...base };
}

/** Carries a judged activity out where it is allowed, and gives the record that follows from the decision. */
export async function settle(
  services: PipelineServices,
  performance: Performance,
  judged: Judged,
  base: ActivityRecord,
): Promise<Performed> {
  const { plan, decision } = judged;
  const { definition, target, changes = [] } = performance;
  const { vault, newId } = services;
  const unperformed = () => ({ sealed: seal(vault.integrity, target, changes), forget: [] });
  const open = decided(services, performance, judged, base);
  if (decision.outcome === 'NEEDS_CONSENSUS')
    return { record: { ...open, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' }, ...unperformed() };
  if (decision.outcome === 'DENY') {
    const failure = failureOf('POLICY_DENIED', denial(decision));
    return { record: { ...open, status: 'ACTIVITY_STATUS_FAILED', failure }, ...unperformed() };
  }
  const outcome: Outcome<unknown> = await executorOf(services, definition).run(
    { ...planContext(services, performance), vault, newId },
    plan,
  );
  const sealed = seal(vault.integrity, target, [...changes, ...outcome.changes]);
  const forget = outcome.forget ?? [];
  if (outcome.refusal !== undefined) {
    const { code, message } = outcome.refusal;
    return { record: { ...open, status: 'ACTIVITY_STATUS_FAILED', failure: failureOf(code, message) }, sealed, forget };
  }
  const warnings = outcome.warnings?.length ? { warnings: outcome.warnings } : {};
  const result = kept(definition, outcome.result);
  const record = { ...open, status: 'ACTIVITY_STATUS_COMPLETED' as const, result, ...warnings };
  return { record, sealed, forget, ...(result !== outcome.result && { disclosed: outcome.result }) };
}

/** SECURITY: a token that is as good as a credential is not kept with its activity, where every user can look. */
function kept({ submitterOnly }: ActivityDefinition, result: unknown): unknown {
  if (submitterOnly.length === 0) return result;
  return { ...(result as object), ...Object.fromEntries(submitterOnly.map((field) => [field, ''])) };
}

/** The record as its submitter sees it, this once. */
export function withDisclosed({ record, disclosed }: Performed): ActivityRecord {
  return disclosed === undefined ? record : { ...record, result: disclosed };
}

/** The record with its votes and the decision on them, before anything follows from it. */
export function decided(
  services: PipelineServices,
  { votes, nowMs }: Performance,
  { plan, decision, judgement }: Judged,
  base: ActivityRecord,
): ActivityRecord {
  const { parsed } = plan.subject;
  return {
    ...base,
    intent: plan.intent,
    ...(parsed && { parsed: { description: parsed.description, fullyParsed: parsed.fullyParsed, unparsed: parsed.unparsed } }),
    votes,
    decisions: [...base.decisions, decisionRecord(services, judgement, decision)],
    updatedAtMs: nowMs,
  };
}

function failureOf(errorCode: ErrorCode, message: string): ActivityFailure {
  return { code: errorCodes[errorCode].grpc, errorCode, message, details: [] };
}

function planContext({ resources, config, reachable }: PipelineServices, performance: Performance) {
  const { target, votes, nowMs, identities, requester } = performance;
  const submitter = votes[0];
  if (submitter === undefined) throw new Error('an activity without a vote cannot be carried out');
  const who = { submitterId: submitter.userId, byParent: performance.home.id !== target.id };
  const base = { organization: target, ...who, resources, limits: config, identities, reachable, nowMs };
  return requester === undefined ? base : { ...base, requester };
}

/** What is kept of a decision: for an ALLOW the explanation of the policies that were asked, for any other of all that came near. */
function decisionRecord({ authorize }: PipelineServices, judgement: Judgement, decision: Decision): DecisionRecord {
  const base = { voteId: judgement.votes.at(-1)?.id ?? '', createdAtMs: judgement.nowMs, ...showDecision(decision) };
  const asked = decision.evaluations.map(({ policyId }) => policyId);
  if (decision.outcome !== 'ALLOW') return { ...base, explanation: relevant(authorize.explain(judgement), decision, asked) };
  return asked.length === 0 ? base : { ...base, explanation: authorize.explain(judgement, asked) };
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

function denial(decision: Decision & { outcome: 'DENY' }): string {
  switch (decision.by) {
    case 'POLICY':
      return `policy engine denied request explicitly: policy ${decision.policyIds.join(', ')} denies it. 'countersign explain' shows why.`;
    case 'ROOT_QUORUM_ONLY':
      return 'request not authorized: only the root quorum may do this. Ask a root user.';
    case 'IMPLICIT':
      return "request not authorized: no policy allows it, and the root quorum did not approve. Ask a root user, or have a policy created; 'countersign explain' shows what was missing.";
  }
}

/** A refused attempt that is kept as an activity is answered as an error that names it, however often it is repeated. */
export function throwIfRefused({ status, failure, id }: ActivityRecord): void {
  if (status !== 'ACTIVITY_STATUS_FAILED' || failure?.errorCode === undefined) return;
  throw new ServiceError(failure.errorCode, failure.message, { activityId: id });
}
