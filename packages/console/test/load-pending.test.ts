import type { ListedActivity } from '@countersign/client';
import { expect, test } from 'vitest';
import { loadPending, MOST_PENDING } from '../src/data/load-pending.ts';
import { byRank, inParts, type RowState, rowState } from '../src/pages/approvals/row-state.ts';

const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `a${at}` }) as ListedActivity);

interface Asked {
  readonly paginationOptions: { readonly limit: string; readonly after?: string };
}

/** A service with this many pending activities. */
function serviceWith(count: number, fail?: number) {
  const all = rows(count);
  let calls = 0;
  return {
    calls: () => calls,
    reader: {
      async listActivities({ paginationOptions: { limit, after } }: Asked) {
        calls += 1;
        if (calls === fail) throw new Error('No');
        const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
        return { activities: all.slice(from, from + Number(limit)) };
      },
    } as never,
  };
}

test.each([
  [3, 1],
  [101, 2],
  [340, 4],
])('D1125: all of %i pending requests are loaded, in %i calls', async (count, calls) => {
  const service = serviceWith(count);
  const { activities, hasMore } = await loadPending(service.reader);
  expect(activities.map(({ id }) => id)).toEqual(rows(count).map(({ id }) => id));
  expect(hasMore).toBe(false);
  expect(service.calls()).toBe(calls);
});

test('D1125: a longer list is cut, and says so', async () => {
  const { activities, hasMore } = await loadPending(serviceWith(MOST_PENDING + 50).reader);
  expect(activities).toHaveLength(MOST_PENDING);
  expect(hasMore).toBe(true);
});

test('D1125: a list of which a page failed is no list', async () => {
  await expect(loadPending(serviceWith(340, 3).reader)).rejects.toThrow('No');
});

test('every row is in one part', () => {
  const all = rows(340);
  expect(inParts(all).map(({ from, activities }) => [from, activities.length])).toEqual([
    [0, 100],
    [100, 100],
    [200, 100],
    [300, 40],
  ]);
  expect(inParts(all).flatMap(({ activities }) => activities)).toEqual(all);
  expect(inParts([])).toEqual([]);
});

test.each<[string, object, object, RowState]>([
  ['running', { data: undefined }, { data: undefined, error: null }, 'checking'],
  ['failed', { data: undefined }, { data: undefined, error: new Error('No') }, 'unchecked'],
  ['of a hidden message', { data: { state: 'hidden' } }, { data: { risk: 'low' }, error: null }, 'unchecked'],
  ['that found an altered response', { data: { state: 'mismatch' } }, { data: undefined, error: null }, 'high'],
  ['without a finding', { data: { state: 'read' } }, { data: { risk: 'low' }, error: null }, 'low'],
  ['with a warning', { data: { state: 'read' } }, { data: { risk: 'high' }, error: null }, 'high'],
])('D1121: the row of a check %s', (_, check, review, state) => {
  expect(rowState({ check, review } as never)).toBe(state);
});

test('D1121: what was not checked is above what has no finding, and warnings are first', () => {
  const states: RowState[] = ['low', 'unchecked', 'checking', 'high', 'medium'];
  const ordered = byRank(rows(5), Object.fromEntries(states.map((state, at) => [`a${at}`, state])));
  expect(ordered.map(({ id }) => states[Number(id.slice(1))])).toEqual(['high', 'medium', 'unchecked', 'low', 'checking']);
});
