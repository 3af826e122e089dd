import { expect, test } from 'vitest';
import { droppedEvents } from '../src/pages/webhooks/dropped-events.ts';

const at = (seconds: number) => ({ seconds: `${seconds}`, nanos: '0' });

test('D361: says how many events were dropped, and what to do', () => {
  const shown = droppedEvents({ dropped: { events: '1200', lastAt: at(1_800_000_000) } });
  expect(shown?.text).toMatch(/^1,200 events were dropped and will not be sent, last on /);
  expect(shown?.text).toContain('read what it missed with list_events');
  expect(shown?.isCurrent).toBe(true);
  expect(droppedEvents({ dropped: { events: '1', lastAt: at(1_800_000_000) } })?.text).toMatch(/^1 event was dropped/);
});

test('D361: a receiver that accepts events again is no longer marked, but still learns what it missed', () => {
  const shown = droppedEvents({ dropped: { events: '2', lastAt: at(1_800_000_000) }, lastSuccessAt: at(1_800_000_100) });
  expect(shown?.text).toMatch(/^2 events were dropped/);
  expect(shown?.isCurrent).toBe(false);
});

test('an endpoint without dropped events does not mention any', () => {
  expect(droppedEvents({ lastSuccessAt: at(1_800_000_000) })).toBeUndefined();
});
