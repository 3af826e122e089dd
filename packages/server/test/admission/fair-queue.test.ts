import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairQueue } from '../../src/admission/fair-queue.ts';

/** Takes `turns` items, each of which runs for `costOf` milliseconds. */
function serve(queue: FairQueue<string>, turns: number, costOf: (item: string) => number = () => 1): string[] {
  const served: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const taken = queue.take();
    if (taken === undefined) break;
    served.push(taken.item);
    taken.charge(costOf(taken.item));
  }
  return served;
}

const count = (served: readonly string[], name: string) => served.filter((each) => each === name).length;

describe('fair queue', () => {
  test('flows of one level share time, whatever their items cost', () => {
    const queue = new FairQueue<string>({ quantumMs: 2, newFirst: true });
    for (let sent = 0; sent < 500; sent++) for (const name of ['cheap', 'expensive']) queue.push([name], name);
    const served = serve(queue, 220, (item) => (item === 'cheap' ? 1 : 10));
    expect(count(served, 'cheap') / count(served, 'expensive')).toBeGreaterThan(8);
  });

  test('flows below one flow share its turns, however many they are', () => {
    const queue = new FairQueue<string>({ quantumMs: 1, newFirst: false });
    for (let name = 0; name < 1000; name++) queue.push(['many', `${name}`], 'many');
    for (let sent = 0; sent < 1000; sent++) queue.push(['few', 'one'], 'few');
    const served = serve(queue, 400);
    expect(count(served, 'few')).toBeGreaterThanOrEqual(199);
  });

  test('items of a flow run in order, its own before those below it', () => {
    const queue = new FairQueue<string>({ quantumMs: 10, newFirst: true });
    for (const item of ['1', '2', '3']) queue.push(['a', 'b'], item);
    queue.push(['a'], 'first');
    expect(serve(queue, 9)).toEqual(['first', '1', '2', '3']);
  });

  test('a new flow runs first, but not again with its next item', () => {
    const queue = new FairQueue<string>({ quantumMs: 1, newFirst: true });
    for (let sent = 0; sent < 99; sent++) queue.push(['busy'], 'busy');
    serve(queue, 2);
    queue.push(['new'], 'new');
    expect(serve(queue, 1)).toEqual(['new']);
    const served: string[] = [];
    for (let turn = 0; turn < 40; turn++) {
      queue.push(['new'], 'again');
      served.push(...serve(queue, 1));
    }
    expect(count(served, 'busy')).toBe(20);
  });

  test('without priority for new flows, names that are used once do not delay the others', () => {
    const queue = new FairQueue<string>({ quantumMs: 1, newFirst: false });
    for (let sent = 0; sent < 3; sent++) queue.push(['steady'], 'steady');
    const served: string[] = [];
    for (let name = 0; name < 10; name++) {
      queue.push([`${name}`], 'once');
      served.push(...serve(queue, 1));
    }
    expect(count(served, 'steady')).toBe(3);
  });

  test('drops from the longest flow at each level, or everywhere', () => {
    const queue = new FairQueue<string>({ quantumMs: 1, newFirst: true });
    queue.push(['a', 'x'], 'ax');
    for (let sent = 0; sent < 3; sent++) queue.push(['b', 'y'], 'by');
    queue.push(['b', 'z'], 'bz');
    expect(queue.dropOfLongest((item) => item === 'by')).toEqual(['by', 'by', 'by']);
    expect(queue.waiting).toBe(2);
    expect(queue.someFirst((item) => item === 'bz')).toBe(true);
    expect(queue.dropWhere((item) => item !== 'bz')).toEqual(['ax']);
    expect(serve(queue, 9)).toEqual(['bz']);
  });

  test('every item is taken or dropped once, and the number of waiting items is right', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
    const step = fc.oneof(
      { weight: 3, arbitrary: path.map((names) => ({ kind: 'push' as const, names })) },
      { weight: 2, arbitrary: fc.double({ min: 0, max: 9, noNaN: true }).map((ms) => ({ kind: 'take' as const, ms })) },
      { weight: 1, arbitrary: fc.constantFrom({ kind: 'dropWhere' as const }, { kind: 'dropOfLongest' as const }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, newFirst) => {
        const queue = new FairQueue<number>({ quantumMs: 2, newFirst });
        const waiting = new Set<number>();
        const leave = (item: number) => expect(waiting.delete(item)).toBe(true);
        for (const [number, each] of steps.entries()) {
          if (each.kind === 'push') {
            waiting.add(number);
            queue.push(each.names, number);
          } else if (each.kind === 'take') {
            const taken = queue.take();
            expect(taken === undefined).toBe(waiting.size === 0);
            if (taken === undefined) continue;
            leave(taken.item);
            taken.charge(each.ms);
          } else for (const item of queue[each.kind]((item) => item % 2 === 0)) leave(item);
          expect(queue.waiting).toBe(waiting.size);
        }
        for (let taken = queue.take(); taken !== undefined; taken = queue.take()) leave(taken.item);
        expect(waiting.size).toBe(0);
      }),
    );
  });
});
