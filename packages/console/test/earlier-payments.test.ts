import type { ListedActivity } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { expect, test } from 'vitest';
import { duplicatesOf } from '../src/review/duplicates.ts';
import { PERIOD_MS, reachesBeyond, searchEarlier } from '../src/review/earlier-payments.ts';
import { PAST } from '../src/review/signing.ts';
import { words } from '../src/words/index.ts';

const NOW_MS = 1_800_000_000_000;
const ASSET = { id: 'eip155:1/slip44:60', symbol: 'ETH', decimals: 18 };
const partly = words.approvals.unusualWords.partlyCompared;

const transfer = (to: string, amount = '5'): EffectShape => ({ kind: 'TRANSFER', to, amount, asset: ASSET }) as EffectShape;

const activityAt = (id: string, atMs: number, ...effects: readonly EffectShape[]) =>
  ({
    ...{ id, status: 'ACTIVITY_STATUS_COMPLETED', votes: [], parsed: { effects } },
    createdAt: { seconds: String(Math.floor(atMs / 1000)), nanos: '0' },
  }) as unknown as ListedActivity;

const asked = activityAt('asked', NOW_MS);
const given = { activity: asked, past: [], open: [] };

interface Page {
  readonly activities: readonly ListedActivity[];
  readonly next?: string;
}

/** A service that answers with these pages, and what it was asked for. */
function serviceOf(...pages: readonly Page[]) {
  const calls: Record<string, unknown>[] = [];
  const searchActivities = async (input: Record<string, unknown>) => {
    calls.push(input);
    return pages[calls.length - 1] ?? { activities: [] };
  };
  return { calls, reader: { searchActivities } as unknown as Parameters<typeof searchEarlier>[0] };
}

test('D1123: payments beyond the newest hundred are searched, and found as duplicates', async () => {
  const busy = Array.from({ length: PAST }, (_, at) => activityAt(`p${at}`, NOW_MS - at * 1000));
  expect(reachesBeyond(busy, asked)).toBe(true);
  const { calls, reader } = serviceOf({ activities: [activityAt('old', NOW_MS - PERIOD_MS / 2, transfer('0xa'))] });
  const earlier = await searchEarlier(reader, [transfer('0xa'), transfer('0xa')], asked);
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({
    ...{ counterparty: '0xa', asset: ASSET.id, since: String(NOW_MS - PERIOD_MS) },
    filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
  });
  expect(duplicatesOf([transfer('0xa')], given, [])).toEqual([]);
  const [found, ...others] = duplicatesOf([transfer('0xa')], { ...given, earlier }, []);
  expect(found).toMatchObject({ activityId: 'old', isDeliberate: true });
  expect(others).toEqual([]);
  expect(duplicatesOf([transfer('0xa', '6')], { ...given, earlier }, [])).toEqual([]);
});

test('no search is needed if the newest payments go back beyond the period', () => {
  const busy = Array.from({ length: PAST - 1 }, (_, at) => activityAt(`p${at}`, NOW_MS - at * 1000));
  expect(reachesBeyond(busy, asked)).toBe(false);
  expect(reachesBeyond([...busy, activityAt('last', NOW_MS - PERIOD_MS - 1000)], asked)).toBe(false);
});

test.each<readonly [string, readonly EffectShape[], readonly Page[]]>([
  ['more receivers than are asked for', ['0xa', '0xb'].map((to) => transfer(to)), []],
  ['a search that does not end', [transfer('0xa')], [{ activities: [], next: 'cursor' }]],
])('D1123: a comparison with a part says so: %s', async (_, effects, pages) => {
  const { calls, reader } = serviceOf(...pages);
  const earlier = await searchEarlier(reader, effects, asked);
  expect(calls).toHaveLength(1);
  expect(earlier.isComplete).toBe(false);
  expect(duplicatesOf(effects, { ...given, earlier }, []).map(({ text }) => text)).toEqual([partly]);
});

test('D1125: pending requests that were not loaded are a finding about payments, and about nothing else', () => {
  const textsOf = (effects: readonly EffectShape[], hasMoreOpen: boolean) =>
    duplicatesOf(effects, { ...given, hasMoreOpen }, []).map(({ text }) => text);
  expect(textsOf([transfer('0xa')], true)).toEqual([partly]);
  expect(textsOf([transfer('0xa')], false)).toEqual([]);
  expect(textsOf([{ ...transfer('0xa'), kind: 'CALL' }], true)).toEqual([]);
});

test('a failed search has no result', async () => {
  const searchActivities = () => Promise.reject(new Error('No'));
  await expect(searchEarlier({ searchActivities } as never, [transfer('0xa')], asked)).rejects.toThrow('No');
});
