import type { ServiceError } from '@countersign/contract';
import { parseDecimal } from '@countersign/judgement';
import type { ActivityReader } from '../organizations/activities/activities.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import { markFits, spanAround } from '../organizations/activities/archived.ts';
import type { Store } from '../store/store.ts';
import type { BucketKey } from '../store/usage-store.ts';
import type { Integrity } from '../vault/vault.ts';
import { namedActivity, type Point } from './usage-entry.ts';

/** Throws unless the activity that a point names has recorded that point. */
export type RequireCounted = (point: Point) => Promise<void>;

/** Checks the newest point of a bucket that this process sees for the first time against its activity. */
export function createRequireCounted(
  { archive, log }: Pick<Store, 'archive' | 'log'>,
  integrity: Integrity,
  activities: ActivityReader,
  tampered: (organizationId: string, what: string) => ServiceError,
): RequireCounted {
  async function isArchived(organizationId: string, id: string): Promise<boolean> {
    const mark = await archive.get(organizationId, id);
    if (mark !== undefined) return markFits(integrity, mark);
    return (await spanAround(log, integrity, organizationId, id)) !== undefined;
  }

  return async (point) => {
    const named = namedActivity(point);
    const record = await activities.get(named.organizationId, named.id);
    if (record === undefined) {
      if (await isArchived(named.organizationId, named.id)) return;
      throw tampered(point.organizationId, `the activity ${named.id}, which the usage refers to, is missing`);
    }
    const counted = countedBy(record).get(point.bucket);
    // SECURITY: D175: points of failed commits form a valid chain, so a matching revision does not prove that this one was committed.
    if (counted?.revision === point.revision && counted.total === point.total && counted.atMs === point.atMs) return;
    throw tampered(point.organizationId, `usage was replaced: the activity ${named.id} does not contain it (${describe(point)})`);
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
