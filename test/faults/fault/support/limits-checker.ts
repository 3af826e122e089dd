import type { StoredPoint } from '../../../features/usage/support.ts';

/** A limit of a campaign. */
export interface Limit {
  readonly controlId: string;
  /** Scaled by 10^18. */
  readonly threshold: bigint;
  /** The length of the rolling window; everything counts if absent. */
  readonly windowMs?: number;
}

/** A request that was sent, and what is known of it. */
export interface Spend {
  readonly fingerprint: string;
  /** Scaled by 10^18. */
  readonly amount: bigint;
  /** The signature that an answer released. */
  released?: string;
  denied?: true;
}

/** An activity as the database holds it. */
export interface StoredSpend {
  readonly id: string;
  readonly status: string;
  /** The signature, where it was carried out. */
  readonly signature?: string;
}

/** What must be empty. */
export interface LimitViolations {
  /** More than a limit allows was released in its window. */
  readonly overshoot: string[];
  /** Something was released and not counted, or counted as another amount, or twice. */
  readonly undercount: string[];
  /** An answer was given that the database does not hold. */
  readonly acknowledgedLost: string[];
  readonly others: string[];
}

export const noViolations = (): LimitViolations => ({ overshoot: [], undercount: [], acknowledgedLost: [], others: [] });

/**
 * Checks a whole history: what was sent, what was answered, and what the database holds at the end, which somebody who trusts neither the
 * server nor its sums can add up.
 */
export function checkLimits(
  spends: readonly Spend[],
  stored: ReadonlyMap<string, StoredSpend>,
  points: readonly StoredPoint[],
  limits: readonly Limit[],
): LimitViolations {
  const found = noViolations();
  const completed = new Map<string, Spend>();
  for (const spend of spends) {
    const { fingerprint, released, denied } = spend;
    const kept = stored.get(fingerprint);
    if (kept?.status === 'ACTIVITY_STATUS_COMPLETED') completed.set(kept.id, spend);
    if (released !== undefined && kept?.status !== 'ACTIVITY_STATUS_COMPLETED')
      found.acknowledgedLost.push(`${fingerprint} was released and is stored as ${kept?.status ?? 'nothing'}`);
    else if (released !== undefined && kept?.signature !== released)
      found.acknowledgedLost.push(`${fingerprint} was released with another signature than the stored one`);
    if (denied && kept?.status !== 'ACTIVITY_STATUS_FAILED')
      found.acknowledgedLost.push(`${fingerprint} was denied and is stored as ${kept?.status ?? 'nothing'}`);
  }
  const known = new Set(spends.map(({ fingerprint }) => fingerprint));
  for (const [fingerprint, { status }] of stored)
    if (!known.has(fingerprint)) found.others.push(`${fingerprint} is stored as ${status} and was never sent`);
  for (const limit of limits) {
    const counted = points.filter(({ bucket }) => bucket.startsWith(`${limit.controlId}/`));
    checkBuckets(limit, counted, completed, found);
    const once = new Map<string, number>();
    for (const { activityId } of counted) once.set(activityId, (once.get(activityId) ?? 0) + 1);
    for (const [id, { fingerprint }] of completed) {
      const times = once.get(id) ?? 0;
      if (times !== 1) found.undercount.push(`${fingerprint} was released and counted ${times} times by ${limit.controlId}`);
    }
    for (const id of once.keys())
      if (!completed.has(id)) found.undercount.push(`activity ${id} was counted by ${limit.controlId} and not released`);
  }
  return found;
}

function checkBuckets(
  { threshold, windowMs }: Limit,
  points: readonly StoredPoint[],
  completed: ReadonlyMap<string, Spend>,
  { overshoot, undercount, others }: LimitViolations,
): void {
  for (const bucket of new Set(points.map((point) => point.bucket))) {
    const ordered = points.filter((point) => point.bucket === bucket).sort((a, b) => a.revision - b.revision);
    let base = 0;
    for (const [index, point] of ordered.entries()) {
      const before = ordered[index - 1];
      if (point.revision !== index + 1) others.push(`${bucket}: revision ${point.revision} stands at place ${index + 1}`);
      if (before !== undefined && point.atMs < before.atMs) others.push(`${bucket}: time goes back at ${point.revision}`);
      const amount = completed.get(point.activityId)?.amount;
      if (point.total - (before?.total ?? 0n) !== amount)
        undercount.push(`${bucket}: revision ${point.revision} adds ${point.total - (before?.total ?? 0n)}, not ${amount}`);
      while (windowMs !== undefined && base < index && (ordered[base] as StoredPoint).atMs <= point.atMs - windowMs) base++;
      const used = point.total - (ordered[base - 1]?.total ?? 0n);
      if (used > threshold) overshoot.push(`${bucket}: revision ${point.revision} brings the window to ${used} of ${threshold}`);
    }
  }
}
