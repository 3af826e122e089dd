import { describe, expect, test } from 'vitest';
import { createSlices, inSlices, mapInSlices, nextTurn } from '../../src/admission/cooperative.ts';

const loopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('cooperative scheduling of long work', () => {
  test('D247: resumes one task per event-loop turn, in FIFO order', async () => {
    const went: number[] = [];
    const pieces = [0, 1, 2, 3].map((piece) => nextTurn('a').then(() => went.push(piece)));
    const seen: number[][] = [];
    for (let turn = 0; turn < 4; turn++) {
      await loopTurn();
      seen.push([...went]);
    }
    await Promise.all(pieces);
    expect(seen).toEqual([[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]]);
  });

  test('D247: an event-loop turn takes one slice, no matter how much work is queued', async () => {
    let inThisTurn = 0;
    let most = 0;
    const work = async () => {
      const endSlice = createSlices('a');
      for (let step = 0; step < 6; step++) {
        const until = performance.now() + 3;
        while (performance.now() < until);
        inThisTurn += 1;
        await endSlice();
      }
    };
    const works = [work(), work(), work(), work()];
    inThisTurn = 0;
    let isDone = false;
    const all = Promise.all(works).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await loopTurn();
      most = Math.max(most, inThisTurn);
      inThisTurn = 0;
    }
    await all;
    expect(most).toBe(1);
  });

  test('processes each item once and in order, and stops at the first failure', async () => {
    const begun: number[] = [];
    const slowly = async (item: number, index: number) => {
      begun.push(item);
      const until = performance.now() + 1;
      while (performance.now() < until);
      if (item === 8) throw new Error('eight');
      return [item, index];
    };
    expect(await mapInSlices([5, 6, 7], createSlices('a'), slowly)).toEqual([
      [5, 0],
      [6, 1],
      [7, 2],
    ]);
    await expect(mapInSlices([7, 8, 9], createSlices('a'), slowly)).rejects.toThrow('eight');
    expect(begun).toEqual([5, 6, 7, 7, 8]);
  });

  test('a task that waits again goes to the end of the queue', async () => {
    const order: string[] = [];
    const twice = nextTurn('a').then(() => {
      order.push('a');
      return nextTurn('a').then(() => order.push('a again'));
    });
    const once = nextTurn('a').then(() => order.push('b'));
    await Promise.all([twice, once]);
    expect(order).toEqual(['a', 'b', 'a again']);
  });

  test('D247: tasks alternate between organizations', async () => {
    const order: string[] = [];
    const ask = (owner: string) => nextTurn(owner).then(() => order.push(owner));
    const many = Array.from({ length: 200 }, () => ask('many'));
    const few = [ask('few').then(() => ask('few')), ask('another')];
    await Promise.all([...many, ...few]);
    expect(order.lastIndexOf('few')).toBeLessThan(8);
    expect(order.indexOf('another')).toBeLessThan(8);
  });

  test('a generator of steps returns its result', async () => {
    function* steps() {
      for (let step = 0; step < 5; step++) yield;
      return 'done';
    }
    expect(await inSlices(steps(), createSlices('a'))).toBe('done');
  });
});
