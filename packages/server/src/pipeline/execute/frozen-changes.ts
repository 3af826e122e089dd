import { isSession } from '@countersign/judgement';
import type { Change } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { CallerRefused } from '../errors.ts';

/**
 * Rejects changes of a frozen wallet, its accounts or a frozen private key, and new sessions of a frozen user.
 * INVARIANT: D302: no activity changes them, also if its parameters and its subject do not name them, such as the deletion of a tag.
 * INVARIANT: D377: no sign-in opens a session of a frozen user, with any stamp. The session would act as soon as the user is unfrozen.
 */
export function requireUnfrozenChanges(organization: Snapshot, changes: readonly Change[]): void {
  const { freeze } = organization.records;
  if (freeze.size === 0) return;
  const frozen = changes.flatMap(resourcesOf).find((id) => freeze.has(id));
  if (frozen !== undefined)
    throw new CallerRefused(
      'FROZEN',
      `This would change ${frozen}, which is frozen. Only the root quorum can end this, with unfreeze. list_freezes shows the reason.`,
    );
  // SECURITY: the response to a sign-in can go to a stranger, so it does not contain the reason.
  if (changes.some((change) => freeze.has(holderOfNewSession(organization, change) ?? '')))
    throw new CallerRefused('FROZEN', 'request not authorized: this user is frozen and cannot sign in. Ask a root user.');
}

/** The wallets and private keys that a change is about. */
function resourcesOf(change: Change): readonly string[] {
  if (change.op === 'putResource') return change.parentId === undefined ? [change.id] : [change.id, change.parentId];
  return change.op === 'deleteResource' ? [change.previous.id, change.previous.parentId] : [];
}

/** The user whose session a change opens. A one-time key is no session: with it, the root quorum gives a frozen user a new passkey. */
function holderOfNewSession({ apiKeys }: Snapshot, change: Change): string | undefined {
  if (change.op !== 'putRecord' || change.kind !== 'apiKey' || apiKeys.has(change.id)) return undefined;
  const { userId, restrictedTo } = change.body;
  return isSession(change.body) && restrictedTo === undefined ? userId : undefined;
}
