import { toLoggedActivity } from '../../log/entry.ts';
import { type ActivityRecord, requireTransition } from '../../organizations/activities/activity-record.ts';
import type { AppliedChanges } from '../../organizations/snapshot/apply-changes.ts';
import type { Write } from '../../store/rows.ts';
import type { Authenticated } from '../authenticate/authenticate.ts';
import type { Committed, Executed } from '../context.ts';
import { charge } from '../execute/daily-quotas.ts';
import type { PipelineServices } from '../services.ts';
import { Retry } from '../stages.ts';
import { commitCounted, type ToCommit } from './commit-usage.ts';
import { quotaOwner } from './quota-owner.ts';

const none: readonly never[] = [];

/**
 * Stage: makes an activity durable on the organization version, and on the counters, that it was authorized with.
 * INVARIANT: nothing of the execution may be shown before this stage succeeds. Then this process also knows the new version.
 */
export async function commitActivity(services: PipelineServices, context: Executed): Promise<Committed | Retry> {
  const { authenticated, execution, stored } = context;
  const { store } = services;
  const { record, charges = none } = execution;
  requireTransition(stored?.status ?? 'ACTIVITY_STATUS_CREATED', record.status);
  const revision = stored === undefined ? 0 : stored.revision + 1;
  const events = await services.notify.webhooks.eventsFor(execution.applied.next ?? authenticated.target, record, revision);
  const toCommit = commitOf(services, authenticated, execution.applied, events, revision);
  const giveBack = charges.length === 0 ? undefined : await charge(store.counters, charges, record.updatedAtMs);
  const { outcome, committed, characters } = await commitCounted(services, execution, toCommit);
  if (!outcome.taken) {
    await giveBack?.();
    if (outcome.reason === 'INVALID') throw new Error(`the store rejected the commit of ${record.type}: ${outcome.detail}`);
    const isConflict = outcome.reason === 'VERSION_MOVED' && execution.applied.head !== undefined;
    return new Retry(isConflict ? 'CHANGE_CONFLICT' : outcome.reason);
  }
  afterCommit(services, context, committed, { characters, hasEvents: events.length > 0 });
  return { ...context, record: committed };
}

/** Publishes a durable commit inside the process: snapshot, replay cache, quotas, notifications. */
function afterCommit(
  services: PipelineServices,
  { authenticated, execution, stored }: Executed,
  committed: ActivityRecord,
  { characters, hasEvents }: { readonly characters: number; readonly hasEvents: boolean },
): void {
  const { target } = authenticated;
  const { applied, forget, alarms = none } = execution;
  const { organizationId, type, status, votes, fingerprint, updatedAtMs } = committed;
  services.admission.storage.add(quotaOwner(services, authenticated, { type, publicKey: votes[0]?.publicKey }), characters);
  if (stored === undefined) services.commits.replayCache.add(target.id, fingerprint, updatedAtMs);
  if (applied.next !== undefined) services.organizations.snapshots.replace(applied.next);
  for (const id of forget) services.vault.forget(target.id, id);
  if (applied.writes.some(({ table }) => table === 'outbox')) services.notify.mail.signal.notify();
  if (hasEvents) services.notify.webhooks.signal.notify();
  for (const alarm of alarms) services.statistics.alarms.guessing(target.id, alarm);
  services.statistics.metrics.activity(type, status);
  services.log.installation.notify();
  services.log.longPoll.notify(organizationId);
  services.notify.webhooks.resumeChanged(committed);
}

/** Builds the commit of a record, with its claims on spending limits. */
function commitOf(
  { vault }: Pick<PipelineServices, 'vault'>,
  { target, home }: Authenticated,
  { writes, head }: AppliedChanges,
  events: readonly Write[],
  revision: number,
): ToCommit {
  return (record, usage) => {
    const { activity, logEntry } = toLoggedActivity(vault.integrity, record, revision);
    return {
      organizationId: target.id,
      expected: target.head,
      activity,
      logEntry,
      writes: events.length === 0 ? writes : [...writes, ...events],
      ...(head !== undefined && { head }),
      ...(home !== target && { alsoExpect: { organizationId: home.id, ...home.head } }),
      ...(usage !== undefined && { usage }),
    };
  };
}
