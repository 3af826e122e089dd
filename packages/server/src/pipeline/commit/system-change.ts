import { ServiceError } from '@countersign/contract';
import { applyChanges } from '../../organizations/apply-changes.ts';
import type { LocalChange } from '../../organizations/changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import { MAX_ATTEMPTS, pauseBefore } from './retry.ts';

/**
 * Changes an organization without an activity: for what follows from facts that the service itself learns, such as the first use of a key
 * that came by mail, or a message that nobody takes. `changesOf` is asked on the stored version, again where that has moved; nothing is
 * written where it has nothing to change. Gives whether something was changed.
 * INVARIANT: nobody's rights grow this way. It can end credentials and push subscriptions, and forget what was kept for
 * limits, and no more.
 */
export async function amend(
  { snapshots, vault, committer }: Pick<PipelineServices, 'snapshots' | 'vault' | 'committer'>,
  organizationId: string,
  changesOf: (organization: Snapshot) => readonly LocalChange[],
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    await pauseBefore(attempt);
    const organization = await snapshots.current(organizationId);
    const changes = organization === undefined ? [] : changesOf(organization);
    if (organization === undefined || changes.length === 0) return false;
    const { head, next, writes } = applyChanges(vault.integrity, organization, changes);
    if (head === undefined || next === undefined)
      throw new Error('a change that moves no head cannot be made without an activity');
    const outcome = await committer.commit({ organizationId, expected: organization.head, head, writes });
    if (outcome.taken) {
      snapshots.replace(next);
      return true;
    }
    if (outcome.reason === 'INVALID') throw new Error(`the store refused a change without an activity: ${outcome.detail}`);
    snapshots.drop(organizationId);
  }
  throw new ServiceError('CONFLICT', 'The organization kept changing. Nothing was done; send the same request again.');
}
