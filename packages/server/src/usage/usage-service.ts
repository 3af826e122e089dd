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
import { activityName } from '../store/usage-rules.ts';
import type { BucketKey, UsageClaim } from '../store/usage-store.ts';
import type { Integrity } from '../vault/vault.ts';
import type { Awaitable } from '../wire/awaitable.ts';
import type { Bucket } from './bucket.ts';
import type { UsageCache } from './usage-cache.ts';
import { type Point, pointAfter, toPointRow } from './usage-entry.ts';
import { BucketView } from './view.ts';

/** What controls had counted when a request was judged, and what it counts if it is carried out. */
export interface UsageSnapshot {
  /** For the judgement. */
  readonly usage: UsageByBucket;
  /** Controls whose value the decision can depend on, with that value. */
  readonly asked: readonly { readonly counted: Counted; readonly value: ControlValue }[];
  /** The buckets that the decision looks at, and with them those that carrying it out adds to. */
  readonly looked: readonly Touched[];
  readonly touched: readonly Touched[];
  readonly nowMs: number;
  /** What a decision that is not the last word keeps of it. */
  noted(): readonly StoredUsage[];
}

/** Points that were promised to a commit. */
export interface Claim {
  readonly claims: readonly UsageClaim[];
  /** What the activity keeps: the numbers as they are committed. */
  readonly noted: readonly StoredUsage[];
  /** Call when the store has taken the commit. */
  taken(): void;
  /** Call when it has not, or nobody knows. `moved`: a bucket may have another newest point than was expected. */
  lost(moved: boolean): void;
}

/** Which activity is to be counted. */
export interface Claimant {
  readonly organizationId: string;
  readonly activityId: string;
  /** Whether it is carried out. One that is denied counts nothing, and rests on what it saw all the same. */
  readonly counts: boolean;
}

/** What controls have counted, as this process knows it. */
export interface UsageService {
  /**
   * Reads what a judgement needs. Undefined, at no cost, where neither organization has a control. It waits only where points have to be
   * read from the store.
   */
  read(judgement: Omit<Judgement, 'usage'>): Awaitable<UsageSnapshot | undefined>;
  /**
   * Promises the next points to a commit that is handed to the committer in the same turn of the event loop.
   * INVARIANT: every control that the decision asked for has the value that it had then, with the sums that are committed. Undefined
   * where one has another, or points must be read first: the request is then judged again.
   */
  claim(reading: UsageSnapshot, claimant: Claimant): Claim | undefined;
  /** Reads again what a lost claim was about. */
  renew(reading: UsageSnapshot): Promise<void>;
  /** Finds out what other nodes have counted, once in each turn of this process. */
  refresh(reading: UsageSnapshot, turn: object): Promise<void>;
}

export function createUsageService(cache: UsageCache, integrity: Integrity, clock: { nowMs(): number }): UsageService {
  /** The sums of buckets at a time; undefined where points have to be read first. */
  function usageOf(touched: readonly Touched[], nowMs: number): Map<string, BucketView> | undefined {
    const usage = new Map<string, BucketView>();
    for (const { counted, key } of touched) {
      const bucket = cache.bucket(key);
      if (!bucket.moveTo(counted.control, nowMs)) return undefined;
      usage.set(key.bucket, new BucketView(counted, bucket));
    }
    return usage;
  }

  async function load(target: string | undefined, touched: readonly Touched[], nowMs: number): Promise<void> {
    const endSlice = createSlices(touched[0]?.key.organizationId ?? OWN_WORK);
    for (const { counted, key } of touched) {
      await cache.load(cache.bucket(key), counted.control, nowMs, target);
      await endSlice();
    }
  }

  /** The same after reading points. */
  async function loaded(target: string, touched: readonly Touched[], nowMs: number): Promise<Map<string, BucketView>> {
    // Others may forget a bucket while it is read, each time because a commit of this process was lost.
    for (let attempt = 0; attempt < MAX_LOADS; attempt++) {
      await load(target, touched, nowMs);
      const usage = usageOf(touched, nowMs);
      if (usage !== undefined) return usage;
    }
    throw new ServiceError(
      'UNAVAILABLE',
      'What controls have counted kept changing. Nothing was done; send the same request again.',
    );
  }

  return {
    read(judgement) {
      const { organization, target, nowMs } = judgement;
      if (organization.records.velocityControl.size === 0 && target.records.velocityControl.size === 0) return undefined;
      const named = controlsNamedBy(judgement);
      const counts = countsOf(judgement);
      if (named.length === 0 && counts.length === 0) return undefined;
      const looked = touchedBy(named, []);
      const touched = touchedBy(named, counts);
      requireFew(touched);
      const toReading = (usage: Map<string, BucketView>): UsageSnapshot => {
        const asked = named.map((counted) => ({ counted, value: controlValue(counted, usage, nowMs) }));
        const noted = () =>
          looked.map(({ counted, key }) => {
            const seen = usage.get(key.bucket) as BucketView;
            return serializeUsage(counted, seen, seen.timeMs, nowMs);
          });
        return { usage, asked, looked, touched, nowMs, noted };
      };
      const known = usageOf(touched, nowMs);
      return known === undefined ? loaded(target.id, touched, nowMs).then(toReading) : toReading(known);
    },

    claim({ asked, looked, touched, nowMs: judgedAtMs }, { organizationId, activityId, counts: isCarriedOut }) {
      const claimed = isCarriedOut ? touched : looked;
      const usage = usageOf(claimed, clock.nowMs());
      if (usage === undefined) return undefined;
      for (const { counted, value } of asked) if (!same(controlValue(counted, usage, judgedAtMs), value)) return undefined;
      const claims: UsageClaim[] = [];
      const noted: StoredUsage[] = [];
      const made: { readonly bucket: Bucket; readonly generation: number; readonly point: Point | undefined }[] = [];
      for (const { counted, key, amount } of claimed) {
        const seen = usage.get(key.bucket) as BucketView;
        const bucket = seen.of;
        const { generation, timeMs } = bucket;
        const before = bucket.known?.newest;
        if (amount === undefined) {
          noted.push(serializeUsage(counted, seen, timeMs, judgedAtMs));
          claims.push({ organizationId: key.organizationId, bucket: key.bucket, expected: before });
          made.push({ bucket, generation, point: undefined });
          continue;
        }
        const activity = activityName(key.organizationId, organizationId, activityId);
        const point = pointAfter(integrity, key, before, { amount, atMs: timeMs, activityId: activity });
        const { revision, total } = point;
        noted.push(serializeUsage(counted, seen, timeMs, judgedAtMs, { amount, revision, total }));
        claims.push({ organizationId: key.organizationId, bucket: key.bucket, expected: before, next: toPointRow(point) });
        made.push({ bucket, generation, point });
      }
      for (const { bucket, point } of made) if (point !== undefined) bucket.append(point);
      return {
        claims,
        noted,
        taken() {
          for (const { bucket, point } of made) if (point !== undefined) cache.remember(bucket, point);
        },
        lost(moved) {
          for (const { bucket, generation, point } of made)
            if ((moved || point !== undefined) && bucket.generation === generation) bucket.forget();
        },
      };
    },

    renew: ({ touched }) => load(undefined, touched, clock.nowMs()),

    async refresh({ touched }, turn) {
      for (const { key } of touched) await cache.bucket(key).onceIn(turn, cache.refresh);
      await load(undefined, touched, clock.nowMs());
    },
  };
}

/** A bucket that a request looks at or adds to. */
interface Touched {
  readonly key: BucketKey;
  /** The control that it belongs to. */
  readonly counted: Counted;
  /** What is added. Undefined where the bucket is looked at alone. */
  readonly amount: bigint | undefined;
}

/** Every bucket once: first those that are added to. */
function touchedBy(asked: readonly Counted[], counts: readonly Counted[]): readonly Touched[] {
  const found: Touched[] = [];
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
  for (const each of asked) add(each, false);
  return found;
}

/** How often what is known of buckets may be lost while it is read. */
const MAX_LOADS = 20;

/** Buckets that one request may touch: so many fit into memory beside those of others. */
const MAX_TOUCHED = 500;

/**
 * SECURITY: D179: each bucket is read from the store before anything is decided, and a transaction can have thousands of receivers. More than
 * are kept in memory would push each other out, and be read over and over.
 */
function requireFew({ length }: readonly Touched[]): void {
  if (length <= MAX_TOUCHED) return;
  throw new ServiceError(
    'LIMIT_EXCEEDED',
    `Limits over time would have to count this in ${length} buckets, and ${MAX_TOUCHED} are the most for one request. Split it: each with fewer receivers.`,
  );
}

function same(a: ControlValue, b: ControlValue): boolean {
  return typeof a === 'boolean' || typeof b === 'boolean' ? a === b : true;
}
