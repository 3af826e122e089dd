import { ServiceError } from '@countersign/contract';
import type { Snapshot } from '../organizations/snapshot.ts';
import { StoreUnavailable } from '../store/store.ts';
import { toActivityRow } from './activity-record.ts';
import type { Performed } from './perform.ts';
import type { PipelineServices } from './services.ts';

/**
 * Makes an activity durable on the organization version that it was judged on.
 * INVARIANT: only after TAKEN may anything of `performed` be shown; then this process also knows the organization as it is now.
 */
export async function commitActivity(
  { committer, vault, snapshots, announce, onActivity, onOutbox, onEvents }: PipelineServices,
  { target, home }: { readonly target: Snapshot; readonly home: Snapshot },
  { record, sealed: { writes, head, next }, forget }: Performed,
  revision: number,
): Promise<'TAKEN' | 'VERSION_MOVED' | 'FINGERPRINT_EXISTS' | 'REVISION_MOVED'> {
  const events = await announce(next ?? target, record, revision);
  const entry = {
    organizationId: target.id,
    expectedVersion: target.version,
    ...(head && { head }),
    activity: toActivityRow(vault.integrity, record, revision),
    writes: events.length === 0 ? writes : [...writes, ...events],
    ...(home !== target && { alsoExpect: { organizationId: home.id, version: home.version } }),
  };
  const outcome = await committer.commit(entry).catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new ServiceError(
      'UNAVAILABLE',
      'The database did not confirm the write. Send the very same request again: it is carried out once at the most.',
      { cause: error },
    );
  });
  if (!outcome.taken) {
    if (outcome.reason === 'INVALID') throw new Error(`the store refused the commit of ${record.type}: ${outcome.detail}`);
    return outcome.reason;
  }
  if (next !== undefined) snapshots.replace(next);
  for (const id of forget) vault.forget(target.id, id);
  if (writes.some(({ table }) => table === 'outbox')) onOutbox();
  if (events.length > 0) onEvents();
  onActivity(record);
  return 'TAKEN';
}
