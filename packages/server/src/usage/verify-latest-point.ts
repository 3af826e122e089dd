import type { ServiceError } from '@countersign/contract';
import { parseDecimal } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import type { ActivityReader } from '../organizations/activities/activities.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import { markFits } from '../organizations/activities/archived.ts';
import type { Store } from '../store/store.ts';
import type { BucketKey } from '../store/usage-store.ts';
import type { Integrity } from '../vault/vault.ts';
import { namedActivity, type Point } from './usage-entry.ts';

/** Leaves of the log to check. */
const LEAVES = 100;
/**
 * Maximum number of the newest activities to read. Only completed activities count.
 * SECURITY: D174: anyone can send many requests that are denied.
 */
const MAX_ACTIVITIES = 1_000;
/** How long the result is reused for new buckets of the same organization. */
const FRESH_MS = 2_000;
/** Maximum number of cached buckets, per organization and in total: at most 20 MB. */
const MAX_SPOKEN = 10_000;
const MAX_SPOKEN_IN_ALL = 100_000;

type FirstUseStore = Pick<Store, 'archive' | 'log'>;

/** Checks a bucket that this process sees for the first time against activities and the log. */
export interface PointVerifier {
  /** The newest revision of each bucket according to the newest activities of an organization. Call it before reading the points. */
  latestRevisions(organizationId: string): Promise<ReadonlyMap<string, number>>;
  /** Throws unless the activity that the newest point names has recorded that point. */
  requireCounted(point: Point): Promise<void>;
}

/** The revisions found in the activities of an organization. */
interface Spoken {
  readonly revisions: Map<string, number>;
  /** The newest activity and the last leaf that were checked. */
  readonly newestId: string;
  readonly sequence: number;
}

/**
 * SECURITY: every point has a valid MAC, so an attacker who removes the newest points leaves a bucket that verifies. But each point was
 * committed together with a log entry and an activity that records its revision. To hide the removal, the attacker must remove those as
 * well, which is detected by the leaves here, or by the log's high-water mark and witnesses.
 */
export function createPointVerifier(
  { archive, log }: FirstUseStore,
  integrity: Integrity,
  activities: ActivityReader,
  tampered: (organizationId: string, what: string) => ServiceError,
): PointVerifier {
  const fresh = new LRUCache<string, Promise<ReadonlyMap<string, number>>>({ max: 1_000, ttl: FRESH_MS });
  /** Earlier results, so that only newer activities have to be read. */
  const known = new LRUCache<string, Spoken>({
    maxSize: MAX_SPOKEN_IN_ALL,
    sizeCalculation: ({ revisions }) => revisions.size + 1,
  });

  async function isArchived(organizationId: string, id: string): Promise<boolean> {
    const mark = await archive.get(organizationId, id);
    return mark !== undefined && markFits(integrity, mark);
  }

  async function look(organizationId: string): Promise<ReadonlyMap<string, number>> {
    const before = known.get(organizationId);
    const revisions = before?.revisions ?? new Map<string, number>();
    const seen = new Set<string>();
    const note = (record: ActivityRecord) => {
      seen.add(record.id);
      for (const [bucket, { revision }] of countedBy(record))
        revisions.set(bucket, Math.max(revision, revisions.get(bucket) ?? 0));
    };
    const sequence = (await log.heads([organizationId]))[0]?.sequence ?? 0;
    const from = Math.max(1, sequence - LEAVES + 1, (before?.sequence ?? 0) + 1);
    const leaves = from > sequence ? [] : await log.leavesOf(organizationId, from, LEAVES);
    let newestId = before?.newestId ?? '';
    for await (const part of activities.pageParts(organizationId, { statuses: [COMPLETED] }, { limit: MAX_ACTIVITIES })) {
      part.forEach(note);
      for (const { id } of part) if (id > newestId) newestId = id;
      if ((part.at(-1)?.id ?? '') <= (before?.newestId ?? '')) break;
    }
    // An activity that was pending has an old id but may have been executed just now.
    for (const activityId of new Set(leaves.map((leaf) => leaf.activityId))) {
      if (seen.has(activityId)) continue;
      const record = await activities.get(organizationId, activityId);
      if (record !== undefined) note(record);
      else if (!(await isArchived(organizationId, activityId)))
        throw tampered(organizationId, `the activity ${activityId} is in the log, but its row is missing`);
    }
    if (revisions.size > MAX_SPOKEN) known.delete(organizationId);
    else known.set(organizationId, { revisions, newestId, sequence });
    return revisions;
  }

  return {
    latestRevisions(organizationId) {
      const found = fresh.get(organizationId);
      if (found !== undefined) return found;
      const looking = look(organizationId);
      fresh.set(organizationId, looking);
      looking.catch(() => fresh.delete(organizationId));
      return looking;
    },

    async requireCounted(point) {
      const named = namedActivity(point);
      const record = await activities.get(named.organizationId, named.id);
      if (record === undefined) {
        if (await isArchived(named.organizationId, named.id)) return;
        throw tampered(point.organizationId, `the activity ${named.id}, which the usage refers to, is missing`);
      }
      const counted = countedBy(record).get(point.bucket);
      // SECURITY: D175: points of failed commits form a valid chain, so a matching revision does not prove that this one was committed.
      if (counted?.revision === point.revision && counted.total === point.total && counted.atMs === point.atMs) return;
      throw tampered(
        point.organizationId,
        `usage was replaced: the activity ${named.id} does not contain it (${describe(point)})`,
      );
    },
  };
}

const COMPLETED = 'ACTIVITY_STATUS_COMPLETED';

/** The points that an activity has recorded, by bucket. */
function countedBy({ status, decisions }: ActivityRecord): ReadonlyMap<string, Pick<Point, 'revision' | 'total' | 'atMs'>> {
  if (status !== COMPLETED) return new Map();
  const usage = decisions.at(-1)?.usage ?? [];
  return new Map(
    usage.flatMap(({ bucket, atMs, counted }) =>
      counted === undefined ? [] : [[bucket, { revision: counted.revision, total: parseDecimal(counted.total), atMs }] as const],
    ),
  );
}

/** Describes a point in messages. */
export function describe({ bucket, revision }: BucketKey & { readonly revision: number }): string {
  return `bucket ${bucket}, revision ${revision}`;
}
