import type { ServiceError } from '@countersign/contract';
import { LRUCache } from 'lru-cache';
import type { ActivityReader } from '../organizations/activities.ts';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import { markFits } from '../organizations/archived.ts';
import type { Store } from '../store/store.ts';
import type { BucketKey } from '../store/usage-store.ts';
import type { Integrity } from '../vault/vault.ts';
import { namedActivity, type Point } from './point.ts';

/** Activities, and leaves of the log, that are looked at. */
const PAGE = 100;
/** How long what they say is taken for new buckets of the same organization. */
const FRESH_MS = 2_000;

type FirstUseStore = Pick<Store, 'activities' | 'archive' | 'log'>;

/** Checks a bucket that this process sees for the first time against activities and the log. */
export interface FirstUse {
  /** The newest revision of each bucket that the newest activities of an organization speak of. Ask before the points are read. */
  spokenOf(organizationId: string): Promise<ReadonlyMap<string, number>>;
  /** Throws unless the newest point is one that its activity says it counted. */
  requireCounted(point: Point): Promise<void>;
}

/**
 * SECURITY: a point has a MAC, and so had the points before it: whoever removes the newest ones leaves a bucket that verifies. But each
 * was committed with an activity that tells its revision, and with an entry of the log. To hide the removal, those have to go as well, and
 * that shows: by the leaves here, or by the log's anchor and witnesses.
 */
export function createFirstUse(
  { activities: store, archive, log }: FirstUseStore,
  integrity: Integrity,
  activities: ActivityReader,
  tampered: (organizationId: string, what: string) => ServiceError,
): FirstUse {
  const known = new LRUCache<string, Promise<ReadonlyMap<string, number>>>({ max: 1_000, ttl: FRESH_MS });

  async function isKept(organizationId: string, id: string): Promise<boolean> {
    if ((await store.get(organizationId, id)) !== undefined) return true;
    const mark = await archive.get(organizationId, id);
    return mark !== undefined && markFits(integrity, mark);
  }

  async function readNewest(organizationId: string): Promise<ReadonlyMap<string, number>> {
    const [head] = await log.heads([organizationId]);
    const leaves = head === undefined ? [] : await log.leavesOf(organizationId, Math.max(1, head.sequence - PAGE + 1), PAGE);
    const page = await activities.page(organizationId, {}, { limit: PAGE });
    const ids = new Set(page.map(({ id }) => id));
    for (const activityId of new Set(leaves.map((leaf) => leaf.activityId))) {
      if (ids.has(activityId) || (await isKept(organizationId, activityId))) continue;
      throw tampered(organizationId, `the activity ${activityId} is in the log and its row is gone`);
    }
    const revisions = new Map<string, number>();
    for (const record of page)
      for (const [bucket, revision] of countedBy(record)) revisions.set(bucket, Math.max(revision, revisions.get(bucket) ?? 0));
    return revisions;
  }

  return {
    spokenOf(organizationId) {
      const fresh = known.get(organizationId);
      if (fresh !== undefined) return fresh;
      const reading = readNewest(organizationId);
      known.set(organizationId, reading);
      reading.catch(() => known.delete(organizationId));
      return reading;
    },

    async requireCounted(point) {
      const named = namedActivity(point);
      const record = await activities.get(named.organizationId, named.id);
      if (record === undefined) {
        if (await isKept(named.organizationId, named.id)) return;
        throw tampered(point.organizationId, `the activity ${named.id}, which usage names, is gone`);
      }
      if (countedBy(record).get(point.bucket) === point.revision) return;
      throw tampered(
        point.organizationId,
        `usage was exchanged: the activity ${named.id} did not count as it says (${describe(point)})`,
      );
    },
  };
}

/** The revisions of the points that an activity has added, by bucket. */
function countedBy({ status, decisions }: ActivityRecord): ReadonlyMap<string, number> {
  if (status !== 'ACTIVITY_STATUS_COMPLETED') return new Map();
  const usage = decisions.at(-1)?.usage ?? [];
  return new Map(usage.flatMap(({ bucket, counted }) => (counted === undefined ? [] : [[bucket, counted.revision] as const])));
}

/** How messages name a point. */
export function describe({ bucket, revision }: BucketKey & { readonly revision: number }): string {
  return `bucket ${bucket}, revision ${revision}`;
}
