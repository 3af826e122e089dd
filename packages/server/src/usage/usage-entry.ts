import type { UsagePointRow } from '../store/rows.ts';
import type { BucketKey } from '../store/usage-store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';

/** A point whose MAC was verified, or that this process created. */
export interface Point extends Omit<UsagePointRow, 'total'> {
  readonly total: bigint;
  /** The total as stored. */
  readonly totalText: string;
}

const NOTHING = new Uint8Array();

/**
 * Creates the point that follows `before`, or the first point of a bucket.
 * SECURITY: the MAC covers the MAC of the previous point. An attacker who captured a point of a failed commit cannot substitute it for the
 * committed one, because the next point does not follow it.
 */
export function pointAfter(
  integrity: Integrity,
  { organizationId, bucket }: BucketKey,
  before: Point | undefined,
  { amount, atMs, activityId }: { readonly amount: bigint; readonly atMs: number; readonly activityId: string },
): Point {
  const revision = (before?.revision ?? 0) + 1;
  const total = (before?.total ?? 0n) + amount;
  const totalText = `${total}`;
  const previous = before?.mac ?? NOTHING;
  const mac = integrity.usagePoint({ organizationId, bucket, revision, atMs, total: totalText, activityId, previous });
  return { organizationId, bucket, revision, atMs, total, totalText, activityId, previous, mac };
}

export function toPointRow(point: Point): UsagePointRow {
  const { organizationId, bucket, revision, atMs, totalText: total, activityId, previous, mac } = point;
  return { organizationId, bucket, revision, atMs, total, activityId, previous, mac };
}

/** The point in a row. Undefined if this installation did not write it. */
export function readPoint(integrity: Integrity, row: UsagePointRow): Point | undefined {
  return macsEqual(integrity.usagePoint(row), row.mac) ? { ...row, total: BigInt(row.total), totalText: row.total } : undefined;
}

/** Whether a point directly follows `before`, or is the first of its bucket if `before` is undefined. */
export function follows(point: Point, before: Point | undefined): boolean {
  if (before === undefined) return point.revision === 1 && point.previous.length === 0;
  return (
    point.revision === before.revision + 1 &&
    point.atMs >= before.atMs &&
    point.total >= before.total &&
    macsEqual(point.previous, before.mac)
  );
}

/** The activity that added a point. */
export function namedActivity({ organizationId, activityId }: Point): { readonly organizationId: string; readonly id: string } {
  const slash = activityId.indexOf('/');
  if (slash === -1) return { organizationId, id: activityId };
  return { organizationId: activityId.slice(0, slash), id: activityId.slice(slash + 1) };
}
