import { CURRENT_RULES, inheritedLimits } from '@countersign/judgement';
import { effectiveLimits } from '../../config/limits.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { readParameters } from '../../wire/read-parameters.ts';
import { denySubmitted } from '../authorize/authorize.ts';
import type { Planned, Prepared, Proposal, Proposed } from '../context.ts';
import type { SubmitRequest } from '../request.ts';
import type { PipelineServices } from '../services.ts';
import { requesterOf, toVote, usageChange } from '../vote/vote-record.ts';
import type { Identities, Plan, PlanContext } from './executor.ts';
import { identitiesIn, noIdentities } from './prepare.ts';

/**
 * Stage: an activity with its submitter's vote, on the version of the organization that the caller was authenticated against.
 * SECURITY: D160: checks for an early denial in every attempt, because rights change.
 */
export async function proposeActivity(services: PipelineServices, prepared: Prepared): Promise<Proposed> {
  const { request, authenticated, executor } = prepared;
  const { caller, target, home } = authenticated;
  const { definition, version, bodyText, stamped } = request;
  const nowMs = services.clock.nowMs();
  const votes = [toVote(request, caller, 'VOTE_SELECTION_APPROVED', services.newId(), nowMs)];
  const earlyDenial = denySubmitted({ definition, version, home, target, votes }, bodyText.length);
  const { params, identities } = await readLate(services, prepared, earlyDenial !== undefined);
  const requester = requesterOf(caller, stamped);
  const changes = usageChange(caller, nowMs);
  const isUnchecked =
    (executor.contextChange !== undefined || executor.requirePossible !== undefined) && prepared.isChecked !== true;
  return {
    request,
    authenticated,
    proposal: {
      ...{ definition, version, executor, params, target, home, votes, nowMs, identities, requester, changes, isUnchecked },
      chain: prepared.chain,
      refusal: prepared.refusal,
    },
    record: newRecord(request, services.newId(), home, prepared, nowMs),
    stored: undefined,
    earlyDenial,
  };
}

/** Parameters that were skipped for an early denial are read if the request is no longer denied. */
async function readLate(
  services: PipelineServices,
  { request, executor, params, identities }: Prepared,
  isDenied: boolean,
): Promise<{ readonly params: unknown; readonly identities: Identities }> {
  if (params !== undefined || isDenied) return { params, identities: identities ?? noIdentities };
  const read = readParameters(request.reader, request.parameters);
  return { params: read, identities: await identitiesIn(services, executor, read) };
}

function newRecord(
  { organizationId, version, fingerprint, timestampMs }: SubmitRequest,
  id: string,
  home: Snapshot,
  { warnings, warnedOn }: Pick<Prepared, 'warnings' | 'warnedOn'>,
  nowMs: number,
): ActivityRecord {
  return {
    id,
    organizationId,
    type: version.type,
    status: 'ACTIVITY_STATUS_CREATED',
    fingerprint,
    timestampMs,
    intent: null,
    result: null,
    failure: null,
    tracked: true,
    votes: [],
    decisions: [],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    ...(home.id !== organizationId && { judgedBy: home.id }),
    ...(warnings.length > 0 && { warnings, ...(warnedOn && { warnedOn }) }),
  };
}

type PlanServices = Pick<PipelineServices, 'auth' | 'limits' | 'organizations' | 'notify' | 'sending' | 'store' | 'vault'>;

/** Stage: resolves names and parses transactions, read-only. The plan holds the intent that policies authorize and approvers see. */
export async function planActivity(services: PipelineServices, context: Proposed): Promise<Planned> {
  const { request, authenticated, proposal, record, stored, earlyDenial } = context;
  const planContext = earlyDenial === undefined ? planContextOf(services, proposal) : undefined;
  const plan = planContext === undefined ? emptyPlan() : await proposal.executor.plan(planContext, proposal.params);
  return { request, authenticated, proposal, record, stored, earlyDenial, plan, planContext };
}

/**
 * The plan of an activity that is denied early.
 * SECURITY: D173: each plan has a separate subject. Caches key by subject, and their entries are collected with the request.
 */
export function emptyPlan(): Plan<unknown, unknown> {
  return { intent: null, subject: {}, prepared: undefined };
}

/** The context for the executor of a proposal. */
export function planContextOf(services: PlanServices, proposal: Proposal): PlanContext {
  const { auth, limits, organizations, notify, sending, store, vault } = services;
  const { target, home, definition, version, params, votes, nowMs, identities, requester, chain, planned } = proposal;
  const submitter = votes[0];
  if (submitter === undefined) throw new Error('an activity without a vote cannot be executed');
  const { userId: submitterId, publicKey: stampedWith, credentialId: submittedWith } = submitter;
  const { parentId } = target.profile;
  const byParent = home.id !== target.id;
  return {
    organization: target,
    submitterId,
    stampedWith,
    submittedWith,
    byParent,
    signInKey: () => vault.service.signInKey(target.id),
    inheritedBy: (userId) =>
      inheritedLimits({ rules: CURRENT_RULES, organization: home, definition, type: version.type, params, votes, nowMs }, userId),
    parent: async () => (byParent ? home : parentId === null ? undefined : organizations.snapshots.current(parentId)),
    resources: organizations.resources,
    counters: store.counters,
    limits: effectiveLimits(target, limits),
    identities,
    requester,
    oauth2: auth.oauth2,
    webhookEgress: notify.webhooks.egress,
    pushEgress: notify.push.egress,
    sending: sending.forTenant(target.profile.parentId ?? target.id),
    chain,
    planned,
    nowMs,
  };
}
