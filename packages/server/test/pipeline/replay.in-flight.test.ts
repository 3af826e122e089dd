import { ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { InFlight } from '../../src/pipeline/commit/replay.ts';
import { StoreUnavailable } from '../../src/store/store-errors.ts';

/** Work that a test ends, and the calls so far: for each, whether it was a repetition. */
function heldWork() {
  const calls: boolean[] = [];
  const ends: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const work = (isRepeated: boolean) => {
    calls.push(isRepeated);
    return new Promise<string>((resolve, reject) => ends.push({ resolve, reject }));
  };
  return { calls, ends, work };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('executions in progress', () => {
  test('a copy that arrives in the same turn waits: nothing is awaited between reading and setting the map', async () => {
    const inFlight = new InFlight<string>();
    const { calls, ends, work } = heldWork();
    const copies = Array.from({ length: 5 }, () => inFlight.run('a', work));
    expect(calls).toEqual([false]);
    await turn();
    expect(calls).toEqual([false]);
    ends[0]?.resolve('first');
    expect(await copies[0]).toBe('first');
    await turn();
    expect(calls).toEqual([false, true, true, true, true]);
    for (const { resolve } of ends) resolve('stored');
    expect(await Promise.all(copies)).toEqual(['first', 'stored', 'stored', 'stored', 'stored']);
  });

  test('a copy that arrives later waits too', async () => {
    const inFlight = new InFlight<string>();
    const { calls, ends, work } = heldWork();
    const first = inFlight.run('a', work);
    await turn();
    const second = inFlight.run('a', work);
    await turn();
    expect(calls).toEqual([false]);
    ends[0]?.resolve('first');
    await first;
    await turn();
    expect(calls).toEqual([false, true]);
    ends[1]?.resolve('stored');
    expect(await second).toBe('stored');
  });

  test('other keys do not wait', async () => {
    const inFlight = new InFlight<string>();
    const { calls, ends, work } = heldWork();
    const both = [inFlight.run('a', work), inFlight.run('b', work)];
    expect(calls).toEqual([false, false]);
    for (const { resolve } of ends) resolve('done');
    await Promise.all(both);
  });

  test('a request after the end is a new one', async () => {
    const inFlight = new InFlight<string>();
    const isRepeated = async (repeated: boolean) => String(repeated);
    expect(await inFlight.run('a', isRepeated)).toBe('false');
    expect(await inFlight.run('a', isRepeated)).toBe('false');
    await expect(inFlight.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await inFlight.run('a', isRepeated)).toBe('false');
  });

  test('a failure belongs to its own caller', async () => {
    const inFlight = new InFlight<string>();
    const { calls, ends, work } = heldWork();
    const [first, second] = [inFlight.run('a', work), inFlight.run('a', work)];
    ends[0]?.reject(new ServiceError('POLICY_DENIED', 'no'));
    await expect(first).rejects.toMatchObject({ code: 'POLICY_DENIED' });
    await turn();
    expect(calls).toEqual([false, true]);
    ends[1]?.resolve('own');
    expect(await second).toBe('own');
  });

  test.each([
    ['the store', new StoreUnavailable('the database is gone', { outcomeUnknown: false })],
    ['the service', new ServiceError('UNAVAILABLE', 'later')],
  ])('an outage of %s fails the copies without another wait', async (_, outage) => {
    const inFlight = new InFlight<string>();
    const { calls, ends, work } = heldWork();
    const both = [inFlight.run('a', work), inFlight.run('a', work)];
    ends[0]?.reject(outage);
    for (const { status, reason } of (await Promise.allSettled(both)) as PromiseRejectedResult[])
      expect([status, reason]).toEqual(['rejected', outage]);
    expect(calls).toEqual([false]);
  });
});
