import { toLoggedActivity } from '../../packages/server/src/log/entry.ts';
import { applyChanges } from '../../packages/server/src/organizations/snapshot/apply-changes.ts';
import type { PipelineServices } from '../../packages/server/src/pipeline/services.ts';
import { seededActivity, seededStep } from '../seeded-activity.ts';
import type { GrowingRecord } from './kinds.ts';
import { recordsOf } from './records.ts';

const BATCH = 2_500;

/** Adds records of one kind to an organization, many in one commit. */
export async function fillWithRecords(
  { vault, store, organizations: { snapshots }, newId, commits: { epoch } }: PipelineServices,
  organizationId: string,
  kind: GrowingRecord,
  count: number,
): Promise<void> {
  for (let created = 0; created < count; created += BATCH) {
    const organization = await snapshots.get(organizationId);
    if (organization === undefined) throw new Error('the organization to fill does not exist');
    const size = Math.min(BATCH, count - created);
    const changes = Array.from({ length: size }, (_, index) => recordsOf(kind, created + index, newId)).flat();
    const { writes, head, next } = applyChanges(vault.integrity, organization, changes);
    if (head === undefined || next === undefined) throw new Error('nothing was sealed');
    const record = seededActivity(organizationId, newId(), 'ACTIVITY_TYPE_CREATE_USERS_V3');
    const logged = toLoggedActivity(vault.integrity, record, 0, seededStep(epoch, head));
    const batch = [{ organizationId, expected: organization.head, head, ...logged, writes }];
    const [outcome] = await snapshots.commit(
      next,
      () => store.commit(batch),
      ([first]) => first?.taken === true,
    );
    if (outcome?.taken !== true) throw new Error(`a batch was refused: ${JSON.stringify(outcome)}`);
  }
}
