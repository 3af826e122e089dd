import type { ActivityDetails } from '@countersign/contract';
import { expect, test } from 'vitest';
import { MAX_EVENT_BYTES, withinLimit } from '../../../src/notify/webhooks/event-size.ts';

const large = 'Ω'.repeat(MAX_EVENT_BYTES);
const small = {
  id: 'a',
  status: 'ACTIVITY_STATUS_COMPLETED',
  intent: { payload: 'x' },
  result: { r: '00' },
  votes: [{ id: 'v', message: '{}' }],
  parsed: { description: 'send' },
  failure: null,
};
const limited = (activity: object) => withinLimit(activity as ActivityDetails);
const shown = (activity: object) => JSON.parse(limited(activity));

test('an event of normal size is sent byte for byte', () => {
  expect(limited(small)).toBe(JSON.stringify(small));
});

test('a large event loses its stamped bodies first, then the intent, then the result, and no more than needed', () => {
  const votes = [{ id: 'v', message: large }];
  expect(shown({ ...small, votes })).toEqual({ ...small, votes: [{ id: 'v', message: '' }] });
  const intent = { payload: large };
  expect(shown({ ...small, votes, intent })).toEqual({ ...small, votes: [{ id: 'v', message: '' }], intent: {} });
  const result = { signatures: [large] };
  const brief = { ...small, votes: [{ id: 'v', message: '' }], intent: {}, result: {} };
  expect(shown({ ...small, votes, intent, result })).toEqual(brief);
  const { parsed: _, ...rest } = brief;
  expect(shown({ ...small, votes, intent, result, parsed: { description: large } })).toEqual({ ...rest, votes: [] });
});

test('every event stays below the limit, counted in bytes', () => {
  const just = { ...small, result: { text: 'Ω'.repeat(MAX_EVENT_BYTES / 2) } };
  expect(JSON.stringify(just).length).toBeLessThan(MAX_EVENT_BYTES);
  expect(Buffer.byteLength(limited(just))).toBeLessThanOrEqual(MAX_EVENT_BYTES);
});
