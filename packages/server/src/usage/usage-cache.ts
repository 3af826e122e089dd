import { ServiceError } from '@countersign/contract';
import { type VelocityControlRecord, windowStart } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import { idleLru, lazyLru, sweepIdle } from '../admission/index.ts';
import { bucketName } from '../store/commit-rules.ts';
import type { UsagePointRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { BucketKey, UsageHead, UsageStore } from '../store/usage-store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { Bucket } from './bucket.ts';
import { KEPT_MS, sweepOld } from './sweep.ts';
import { type Point, readPoint } from './usage-entry.ts';
import { describe, type RequireCounted } from './verify-latest-point.ts';
import { type Fetched, fetchWindow, WindowStart } from './window.ts';

/**
 * Returns why a point is not the newest of its bucket according to the log, or undefined if it is. An undefined point means a bucket
 * without points. The caller reads the point before the call, and reads it again after a fault: another process may have counted too.
 * `withQueue` also compares entries that are not in the log yet, for callers that do not know what this process counted.
 */
export type ProveUsage = (
  key: BucketKey,
  newest: UsageHead | undefined,
  choice?: { readonly withQueue?: boolean },
) => Promise<string | undefined>;

/** Buckets cached with their windows: at most 90 MB if all of them are busy. */
const MAX_BUCKETS = 2_000;
/** Buckets for which the high-water mark is cached. */
const MAX_REMEMBERED = 100_000;

/** The buckets that this process uses, loaded from the store and verified. */
export interface UsageCache {
  bucket(key: BucketKey): Bucket;
  /** Loads missing points. */
  load(bucket: Bucket, control: VelocityControlRecord, nowMs: number): Promise<void>;
  /** Invalidates the bucket if the store has newer points than this process, including its pending commits. */
  refresh(bucket: Bucket): Promise<void>;
  /** Raises the high-water mark to a point that the store has accepted. */
  remember(bucket: Bucket, point: Point): void;
}

export interface UsageCacheServices {
  readonly store: Pick<Store, 'usage'>;
  readonly integrity: Integrity;
  readonly proveUsage: ProveUsage;
  readonly requireCounted: RequireCounted;
  tampered(organizationId: string, what: string): ServiceError;
}

/** Maximum number of reads of a bucket that other processes count in at the same time. */
const MAX_READS = 20;

function changedRepeatedly(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The usage of spending limits changed repeatedly. Nothing was executed; send the same request again.',
  );
}

/**
 * Whether the fetched points are all newer than the point that was read as the newest before them: another process counted in between, at a
 * time before the window of this one, for example because the clocks differ around midnight.
 */
function isOvertaken({ base }: Fetched, newest: Point | undefined): boolean {
  return base !== undefined && base.revision > (newest?.revision ?? 0);
}

/** Throws unless the newest point is among the fetched points or comes after them. */
function requireJoined({ base, ahead, isWhole }: Fetched, newest: Point | undefined, broken: (what: string) => Error): void {
  if (newest === undefined) return;
  const found = [base, ...ahead].find((point) => point?.revision === newest.revision);
  if (found === undefined ? isWhole : !macsEqual(found.mac, newest.mac))
    throw broken(`usage is missing or was replaced before revision ${newest.revision}`);
}

/** Whether the store has diverged from the state that this process knows. */
function leavesBehind({ base, ahead }: Fetched, known: Point | undefined): boolean {
  const last = ahead.at(-1) ?? base;
  if (known === undefined || last === undefined || last.revision < known.revision) return false;
  const found = [base, ...ahead].find((point) => point?.revision === known.revision);
  return found === undefined || !macsEqual(found.mac, known.mac);
}

/** What a window is read from. */
interface WindowSource extends Pick<UsageCacheServices, 'tampered'> {
  readonly usage: UsageStore;
  check(row: UsagePointRow): Point;
  readNewest(key: BucketKey): Promise<Point | undefined>;
  requireNotBehind(key: BucketKey, seen: UsageHead | undefined, newest: Point | undefined): void;
}

/**
 * The newest point of a bucket, and the start of its window. Reads both again if another process counted between the reads.
 * SECURITY: D516: such a count must not raise an alarm, and a point that was read must not be missing afterwards.
 */
async function readWindow(
  { usage, check, readNewest, requireNotBehind, tampered }: WindowSource,
  bucket: Bucket,
  control: VelocityControlRecord,
  nowMs: number,
  isNew: boolean,
) {
  const { key } = bucket;
  const broken = (what: string) => tampered(key.organizationId, `${what} (bucket ${key.bucket})`);
  let overtaking: Point | undefined;
  for (let reads = 1; reads <= MAX_READS; reads++) {
    const newest = isNew ? await readNewest(key) : bucket.known?.newest;
    if (overtaking !== undefined) requireNotBehind(key, overtaking, newest);
    const timeMs = Math.max(bucket.timeMs, nowMs, newest?.atMs ?? 0);
    const cutoffMs = windowStart(control, timeMs);
    if (cutoffMs === undefined) return { newest, fetched: undefined, cutoffMs };
    const fetched = await fetchWindow(usage, key, cutoffMs, timeMs - KEPT_MS, check, broken);
    if (!isNew) return { newest, fetched, cutoffMs };
    if (!isOvertaken(fetched, newest)) {
      requireJoined(fetched, newest, broken);
      return { newest, fetched, cutoffMs };
    }
    overtaking = fetched.base;
  }
  throw changedRepeatedly();
}

export function createUsageCache(services: UsageCacheServices): UsageCache {
  const { store, integrity, proveUsage, requireCounted, tampered } = services;
  const buckets = sweepIdle(new LRUCache<string, Bucket>({ ...lazyLru(MAX_BUCKETS), ...idleLru }));
  /** INVARIANT: the high-water mark of a bucket never decreases. */
  const highest = new LRUCache<string, UsageHead>(lazyLru(MAX_REMEMBERED));

  function remember({ name }: Bucket, point: Point): void {
    const seen = highest.get(name);
    if (seen === undefined || seen.revision < point.revision) highest.set(name, { revision: point.revision, mac: point.mac });
  }

  function check(row: UsagePointRow): Point {
    const point = readPoint(integrity, row);
    if (point !== undefined) return point;
    throw tampered(row.organizationId, `usage was changed or inserted outside the service (${describe(row)})`);
  }

  /**
   * Throws if the newest stored point is behind the high-water mark of this process.
   * SECURITY: an attacker who rolls usage back could spend it again.
   */
  function requireNotBehind(key: BucketKey, seen: UsageHead | undefined, newest: Point | undefined): void {
    if (seen === undefined || (newest !== undefined && newest.revision > seen.revision)) return;
    if (newest !== undefined && newest.revision === seen.revision && macsEqual(newest.mac, seen.mac)) return;
    const other = newest?.revision === seen.revision ? ' with another content' : '';
    throw tampered(
      key.organizationId,
      `usage is behind the state that this process has seen: revision ${seen.revision} of bucket ${key.bucket} was stored, but the database now has revision ${newest?.revision ?? 0}${other}`,
    );
  }

  /**
   * The newest point of a bucket.
   * SECURITY: D260: points that follow it may have been deleted, also those of other processes, so every read is proven by the log.
   */
  async function readNewest(key: BucketKey): Promise<Point | undefined> {
    const seen = highest.get(bucketName(key));
    let newest = await storedNewest(key);
    for (let reads = 1; ; reads++) {
      const fault = await proveUsage(key, newest);
      if (fault === undefined) break;
      const again = await storedNewest(key);
      if ((again?.revision ?? 0) <= (newest?.revision ?? 0)) {
        requireNotBehind(key, seen, again);
        throw tampered(key.organizationId, `usage was rolled back: ${fault}`);
      }
      if (reads >= MAX_READS) throw changedRepeatedly();
      newest = again;
    }
    requireNotBehind(key, seen, newest);
    if (seen === undefined && newest !== undefined) await requireCounted(newest);
    return newest;
  }

  async function storedNewest(key: BucketKey): Promise<Point | undefined> {
    const [row] = await store.usage.newest([key]);
    return row && check(row);
  }

  const source: WindowSource = { usage: store.usage, check, readNewest, requireNotBehind, tampered };

  /** Loads the newest point if it is unknown, and the start of the window if it has to move. */
  async function read(bucket: Bucket, control: VelocityControlRecord, nowMs: number): Promise<void> {
    const { generation } = bucket;
    const isNew = bucket.known === undefined;
    const { newest, fetched, cutoffMs } = await readWindow(source, bucket, control, nowMs, isNew);
    if (bucket.generation !== generation) return;
    if (isNew && newest !== undefined) remember(bucket, newest);
    const known = isNew ? newest : bucket.known?.newest;
    if (fetched === undefined || cutoffMs === undefined) {
      bucket.known = { newest: known, window: undefined };
      return;
    }
    // Another node has added points to this bucket, so the pending commits of this process will fail.
    if (!isNew && leavesBehind(fetched, known)) return bucket.forget();
    const last = fetched.ahead.at(-1) ?? fetched.base;
    const isLater = (last?.revision ?? 0) > (known?.revision ?? 0);
    const complete = isLater || last?.revision === known?.revision;
    const window = new WindowStart(fetched.base, [...fetched.ahead], complete, cutoffMs);
    bucket.known = { newest: isLater ? last : known, window };
  }

  return {
    bucket(key) {
      const name = bucketName(key);
      const known = buckets.get(name);
      if (known !== undefined) return known;
      const made = new Bucket(key, name);
      buckets.set(name, made);
      return made;
    },
    async load(bucket, control, nowMs) {
      if (bucket.loading === undefined && bucket.moveTo(control, nowMs)) return;
      const underWay = bucket.loading;
      if (underWay !== undefined) return void (await underWay);
      const loading = read(bucket, control, nowMs).finally(() => {
        if (bucket.loading === loading) bucket.loading = undefined;
      });
      bucket.loading = loading;
      await loading;
      // In the background. If it fails, the next load retries it.
      sweepOld(store.usage, bucket, nowMs).catch(() => undefined);
    },
    async refresh(bucket) {
      const { generation, key } = bucket;
      if (bucket.known === undefined) return;
      const newest = await readNewest(key);
      if (bucket.generation === generation && (newest?.revision ?? 0) > bucket.revision) bucket.forget();
    },
    remember,
  };
}
