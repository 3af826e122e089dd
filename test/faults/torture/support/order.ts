import type { RawDatabase } from '../../../support/raw-database.ts';
import { type Attempt, label } from '../../fault/support/history.ts';

/** An activity's place in the log, and when its sender first sent and first knew. */
export interface Placed {
  readonly name: string;
  readonly place: number;
  readonly sentMs: number;
  /** Absent if nobody was told. */
  readonly acknowledgedMs?: number;
}

/** Real-time order: an activity that was acknowledged before another was sent stands before it. */
export function checkOrder(placed: readonly Placed[]): string[] {
  const found: string[] = [];
  let latest: Placed | undefined;
  for (const each of placed.toSorted((a, b) => a.place - b.place)) {
    if (latest !== undefined && each.acknowledgedMs !== undefined && latest.sentMs > each.acknowledgedMs)
      found.push(`${each.name} was acknowledged before ${latest.name} was sent, and stands behind it in the log`);
    if (latest === undefined || each.sentMs > latest.sentMs) latest = each;
  }
  return found;
}

/** Where the log has the activities of a history. Votes are left out: they share the activity that they are about. */
export async function placesOf(
  attempts: readonly Attempt[],
  times: Readonly<Record<'sentMs' | 'acknowledgedMs', ReadonlyMap<Attempt, number>>>,
  raw: RawDatabase,
): Promise<Placed[]> {
  const rows = await raw.all('SELECT activity_id, leaf_index FROM log_leaves WHERE revision = 0');
  const places = new Map(rows.map((row) => [String(row.activity_id), Number(row.leaf_index)]));
  return attempts.flatMap((attempt) => {
    const place = places.get(attempt.activityId ?? '');
    const sentMs = times.sentMs.get(attempt);
    if (attempt.about !== undefined || place === undefined || sentMs === undefined) return [];
    const acknowledgedMs = times.acknowledgedMs.get(attempt);
    return [{ name: label(attempt), place, sentMs, ...(acknowledgedMs !== undefined && { acknowledgedMs }) }];
  });
}
