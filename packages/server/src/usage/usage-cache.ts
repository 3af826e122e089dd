import type { ServiceError } from '@countersign/contract';
import { type VelocityControlRecord, windowStart } from '@countersign/judgement';
import { LRUCache } from 'lru-cache';
import { lazyLru } from '../admission/index.ts';
import type { UsagePointRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { bucketName } from '../store/usage-rules.ts';
import type { BucketKey, UsageHead } from '../store/usage-store.ts';
import { macsEqual } from '../vault/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { Bucket } from './bucket.ts';
import { KEPT_MS, sweepOld } from './sweep.ts';
import { type Point, readPoint } from './usage-entry.ts';
import { describe, type PointVerifier } from './verify-latest-point.ts';
import { type Fetched, fetchWindow, WindowStart } from './window.ts';

/** Buckets whose windows are kept: at most 90 MB, if all of them are busy. */
const MAX_BUCKETS = 2_000;
/** Buckets whose newest point is remembered. */
const MAX_REMEMBERED = 100_000;

/** The buckets that a process deals with, read from the store and checked. */
export interface UsageCache {
  bucket(key: BucketKey): Bucket;
  /** Reads what is not known. `alsoOf` is another organization whose activities may have counted in the bucket. */
  load(bucket: Bucket, control: VelocityControlRecord, nowMs: number, alsoOf?: string): Promise<void>;
  /** Forgets what another node may have moved on, unless commits of this process are under way. */
  refresh(bucket: Bucket): Promise<void>;
  /** Notes a point that the store has taken. */
  remember(bucket: Bucket, point: Point): void;
}

export interface UsageCacheServices {
  readonly store: Pick<Store, 'usage'>;
  readonly integrity: Integrity;
  readonly pointVerifier: PointVerifier;
  tampered(organizationId: string, what: string): ServiceError;
}

/** Throws unless the newest point is among those at the start of the window, or lies beyond them. */
function requireJoined({ base, ahead, isWhole }: Fetched, newest: Point | undefined, broken: (what: string) => Error): void {
  if (newest === undefined) return;
  const found = [base, ...ahead].find((point) => point?.revision === newest.revision);
  if (found === undefined ? isWhole : !macsEqual(found.mac, newest.mac))
    throw broken(`points of usage are missing or were exchanged before revision ${newest.revision}`);
}

/** Whether the store has gone another way than what this process knows. */
function leavesBehind({ base, ahead }: Fetched, known: Point | undefined): boolean {
  const last = ahead.at(-1) ?? base;
  if (known === undefined || last === undefined || last.revision < known.revision) return false;
  const found = [base, ...ahead].find((point) => point?.revision === known.revision);
  return found === undefined || !macsEqual(found.mac, known.mac);
}

export function createUsageCache({ store, integrity, pointVerifier, tampered }: UsageCacheServices): UsageCache {
  const buckets = new LRUCache<string, Bucket>(lazyLru(MAX_BUCKETS));
  /** INVARIANT: newest points of a bucket only move up. */
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
   * Refuses a bucket that lies behind what this process has seen before it was read.
   * SECURITY: whoever puts usage back could spend it again.
   */
  function requireNotBehind(key: BucketKey, seen: UsageHead | undefined, newest: Point | undefined): void {
    if (seen === undefined || (newest !== undefined && newest.revision > seen.revision)) return;
    if (newest !== undefined && newest.revision === seen.revision && macsEqual(newest.mac, seen.mac)) return;
    const other = newest?.revision === seen.revision ? ' with another content' : '';
    throw tampered(
      key.organizationId,
      `usage is behind what this process has seen: revision ${seen.revision} of bucket ${key.bucket} was stored, and the database now holds revision ${newest?.revision ?? 0}${other}`,
    );
  }

  async function readNewest(key: BucketKey, alsoOf: string | undefined): Promise<Point | undefined> {
    const seen = highest.get(bucketName(key));
    // INVARIANT: asked before the points are read. Whatever was counted by then is in the points that are read afterwards.
    const owners = seen === undefined ? new Set([key.organizationId, alsoOf ?? key.organizationId]) : [];
    const spoken: number[] = [];
    for (const owner of owners) spoken.push((await pointVerifier.latestRevisions(owner)).get(key.bucket) ?? 0);
    const [row] = await store.usage.newest([key]);
    const newest = row && check(row);
    requireNotBehind(key, seen, newest);
    if (seen !== undefined) return newest;
    const told = Math.max(...spoken);
    if (told > (newest?.revision ?? 0))
      throw tampered(
        key.organizationId,
        `usage was put back: an activity counted revision ${told} of bucket ${key.bucket}, and the database holds revision ${newest?.revision ?? 0}`,
      );
    if (newest !== undefined) await pointVerifier.requireCounted(newest);
    return newest;
  }

  /** Reads the newest point where it is not known, and the start of the window where that has to move. */
  async function read(bucket: Bucket, control: VelocityControlRecord, nowMs: number, alsoOf: string | undefined): Promise<void> {
    const { key, generation } = bucket;
    const isNew = bucket.known === undefined;
    const newest = isNew ? await readNewest(key, alsoOf) : bucket.known?.newest;
    const timeMs = Math.max(bucket.timeMs, nowMs, newest?.atMs ?? 0);
    const cutoffMs = windowStart(control, timeMs);
    const broken = (what: string) => tampered(key.organizationId, `${what} (bucket ${key.bucket})`);
    const kept = timeMs - KEPT_MS;
    const fetched = cutoffMs === undefined ? undefined : await fetchWindow(store.usage, key, cutoffMs, kept, check, broken);
    if (isNew && fetched !== undefined) requireJoined(fetched, newest, broken);
    if (bucket.generation !== generation) return;
    if (isNew && newest !== undefined) remember(bucket, newest);
    const known = isNew ? newest : bucket.known?.newest;
    if (fetched === undefined || cutoffMs === undefined) {
      bucket.known = { newest: known, window: undefined };
      return;
    }
    // Another node has counted where this process wants to: what is on its way will be refused.
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
    async load(bucket, control, nowMs, alsoOf) {
      if (bucket.loading === undefined && bucket.moveTo(control, nowMs)) return;
      const underWay = bucket.loading;
      if (underWay !== undefined) return void (await underWay);
      const loading = read(bucket, control, nowMs, alsoOf).finally(() => {
        if (bucket.loading === loading) bucket.loading = undefined;
      });
      bucket.loading = loading;
      await loading;
      // In the background. Where it fails, the next one does it.
      sweepOld(store.usage, bucket, nowMs).catch(() => undefined);
    },
    async refresh(bucket) {
      const { generation, key } = bucket;
      if (bucket.known === undefined) return;
      const seen = highest.get(bucket.name);
      const [row] = await store.usage.newest([key]);
      requireNotBehind(key, seen, row && check(row));
      if (bucket.generation === generation && (row?.revision ?? 0) > bucket.revision) bucket.forget();
    },
    remember,
  };
}
