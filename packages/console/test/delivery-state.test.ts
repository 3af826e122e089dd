import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DeliveryState } from '../src/pages/webhooks/delivery-state.tsx';

type State = NonNullable<Parameters<typeof DeliveryState>[0]['state']>;

const at = (seconds: number) => ({ seconds: `${seconds}`, nanos: '0' });
const show = (state: Partial<State>) =>
  renderToStaticMarkup(createElement(DeliveryState, { state: { endpointId: 'e', waitingEvents: '0', ...state } }));

test('D361: says how many events were dropped, and what to do', () => {
  const text = show({ dropped: { events: '1200', lastAt: at(1_800_000_000) } });
  expect(text).toContain('1,200 events were dropped and will not be sent, last on ');
  expect(text).toContain('read what it missed from the list of activities');
  expect(text).toContain('text-bad');
  expect(show({ dropped: { events: '1', lastAt: at(1_800_000_000) } })).toContain('1 event was dropped');
});

test('D361: a receiver that accepts events again is no longer marked, but still learns what it missed', () => {
  const text = show({ dropped: { events: '2', lastAt: at(1_800_000_000) }, lastSuccessAt: at(1_800_000_100) });
  expect(text).toContain('2 events were dropped');
  expect(text).not.toContain('text-bad');
});

test('an endpoint without dropped events does not mention any', () => {
  expect(show({ lastSuccessAt: at(1_800_000_000) })).not.toContain('dropped');
});
