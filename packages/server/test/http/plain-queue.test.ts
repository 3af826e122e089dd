import { expect, test } from 'vitest';
import { createPlainQueue } from '../../src/http/plain-queue.ts';

function harness() {
  const turns: (() => void)[] = [];
  const queue = createPlainQueue((turn) => void turns.push(turn));
  return { queue, turn: () => turns.shift()?.(), waiting: () => turns.length };
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

test('a turn that brought a connection is left to the next one, within bounds', () => {
  const { queue, turn } = harness();
  let done = 0;
  queue.add(() => void done++);
  let turns = 0;
  while (done === 0) {
    queue.noteArrival();
    turn();
    turns++;
  }
  expect(turns).toBe(257);
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
