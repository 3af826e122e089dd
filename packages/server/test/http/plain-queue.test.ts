import { expect, test } from 'vitest';
import { createPlainQueue } from '../../src/http/plain-queue.ts';

function harness() {
  const turns: (() => void)[] = [];
  const clock = { nowMs: 1_000 };
  const queue = createPlainQueue(
    (turn) => void turns.push(turn),
    () => clock.nowMs,
  );
  return { queue, clock, turn: () => turns.shift()?.(), waiting: () => turns.length };
}

test('works in the order of arrival, in slices that yield', () => {
  const { queue, turn, waiting } = harness();
  const done: number[] = [];
  for (let i = 0; i < 150; i++) queue.add(() => void done.push(i));
  const counts: number[] = [];
  while (waiting() > 0) {
    turn();
    counts.push(done.length);
  }
  expect(counts).toEqual([64, 128, 150]);
  expect(done).toEqual(Array.from({ length: 150 }, (_, i) => i));
});

test.each([
  ['many short', 0.1, 101],
  ['few long', 1, 11],
])('D244: turns that bring connections are left to the next one for ten milliseconds: %s ones', (_case, turnMs, expected) => {
  const { queue, clock, turn, waiting } = harness();
  for (let again = 0; again < 2; again++) {
    let done = 0;
    for (let count = 0; count < 65; count++) queue.add(() => void done++);
    let turns = 0;
    for (; done === 0; turns++) {
      queue.noteArrival();
      turn();
      clock.nowMs += turnMs;
    }
    expect(Math.abs(turns - expected)).toBeLessThanOrEqual(1);
    // The rest has its own ten milliseconds, and a turn without a connection does not wait.
    queue.noteArrival();
    turn();
    expect(done).toBe(64);
    turn();
    expect([done, waiting()]).toEqual([65, 0]);
  }
});

test('work that is added while others are worked on waits for the next turn', () => {
  const { queue, turn, waiting } = harness();
  const done: string[] = [];
  queue.add(() => {
    done.push('first');
    queue.add(() => void done.push('second'));
  });
  turn();
  expect(done).toEqual(['first']);
  expect(waiting()).toBe(1);
  turn();
  expect(done).toEqual(['first', 'second']);
});

test('D245: what is ready can be hurried, once, and not while connections come first', () => {
  const { queue, clock, turn, waiting } = harness();
  const done: number[] = [];
  for (let i = 0; i < 70; i++) queue.add(() => void done.push(i));
  queue.noteArrival();
  queue.hurry();
  expect(done).toEqual([]);
  clock.nowMs += 11;
  queue.hurry();
  expect(done).toHaveLength(64);
  turn();
  turn();
  expect(done).toEqual(Array.from({ length: 70 }, (_, i) => i));
  expect(waiting()).toBe(0);
  queue.hurry();
  expect(done).toHaveLength(70);
  queue.add(() => void done.push(70));
  expect(waiting()).toBe(1);
});
