import { type ActivityStatus, ServiceError } from '@countersign/contract';
import { toLoggedActivity } from '../log/entry.ts';
import { requireTransition } from '../organizations/activity-status.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { StoreUnavailable } from '../store/store-faults.ts';
import { charge } from './charges.ts';
import type { PipelineServices } from './services.ts';
import type { Settled } from './settle.ts';

/**
 * Makes an activity durable on the organization version that it was judged on.
 * `before` is the stored activity that a vote moves on; undefined for a new one.
 * INVARIANT: only after TAKEN may anything of `settled` be shown; then this process also knows the organization as it is now.
 */
export async function commitActivity(
  { carriedOut, committer, store, vault, snapshots, announce, onActivity, onOutbox, onEvents, onGuessing }: PipelineServices,
  { target, home }: { readonly target: Snapshot; readonly home: Snapshot },
  { record, sealed: { writes, head, next }, forget, charges = [], alarms = [] }: Settled,
  before: { readonly status: ActivityStatus; readonly revision: number } | undefined,
): Promise<'TAKEN' | 'VERSION_MOVED' | 'FINGERPRINT_EXISTS' | 'REVISION_MOVED' | 'USAGE_MOVED'> {
  requireTransition(before?.status ?? 'ACTIVITY_STATUS_CREATED', record.status);
  const revision = before === undefined ? 0 : before.revision + 1;
  const events = await announce(next ?? target, record, revision);
  const entry = {
    organizationId: target.id,
    expected: target.head,
    ...(head && { head }),
    ...toLoggedActivity(vault.integrity, record, revision),
    writes: events.length === 0 ? writes : [...writes, ...events],
    ...(home !== target && { alsoExpect: { organizationId: home.id, ...home.head } }),
  };
  const giveBack = await charge(store.counters, charges, record.updatedAtMs);
  const outcome = await committer.commit(entry).catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new ServiceError(
      'UNAVAILABLE',
      'The database did not confirm the write. Send the very same request again: it is carried out once at the most.',
      { cause: error },
    );
  });
  if (!outcome.taken) {
    await giveBack();
    if (outcome.reason === 'INVALID') throw new Error(`the store refused the commit of ${record.type}: ${outcome.detail}`);
    return outcome.reason;
  }
  if (before === undefined) carriedOut.add(record.fingerprint, record.updatedAtMs);
  if (next !== undefined) snapshots.replace(next);
  for (const id of forget) vault.forget(target.id, id);
  if (writes.some(({ table }) => table === 'outbox')) onOutbox();
  if (events.length > 0) onEvents();
  for (const alarm of alarms) onGuessing(target.id, alarm);
  onActivity(record);
  return 'TAKEN';
}
