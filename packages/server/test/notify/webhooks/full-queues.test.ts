import { expect, test } from 'vitest';
import { createFullQueues } from '../../../src/notify/webhooks/full-queues.ts';

const endpoint = { listenerId: 'organization', endpointId: 'one' };

test('D361: a full queue takes nothing and counts what it loses, until it has room', () => {
  const queues = createFullQueues();
  expect(queues.refuses('one')).toBe(false);
  queues.mark(endpoint, true);
  expect([queues.refuses('one'), queues.refuses('one'), queues.refuses('other')]).toEqual([true, true, false]);
  queues.mark(endpoint, true);
  expect(queues.takeLost()).toEqual([{ endpoint, count: 2 }]);
  expect(queues.takeLost()).toEqual([]);
  queues.refuses('one');
  queues.mark(endpoint, false);
  expect(queues.refuses('one')).toBe(false);
  expect(queues.takeLost()).toEqual([{ endpoint, count: 1 }]);
  expect(queues.takeLost()).toEqual([]);
});
