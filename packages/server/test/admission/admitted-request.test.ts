import { setImmediate as nextLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createByteBudget } from '../../src/admission/bodies.ts';
import { admissionWith } from './support.ts';

function connection() {
  const made = {
    destroyed: false,
    resetAndDestroy() {
      made.destroyed = true;
    },
  };
  return made;
}

/** Runs for longer than a slice. */
function work(): void {
  const endMs = performance.now() + 2;
  while (performance.now() < endMs);
}

test('D250: a response counts from its beginning until it is sent, in its final length', () => {
  const responses = createByteBudget(1_000_000);
  const request = admissionWith({ responses }).request(undefined, connection());
  request.endSlice(60_000);
  expect(responses.held()).toBe(0);
  request.endSlice(60_000);
  expect(responses.held()).toBe(120_000);
  request.reserve(100_000);
  expect(responses.held()).toBe(120_000);
  request.reserve(300_000);
  expect(responses.held()).toBe(300_000);
  const sent = request.responded(250_000);
  request.release();
  expect(responses.held()).toBe(250_000);
  sent();
  expect(responses.held()).toBe(0);
});

test('D250: a response that does not fit is rejected while it is built, and counts no longer', () => {
  const responses = createByteBudget(1_000_000);
  const request = admissionWith({ responses }).request(undefined, connection());
  request.endSlice(900_000);
  expect(() => request.endSlice(200_000)).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  expect(() => request.reserve(2_000_000)).toThrow(/use up the memory/);
  request.release();
  expect(responses.held()).toBe(0);
});

test('D250: yields after a slice of time, and ends the work of a client that has disconnected', async () => {
  const client = connection();
  const admission = admissionWith();
  const request = admission.request(undefined, client);
  await request.turn();
  expect(request.endSlice()).toBeUndefined();
  work();
  const pause = request.endSlice();
  expect(pause).toBeInstanceOf(Promise);
  await pause;
  expect(request.endSlice()).toBeUndefined();
  // Another request runs, so that this one has to wait.
  await nextLoop();
  await admission.request(undefined, connection()).turn();
  work();
  const ended = request.endSlice();
  client.resetAndDestroy();
  await expect(ended).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
});
