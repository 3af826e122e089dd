import { describe, expect, test } from 'vitest';
import { createSlices, inSlices, mapInSlices, nextTurn } from '../../src/admission/cooperative.ts';

const loopTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('long work', () => {
  test('D247: one piece goes on in each turn of the event loop, in the order of asking', async () => {
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

  test('D247: a turn is as long as one slice, however much long work there is', async () => {
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

  test('items are worked on in their order, each once, and what fails ends the work', async () => {
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

  test('who waits for a turn again comes after all who wait', async () => {
    const order: string[] = [];
    const twice = nextTurn('a').then(() => {
      order.push('a');
      return nextTurn('a').then(() => order.push('a again'));
    });
    const once = nextTurn('a').then(() => order.push('b'));
    await Promise.all([twice, once]);
    expect(order).toEqual(['a', 'b', 'a again']);
  });

  test('D247: work of one organization does not wait for all of another', async () => {
    const order: string[] = [];
    const ask = (owner: string) => nextTurn(owner).then(() => order.push(owner));
    const many = Array.from({ length: 200 }, () => ask('many'));
    const few = [ask('few').then(() => ask('few')), ask('another')];
    await Promise.all([...many, ...few]);
    expect(order.lastIndexOf('few')).toBeLessThan(8);
    expect(order.indexOf('another')).toBeLessThan(8);
  });

  test('work in steps gives its result', async () => {
    function* steps() {
      for (let step = 0; step < 5; step++) yield;
      return 'done';
    }
    expect(await inSlices(steps(), createSlices('a'))).toBe('done');
  });
});
