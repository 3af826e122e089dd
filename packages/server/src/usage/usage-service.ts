import { ServiceError } from '@countersign/contract';
import {
  type ControlValue,
  type Counted,
  controlsNamedBy,
  controlValue,
  countsOf,
  type Judgement,
  type StoredUsage,
  serializeUsage,
  type UsageByBucket,
} from '@countersign/judgement';
import { createSlices, OWN_WORK } from '../admission/index.ts';
import { activityName } from '../store/commit-rules.ts';
import type { BucketKey, UsageClaim } from '../store/usage-store.ts';
import type { Integrity } from '../vault/vault.ts';
import type { Bucket } from './bucket.ts';
import type { UsageCache } from './usage-cache.ts';
import { type Point, pointAfter, toPointRow } from './usage-entry.ts';
import { BucketView } from './view.ts';

/** The usage that a request was authorized with, and the amounts that it counts if it is executed. */
export interface UsageSnapshot {
  /** For authorization. */
  readonly usage: UsageByBucket;
  /** Controls that the decision can depend on, with their values. */
  readonly usedControls: readonly { readonly counted: Counted; readonly value: ControlValue }[];
  /** `readBuckets`: the buckets that the decision reads. `usedBuckets`: these and the buckets that execution adds to. */
  readonly readBuckets: readonly BucketUse[];
  readonly usedBuckets: readonly BucketUse[];
  readonly nowMs: number;
  /** The usage to store with a decision that is not final. */
  toStored(): readonly StoredUsage[];
}

/** Points that are reserved for a commit. */
export interface Claim {
  readonly claims: readonly UsageClaim[];
  /** The usage to store with the activity: the sums as committed. */
  readonly storedUsage: readonly StoredUsage[];
  /** Call when the store has accepted the commit. */
  committed(): void;
  /** Call when the commit failed or its outcome is unknown. `moved`: the newest point of a bucket may not be the expected one. */
  lost(moved: boolean): void;
}

/** The activity to count. */
export interface CountedActivity {
  readonly organizationId: string;
  readonly activityId: string;
  /** Whether the activity is executed. A denied activity counts nothing, but its decision still depends on the usage that it read. */
  readonly counts: boolean;
}

/** The usage of spending limits, as this process knows it. */
export interface UsageService {
  /**
   * Reads the usage that a decision needs. Returns undefined, at no cost, if neither organization has a control. Waits only if points have
   * to be loaded from the store.
   */
  read(judgement: Omit<Judgement, 'usage'>): Promise<UsageSnapshot | undefined>;
  /**
   * Reserves the next points for a commit. The caller must pass it to the committer in the same turn of the event loop.
   * INVARIANT: with the committed sums, every control in `usedControls` has the value that the decision used. Returns undefined if a value differs
   * or points must be loaded first; the request is then authorized again.
   */
  claim(reading: UsageSnapshot, activity: CountedActivity): Claim | undefined;
  /** Reloads the buckets of a lost claim. */
  renew(reading: UsageSnapshot): Promise<void>;
  /** Loads the points that other nodes have added, at most once per lease of this process. */
  refresh(reading: UsageSnapshot, lease: object): Promise<void>;
}

export function createUsageService(cache: UsageCache, integrity: Integrity, clock: { nowMs(): number }): UsageService {
  /** The usage of buckets at a time. Undefined if points must be loaded first. */
  function usageOf(usedBuckets: readonly BucketUse[], nowMs: number): Map<string, BucketView> | undefined {
    const usage = new Map<string, BucketView>();
    for (const { counted, key } of usedBuckets) {
      const bucket = cache.bucket(key);
      if (!bucket.moveTo(counted.control, nowMs)) return undefined;
      usage.set(key.bucket, new BucketView(counted, bucket));
    }
    return usage;
  }

  async function load(usedBuckets: readonly BucketUse[], nowMs: number): Promise<void> {
    const endSlice = createSlices(usedBuckets[0]?.key.organizationId ?? OWN_WORK);
    for (const { counted, key } of usedBuckets) {
      await cache.load(cache.bucket(key), counted.control, nowMs);
      await endSlice();
    }
  }

  /** Like `usageOf`, but loads missing points. */
  async function loaded(usedBuckets: readonly BucketUse[], nowMs: number): Promise<Map<string, BucketView>> {
    // A bucket can be invalidated while it loads, each time because a commit of this process failed.
    for (let attempt = 0; attempt < MAX_LOADS; attempt++) {
      await load(usedBuckets, nowMs);
      const usage = usageOf(usedBuckets, nowMs);
      if (usage !== undefined) return usage;
    }
    throw new ServiceError(
      'UNAVAILABLE',
      'The usage of spending limits changed repeatedly. Nothing was executed; send the same request again.',
    );
  }

  return {
    async read(judgement) {
      const { organization, target, nowMs } = judgement;
      if (organization.records.velocityControl.size === 0 && target.records.velocityControl.size === 0) return undefined;
      const named = controlsNamedBy(judgement);
      const counts = countsOf(judgement);
      if (named.length === 0 && counts.length === 0) return undefined;
      const readBuckets = bucketUses(named, []);
      const usedBuckets = bucketUses(named, counts);
      requireFew(usedBuckets);
      const toSnapshot = (usage: Map<string, BucketView>): UsageSnapshot => {
        const usedControls = named.map((counted) => ({ counted, value: controlValue(counted, usage, nowMs) }));
        const toStored = () =>
          readBuckets.map(({ counted, key }) => {
            const seen = usage.get(key.bucket) as BucketView;
            return serializeUsage(counted, seen, seen.timeMs, nowMs);
          });
        return { usage, usedControls, readBuckets, usedBuckets, nowMs, toStored };
      };
      return toSnapshot(usageOf(usedBuckets, nowMs) ?? (await loaded(usedBuckets, nowMs)));
    },

    claim({ usedControls, readBuckets, usedBuckets, nowMs: judgedAtMs }, { organizationId, activityId, counts: isExecuted }) {
      const claimed = isExecuted ? usedBuckets : readBuckets;
      const usage = usageOf(claimed, clock.nowMs());
      if (usage === undefined) return undefined;
      for (const { counted, value } of usedControls) if (!same(controlValue(counted, usage, judgedAtMs), value)) return undefined;
      const claims: UsageClaim[] = [];
      const storedUsage: StoredUsage[] = [];
      const reserved: { readonly bucket: Bucket; readonly generation: number; readonly point: Point | undefined }[] = [];
      for (const { counted, key, amount } of claimed) {
        const seen = usage.get(key.bucket) as BucketView;
        const bucket = seen.of;
        const { generation, timeMs } = bucket;
        const before = bucket.known?.newest;
        if (amount === undefined) {
          storedUsage.push(serializeUsage(counted, seen, timeMs, judgedAtMs));
          claims.push({ organizationId: key.organizationId, bucket: key.bucket, expected: before });
          reserved.push({ bucket, generation, point: undefined });
          continue;
        }
        const activity = activityName(key.organizationId, organizationId, activityId);
        const point = pointAfter(integrity, key, before, { amount, atMs: timeMs, activityId: activity });
        const { revision, total } = point;
        storedUsage.push(serializeUsage(counted, seen, timeMs, judgedAtMs, { amount, revision, total }));
        claims.push({ organizationId: key.organizationId, bucket: key.bucket, expected: before, next: toPointRow(point) });
        reserved.push({ bucket, generation, point });
      }
      for (const { bucket, point } of reserved) if (point !== undefined) bucket.append(point);
      return {
        claims,
        storedUsage,
        committed() {
          for (const { bucket, point } of reserved) if (point !== undefined) cache.remember(bucket, point);
        },
        lost(moved) {
          for (const { bucket, generation, point } of reserved)
            if ((moved || point !== undefined) && bucket.generation === generation) bucket.forget();
        },
      };
    },

    renew: ({ usedBuckets }) => load(usedBuckets, clock.nowMs()),

    async refresh({ usedBuckets }, lease) {
      for (const { key } of usedBuckets) await cache.bucket(key).onceIn(lease, cache.refresh);
      await load(usedBuckets, clock.nowMs());
    },
  };
}

/** A bucket that a request reads or adds to. */
interface BucketUse {
  readonly key: BucketKey;
  /** The control that it belongs to. */
  readonly counted: Counted;
  /** The amount to add. Undefined if the bucket is only read. */
  readonly amount: bigint | undefined;
}

/** Every bucket once, starting with those that are added to. */
function bucketUses(reads: readonly Counted[], counts: readonly Counted[]): readonly BucketUse[] {
  const found: BucketUse[] = [];
  const known = new Set<string>();
  const add = (counted: Counted, isAdded: boolean) => {
    for (const { bucket, amount } of counted.counts) {
      if (known.has(bucket)) continue;
      known.add(bucket);
      const key = { organizationId: counted.organizationId, bucket };
      found.push({ key, counted, amount: isAdded ? amount : undefined });
    }
  };
  for (const each of counts) add(each, true);
  for (const each of reads) add(each, false);
  return found;
}

/** Maximum number of loads if buckets are invalidated while they load. */
const MAX_LOADS = 20;

/** Maximum number of buckets per request, so that the cache also fits those of other requests. */
const MAX_BUCKETS = 500;

/**
 * SECURITY: D179: each bucket is loaded before the decision, and a transaction can have thousands of receivers. If one request uses more
 * buckets than the cache holds, they evict each other and are loaded over and over.
 */
function requireFew({ length }: readonly BucketUse[]): void {
  if (length <= MAX_BUCKETS) return;
  throw new ServiceError(
    'LIMIT_EXCEEDED',
    `Spending limits would count this request in ${length} buckets, and the maximum is ${MAX_BUCKETS}. Split it into requests with fewer recipients.`,
  );
}

function same(a: ControlValue, b: ControlValue): boolean {
  return typeof a === 'boolean' || typeof b === 'boolean' ? a === b : true;
}
