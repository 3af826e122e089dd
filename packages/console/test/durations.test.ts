import { expect, test } from 'vitest';
import { durationText } from '../src/data/time.ts';
import { plottedDurations, topOf } from '../src/pages/overview/durations.ts';
import { typeLabel } from '../src/review/type-label.ts';
import { words } from '../src/words/index.ts';

const span = { sinceMs: 1500, untilMs: 4500, stepMs: 1000 };

test('durations fall into their intervals, with gaps where nothing was asked', () => {
  const intervals = [
    { startMs: '0', count: '1', medianMs: '1', p99Ms: '1' },
    { startMs: '2000', count: '9', medianMs: '3', p99Ms: '192' },
    { startMs: '4000', count: '2', medianMs: '8' },
  ];
  const data = plottedDurations({ intervals }, span);
  expect(data.times).toEqual([1000, 2000, 3000, 4000]);
  expect(data.median).toEqual([null, 3, null, 8]);
  // The service gives no bound for what took longer than its largest.
  expect(data.p99).toEqual([null, 192, null, 16_384]);
  expect(topOf(data)).toBe(100_000);
});

test.each([
  [[], 100],
  [['8'], 100],
  [['99'], 100],
  [['128'], 1_000],
])('the axis of %j ends at %d', (p99s, top) => {
  const intervals = p99s.map((p99Ms) => ({ startMs: '2000', count: '1', medianMs: '1', p99Ms }));
  expect(topOf(plottedDurations({ intervals }, span))).toBe(top);
});

test.each([
  [1, '1 ms'],
  [768, '768 ms'],
  [1_024, '1 s'],
  [1_536, '1.5 s'],
  [16_384, '16.4 s'],
])('%d milliseconds are "%s"', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('the sentence says how many, since when, and both bounds', () => {
  const { sentence, within, longer } = words.overview.durations;
  expect(sentence(1_234, '7 days', within('3 ms'), longer('16.4 s'))).toBe(
    'Of 1,234 requests in the last 7 days, half were answered within 3 ms, and 99 of 100 in more than 16.4 s.',
  );
  expect(sentence(1, '24 hours', within('3 ms'), within('3 ms'))).toBe('One request in the last 24 hours, answered within 3 ms.');
});

test.each([
  ['ACTIVITY_TYPE_STAMP_LOGIN', 'sign in'],
  ['ACTIVITY_TYPE_CREATE_POLICY_V3', 'create policy'],
  ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'sign message'],
  ['ACTIVITY_TYPE_CONSTRUCTOR', 'constructor'],
])('%s is "%s"', (type, text) => {
  expect(typeLabel(type)).toBe(text);
});
