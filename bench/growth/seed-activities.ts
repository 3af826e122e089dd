import { setTimeout as sleep } from 'node:timers/promises';
import { toLoggedActivity } from '../../packages/server/src/log/entry.ts';
import type { PipelineServices } from '../../packages/server/src/pipeline/services.ts';
import { countNext } from '../../packages/server/src/statistics/count-activities.ts';
import { seededStep } from '../seeded-activity.ts';
import { pastOf, RARELY_FAILED, type Templates, USUAL } from './past.ts';

const BATCH = 2_500;
/** How long the log may stand still while entries wait for it. */
const PATIENCE_MS = 30_000;
const POLL_MS = 100;

type Services = Pick<PipelineServices, 'vault' | 'store' | 'organizations' | 'newId' | 'commits'>;

/**
 * Gives an organization a past of finished activities, many in one commit, and waits until the running server has entered all of them
 * into its log. The organization needs an activity of each type to copy.
 */
export async function fillWithActivities(
  services: Services,
  organizationId: string,
  count: number,
  isRecent = false,
): Promise<void> {
  const {
    vault,
    store,
    organizations,
    newId,
    commits: { epoch },
  } = services;
  const organization = await organizations.snapshots.get(organizationId);
  if (organization === undefined) throw new Error('the organization to fill does not exist');
  const past = pastOf(await templatesOf(services, organizationId), count, newId, isRecent);
  for (let created = 0; created < count; created += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - created) }, (_, index) => ({
      organizationId,
      expected: organization.head,
      ...toLoggedActivity(vault.integrity, past(created + index), 0, seededStep(epoch, organization.head)),
      writes: [],
    }));
    const refused = (await store.commit(batch)).find(({ taken }) => !taken);
    if (refused !== undefined) throw new Error(`an activity was refused: ${JSON.stringify(refused)}`);
  }
  await untilLogged(store);
  // The server counts in the background too, and would still do so while it is measured.
  while (await countNext(store));
}

async function templatesOf({ organizations: { activities } }: Services, organizationId: string): Promise<Templates> {
  const newest = async (type: string) => {
    for await (const [record] of activities.pageParts(organizationId, { types: [type] }, { limit: 1 })) {
      if (record !== undefined) return record;
    }
    throw new Error(`the organization has no ${type} to copy`);
  };
  return { usual: await newest(USUAL), rare: await newest(RARELY_FAILED) };
}

async function untilLogged({ log }: Services['store']): Promise<void> {
  let [size, movedAt] = [0, performance.now()];
  while ((await log.queued(1)).length > 0) {
    const now = (await log.state())?.size ?? 0;
    if (now > size) [size, movedAt] = [now, performance.now()];
    if (performance.now() - movedAt > PATIENCE_MS)
      throw new Error(`activities wait for the log, and it has ${size} leaves for ${PATIENCE_MS / 1000} seconds now`);
    await sleep(POLL_MS);
  }
}
