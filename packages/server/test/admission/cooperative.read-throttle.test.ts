import { describe, expect, test } from 'vitest';
import { ArrivingBody, createByteBudget, SlowBodies } from '../../src/admission/bodies.ts';
import { ReadThrottle } from '../../src/admission/cooperative.ts';

const CHUNK = 65_536;

/** An event loop whose turns the test takes, and bodies that bring a chunk in each turn in which they are read. */
function stage() {
  let turns: (() => void)[] = [];
  const throttle = new ReadThrottle((next) => turns.push(next));
  const body = (address: string) => {
    const made = {
      isRead: true,
      chunks: 0,
      pause: () => {
        made.isRead = false;
      },
      resume: () => {
        made.isRead = true;
      },
      arrive: () => {
        if (!made.isRead) return;
        made.chunks += 1;
        throttle.received(CHUNK, made, address);
      },
    };
    return made;
  };
  const turn = () => {
    const due = turns;
    turns = [];
    for (const next of due) next();
    return due.length;
  };
  return { body, turn };
}

describe('read throttle', () => {
  test('reads a few bodies without delay', () => {
    const { body, turn } = stage();
    const bodies = [body('a'), body('b')];
    for (let at = 0; at < 10; at++) {
      for (const each of bodies) each.arrive();
      turn();
    }
    expect(bodies.map(({ chunks }) => chunks)).toEqual([10, 10]);
  });

  test('D248: alternates between many bodies, and each makes progress', () => {
    const { body, turn } = stage();
    const bodies = Array.from({ length: 400 }, () => body('a'));
    const read = () => bodies.reduce((sum, { chunks }) => sum + chunks, 0);
    for (const each of bodies) each.arrive();
    turn();
    for (let at = 0; at < 200; at++) {
      const before = read();
      for (const each of bodies) each.arrive();
      expect(read() - before).toBeLessThanOrEqual(8);
      turn();
    }
    expect(Math.min(...bodies.map(({ chunks }) => chunks))).toBeGreaterThan(1);
  });

  test('D248: a body of another address does not wait for hundreds of bodies', () => {
    const { body, turn } = stage();
    const [many, one] = [Array.from({ length: 400 }, () => body('a')), body('b')];
    for (let at = 0; at < 40; at++) {
      for (const each of [...many, one]) each.arrive();
      turn();
    }
    expect(one.chunks).toBeGreaterThanOrEqual(15);
  });

  test('schedules nothing when no body waits', () => {
    const { body, turn } = stage();
    const bodies = Array.from({ length: 9 }, () => body('a'));
    for (const each of bodies) each.arrive();
    for (let at = 0; at < 3; at++) turn();
    expect(bodies.every(({ isRead }) => isRead)).toBe(true);
    expect(turn()).toBe(0);
  });
});

test('D248: pauses a body of one-byte chunks after a thousand chunks', () => {
  const unfinished = createByteBudget(100_000_000);
  const bounds = { unfinished, slow: new SlowBodies(), throttle: new ReadThrottle(() => {}) };
  let isRead = true;
  const body = { pause: () => (isRead = false), resume: () => (isRead = true) };
  const arriving = new ArrivingBody(
    bounds,
    'a',
    { body, connection: { resetAndDestroy() {} }, fail() {} },
    { isProven: false, name: 'a' },
  );
  let chunks = 0;
  for (; isRead && chunks < 10_000; chunks++) arriving.received(1);
  arriving.release();
  expect(chunks).toBeLessThan(1_100);
});
