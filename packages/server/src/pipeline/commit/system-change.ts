import { randomUUID } from 'node:crypto';
import { ServiceError } from '@countersign/contract';
import { systemEntry } from '../../log/entry.ts';
import { headMembers } from '../../log/logged-step.ts';
import { toAuditChanges } from '../../organizations/activities/activity-record.ts';
import { applyChanges } from '../../organizations/snapshot/apply-changes.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import { MAX_ATTEMPTS, pauseBefore } from './retry.ts';

type SystemServices = Pick<PipelineServices, 'organizations' | 'vault' | 'clock' | 'commits'>;

/**
 * Changes an organization without an activity, when the service itself learns a fact: the first use of a mailed key, or a message that
 * cannot be delivered. `changesOf` is called with the stored version, again after a concurrent change. Returns whether anything changed.
 * INVARIANT: this grants no rights. It only ends credentials and push subscriptions, pauses webhook endpoints, and removes counters of
 * limits.
 */
export async function changeAsSystem(
  { organizations: { snapshots }, vault, clock, commits: { committer, epoch } }: SystemServices,
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
      throw new Error('a change without an activity must change the head of the organization');
    const logEntry = systemEntry(
      vault.integrity,
      organizationId,
      { id: randomUUID(), changes: toAuditChanges(changes), timeMs: clock.nowMs() },
      { epoch, ...headMembers(head) },
    );
    const commit = { organizationId, expected: organization.head, head, logEntry, writes };
    const outcome = await snapshots.commit(
      next,
      () => committer.commit(commit),
      ({ taken }) => taken,
    );
    if (outcome.taken) return true;
    if (outcome.reason === 'INVALID') throw new Error(`the store rejected a change without an activity: ${outcome.detail}`);
    snapshots.expire(organizationId);
  }
  throw new ServiceError('CONFLICT', 'The organization changed repeatedly. Nothing was executed; send the same request again.');
}
