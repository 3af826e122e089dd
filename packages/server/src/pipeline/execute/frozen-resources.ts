import type { Change } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { CallerRefused } from '../errors.ts';

/**
 * Rejects changes of a frozen wallet, its accounts or a frozen private key.
 * INVARIANT: D302: no activity changes them, also if its parameters and its subject do not name them, such as the deletion of a tag.
 */
export function requireUnfrozenResources({ records: { freeze } }: Snapshot, changes: readonly Change[]): void {
  if (freeze.size === 0) return;
  const frozen = changes.flatMap(resourcesOf).find((id) => freeze.has(id));
  if (frozen === undefined) return;
  throw new CallerRefused(
    'FROZEN',
    `This would change ${frozen}, which is frozen. Only the root quorum can end this, with unfreeze. list_freezes shows the reason.`,
  );
}

/** The wallets and private keys that a change is about. */
function resourcesOf(change: Change): readonly string[] {
  if (change.op === 'putResource') return change.parentId === undefined ? [change.id] : [change.id, change.parentId];
  return change.op === 'deleteResource' ? [change.previous.id, change.previous.parentId] : [];
}
