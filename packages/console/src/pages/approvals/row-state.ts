import type { ListedActivity } from '@countersign/client';
import type { Risk } from '../../review/finding.ts';
import type { Check } from '../../review/types.ts';

/** What a row of the inbox says about its request: the greatest risk of the findings, or that there is no result. */
export type RowState = Risk | 'checking' | 'unchecked';

/** SECURITY: D1121: a request whose checks failed must not look like one without findings. */
const ranks: Readonly<Record<RowState, number>> = { checking: 0, low: 0, unchecked: 1, medium: 2, high: 3 };

/** No mark for a request without findings. */
export const rowTones: Readonly<Record<RowState, 'calm' | 'wait' | 'bad' | undefined>> = {
  ...{ checking: 'calm', low: undefined, unchecked: 'wait', medium: 'wait', high: 'bad' },
};

export type RowStates = Readonly<Record<string, RowState>>;

interface Reviewed {
  readonly check: { readonly data: Check | undefined };
  readonly review: { readonly data: { readonly risk: Risk } | undefined; readonly error: Error | null };
}

export function rowState({ check, review }: Reviewed): RowState {
  if (check.data?.state === 'mismatch') return 'high';
  if (review.data === undefined) return review.error === null ? 'checking' : 'unchecked';
  return check.data?.state === 'hidden' ? 'unchecked' : review.data.risk;
}

/** The most important rows first, and otherwise in their order. */
export function byRank(activities: readonly ListedActivity[], states: RowStates): readonly ListedActivity[] {
  const rank = ({ id }: ListedActivity) => ranks[states[id] ?? 'checking'];
  return activities.toSorted((a, b) => rank(b) - rank(a));
}

/** Rows that are shown, ordered and named together. One response has the names of at most a hundred activities. */
const ROWS = 100;

export interface Part {
  /** The position of its first row. */
  readonly from: number;
  readonly activities: readonly ListedActivity[];
}

export function inParts(activities: readonly ListedActivity[]): readonly Part[] {
  const starts = Array.from({ length: Math.ceil(activities.length / ROWS) }, (_, at) => at * ROWS);
  return starts.map((from) => ({ from, activities: activities.slice(from, from + ROWS) }));
}
