import { hash } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import { authorizationOf, type StepAuthorization } from '@countersign/judgement';
import { type LoggedStep, toLoggedActivity } from '../../log/entry.ts';
import { countedUsage, createdHeads, headMembers } from '../../log/logged-step.ts';
import { type ActivityRecord, requireTransition, type VoteRecord } from '../../organizations/activities/activity-record.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { commitSend } from '../../sending/new-send.ts';
import type { Metrics } from '../../statistics/metrics.ts';
import type { Write } from '../../store/rows.ts';
import type { Commit, CommitOutcome } from '../../store/store.ts';
import { StoreUnavailable } from '../../store/store-errors.ts';
import { quotaOwner } from '../authenticate/admit.ts';
import { withUsage } from '../authorize/decision-record.ts';
import type { Authorization, Committed, Executed, Execution } from '../context.ts';
import { charge } from '../execute/daily-quotas.ts';
import type { PipelineServices } from '../services.ts';
import { Retry } from '../stages.ts';
import { pauseBefore } from './retry.ts';
import { storedBytesOf } from './stored-bytes.ts';

const none: readonly never[] = [];

/**
 * Stage: makes an activity durable on the organization version, and on the counters, that it was authorized with.
 * INVARIANT: nothing of the execution may be shown before this stage succeeds. Then this process also knows the new version.
 */
export async function commitActivity(services: PipelineServices, context: Executed): Promise<Committed | Retry> {
  const { request, authenticated, authorization, execution, stored } = context;
  const { store } = services;
  const { record, charges = none } = execution;
  requireTransition(stored?.status ?? 'ACTIVITY_STATUS_CREATED', record.status);
  const revision = stored === undefined ? 0 : stored.revision + 1;
  const events = await services.notify.webhooks.eventsFor(execution.applied.next ?? authenticated.target, record, revision);
  const toCommit = commitOf(services, context, events, revision);
  const giveBack = charges.length === 0 ? undefined : await charge(store.counters, charges, record.updatedAtMs);
  const { outcome, committed, storedBytes } = await services.organizations.snapshots.commit(
    execution.applied.next,
    () => commitCounted(services, execution, toCommit),
    (counted) => counted.outcome.taken,
  );
  if (!outcome.taken) {
    await giveBack?.();
    if (outcome.reason === 'INVALID') throw new Error(`the store rejected the commit of ${record.type}: ${outcome.detail}`);
    if (outcome.reason === 'KEY_MOVED') services.vault.renewDataKey(authenticated.target.id);
    // SECURITY: D651: the organization changed since the decision. If the key was frozen or deleted, this execution has loaded it again.
    if (outcome.reason === 'VERSION_MOVED')
      for (const id of execution.usedKeys ?? none) services.vault.forget(authenticated.target.id, id);
    const isConflict = outcome.reason === 'VERSION_MOVED' && execution.applied.head !== undefined;
    return new Retry(isConflict ? 'CHANGE_CONFLICT' : outcome.reason);
  }
  afterCommit(services, context, committed, { storedBytes, hasEvents: events.length > 0 });
  return { request, authenticated, stored, authorization, execution, record: committed };
}

/** Publishes a durable commit inside the process: replay cache, quotas, notifications. */
function afterCommit(
  services: PipelineServices,
  { request, authenticated, execution, stored }: Executed,
  committed: ActivityRecord,
  { storedBytes, hasEvents }: { readonly storedBytes: number; readonly hasEvents: boolean },
): void {
  const { target } = authenticated;
  const { applied, forget, alarms = none } = execution;
  const { organizationId, type, status, votes, fingerprint, updatedAtMs } = committed;
  services.admission.storage.add(quotaOwner(services, authenticated, { type, publicKey: votes[0]?.publicKey }), storedBytes);
  if (stored === undefined) services.commits.replayCache.add(target.id, fingerprint, updatedAtMs);
  for (const id of forget) services.vault.forget(target.id, id);
  if (applied.writes.some(({ table }) => table === 'outbox')) services.notify.mail.signal.notify();
  if (hasEvents) services.notify.webhooks.signal.notify();
  if (execution.sends !== undefined) services.sending.signal.notify();
  for (const alarm of alarms) services.statistics.alarms.guessing(target.id, alarm);
  services.statistics.metrics.activity(type, status);
  if (applied.next !== undefined) {
    countFreezes(services.statistics.metrics, target, applied.next);
    // A session that a vote opened is not the voter's.
    const client = stored === undefined ? request.stamped : undefined;
    services.statistics.sessions.changed(target, applied.next, applied.writes, client);
  }
  services.log.installation.notify();
  services.log.longPoll.notify(organizationId);
  services.notify.webhooks.resumeChanged(committed);
}

function countFreezes({ freeze: count }: Pick<Metrics, 'freeze'>, before: Snapshot, after: Snapshot): void {
  const [earlier, later] = [before.records.freeze, after.records.freeze];
  if (earlier === later) return;
  for (const [id, { target }] of later) if (!earlier.has(id)) count(target, 'frozen');
  for (const [id, { target }] of earlier) if (!later.has(id)) count(target, 'unfrozen');
}

/** Builds the commit of a record, with its claims on spending limits. */
function commitOf(
  { vault, commits: { epoch } }: Pick<PipelineServices, 'vault' | 'commits'>,
  { authenticated, authorization, execution }: Executed,
  events: readonly Write[],
  revision: number,
): ToCommit {
  const { target, home } = authenticated;
  const { applied, sends } = execution;
  const { head } = applied;
  const { integrity } = vault;
  const sent = sends?.map((send) => commitSend(integrity, send, execution.record));
  const writes = sent === undefined ? applied.writes : [...applied.writes, ...sent.flatMap((each) => each.writes)];
  const { credentialKind, text } = authorizationBy(home, authorization, execution.record.votes.at(-1));
  const { headVersion, headDigest } = headMembers(head ?? target.head);
  const step: LoggedStep = {
    epoch,
    judgedBy: home === target ? undefined : home.id,
    credentialKind,
    authorizationDigest: hash('sha256', text),
    headVersion,
    headDigest,
    created: createdHeads(writes),
    usage: sent?.flatMap(({ keys }) => keys) ?? none,
  };
  return (record, usage) => {
    const counted = usage === undefined ? step : { ...step, usage: [...countedUsage(integrity, usage), ...(step.usage ?? none)] };
    const { activity, logEntry } = toLoggedActivity(integrity, record, revision, counted);
    return {
      organizationId: target.id,
      expected: target.head,
      activity,
      logEntry,
      writes: events.length === 0 ? writes : [...writes, ...events],
      ...(head !== undefined && { head }),
      ...(home !== target && { alsoExpect: { organizationId: home.id, ...home.head } }),
      ...(usage !== undefined && { usage }),
      ...(sent !== undefined && { accounts: sent.map(({ claim }) => claim) }),
    };
  };
}

/** Who authorized a step, and how. */
function authorizationBy(
  organization: Snapshot,
  authorization: Authorization | undefined,
  vote: VoteRecord | undefined,
): StepAuthorization {
  const decided = authorization && { outcome: authorization.decision.outcome, judgement: authorization.judgement };
  const described = vote && authorizationOf({ organization, vote, decided });
  if (described === undefined) throw new Error('the last vote of an activity was not cast with a credential of its organization');
  return described;
}

/** Builds the commit of a record, with its claims on spending limits. */
export type ToCommit = (record: ActivityRecord, usage?: Commit['usage']) => Commit;

export interface CountedCommit {
  readonly outcome: CommitOutcome;
  /** The record to store, with the counters of spending limits. */
  readonly committed: ActivityRecord;
  /** Size of the commit, for the storage quota. */
  readonly storedBytes: number;
}

type CountingServices = Pick<PipelineServices, 'usage' | 'commits'>;
type Usage = NonNullable<Execution['usage']>;

/** Maximum commits of the same signed activity after concurrent changes of counters, before it is authorized again. */
const MAX_CLAIMS = 20;

/** Commits, and adds to the counters of spending limits if any apply. */
async function commitCounted(
  services: CountingServices,
  { record, usage }: Execution,
  toCommit: ToCommit,
): Promise<CountedCommit> {
  if (usage !== undefined) return commitUsage(services, record, usage, toCommit);
  const commit = toCommit(record);
  try {
    return { outcome: await services.commits.committer.commit(commit), committed: record, storedBytes: storedBytesOf(commit) };
  } catch (error) {
    throw unconfirmed(error);
  }
}

/**
 * After a concurrent change of a counter, commits the same signed activity again with the new sums, as long as every limit has the value
 * that the decision read. Nodes that conflict take a lease.
 */
async function commitUsage(
  services: CountingServices,
  record: ActivityRecord,
  usage: Usage,
  toCommit: ToCommit,
): Promise<CountedCommit> {
  const { service, leases } = services.usage;
  const { reading } = usage;
  const owner = reading.usedBuckets[0]?.key.organizationId ?? record.organizationId;
  const once = () => commitClaim(services, record, usage, toCommit);
  for (let attempt = 0; attempt < MAX_CLAIMS; attempt++) {
    const leased = (lease: object) => service.refresh(reading, lease).then(once);
    const result = await (leases.isContended(owner) ? leases.take(owner, leased) : once());
    if (result === undefined) break;
    if (result.outcome.taken || result.outcome.reason !== 'USAGE_MOVED') return result;
    leases.lost(owner);
    await pauseBefore(attempt);
    await service.renew(reading);
  }
  return { outcome: { taken: false, reason: 'USAGE_MOVED' }, committed: record, storedBytes: 0 };
}

/**
 * Returns undefined if a limit has another value now, so that the activity has to be authorized again.
 * INVARIANT: nothing is awaited from the claim to the committer, so claims reach the store in the order in which they were made.
 */
async function commitClaim(
  { usage: { service }, commits: { committer } }: CountingServices,
  record: ActivityRecord,
  { reading, counts }: Usage,
  toCommit: ToCommit,
): Promise<CountedCommit | undefined> {
  const claim = service.claim(reading, { organizationId: record.organizationId, activityId: record.id, counts });
  if (claim === undefined) return undefined;
  const committed = withUsage(record, claim.storedUsage);
  try {
    const commit = toCommit(committed, claim.claims);
    const outcome = await committer.commit(commit);
    if (outcome.taken) claim.committed();
    else claim.lost(outcome.reason === 'USAGE_MOVED');
    return { outcome, committed, storedBytes: storedBytesOf(commit) };
  } catch (error) {
    claim.lost(true);
    throw unconfirmed(error);
  }
}

/** The error of a commit that the database did not confirm. */
function unconfirmed(error: unknown): unknown {
  if (!(error instanceof StoreUnavailable)) return error;
  return new ServiceError(
    'UNAVAILABLE',
    'The database did not confirm the write. Send the same request again: it is executed at most once.',
    { cause: error },
  );
}
