import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLongPoll, type Wait, type Waiter } from '../../src/log/long-poll.ts';

/** What the database says, and how often it was asked. */
const database = { queued: [] as string[], sequence: 0, looks: 0 };
const store = {
  async heads(ids: readonly string[]) {
    database.looks += 1;
    return ids.map((organizationId) => ({
      organizationId,
      sequence: database.sequence,
      leafHash: new Uint8Array(),
      headVersion: 0,
      headDigest: new Uint8Array(),
    }));
  },
  queuedOrganizations: async () => database.queued,
};

const waiter = (more: Partial<Waiter> = {}): Waiter => ({
  userId: 'ann',
  homeId: 'acme',
  organizationId: 'acme',
  from: 8,
  ms: 25_000,
  isGone: () => false,
  ...more,
});

/** What `next` came to; undefined while it waits. */
function watch(wait: Wait): { result?: boolean } {
  const seen: { result?: boolean } = {};
  wait.next().then((result) => {
    seen.result = result;
  });
  return seen;
}

describe('long poll', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    Object.assign(database, { queued: [], sequence: 7, looks: 0 });
  });
  afterEach(() => vi.useRealTimers());
  const setup = () => createLongPoll(store, () => Date.now());

  test('a commit of this process wakes only the waiters of its organization', async () => {
    const waits = setup();
    const [own, other] = [waits.begin(waiter()), waits.begin(waiter({ organizationId: 'other', homeId: 'other' }))];
    const [ownSeen, otherSeen] = [watch(own), watch(other)];
    waits.notify('acme');
    await vi.advanceTimersByTimeAsync(100);
    expect([ownSeen.result, otherSeen.result]).toEqual([true, undefined]);
    own.end();
    other.end();
  });

  test('does not miss a commit between the check and the wait', async () => {
    const waits = setup();
    const wait = waits.begin(waiter());
    waits.notify('acme');
    await vi.advanceTimersByTimeAsync(100);
    expect(await wait.next()).toBe(true);
    wait.end();
  });

  test.each([
    ['waits in the queue', { queued: ['acme'] }],
    ['is in the log', { sequence: 8 }],
  ])('a step of another process that %s is found', async (_, found) => {
    const waits = setup();
    const wait = waits.begin(waiter());
    const seen = watch(wait);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(seen.result).toBeUndefined();
    Object.assign(database, found);
    await vi.advanceTimersByTimeAsync(600);
    expect(seen.result).toBe(true);
    wait.end();
  });

  test('all waiters share one poll, and without waiters there is no poll', async () => {
    const waits = setup();
    const many = Array.from({ length: 100 }, (_, index) => waits.begin(waiter({ userId: `u${index}` })));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(database.looks).toBe(10);
    for (const wait of many) wait.end();
    await vi.advanceTimersByTimeAsync(5_000);
    expect([database.looks, waits.size(), vi.getTimerCount()]).toEqual([10, 0, 0]);
  });

  test('a timeout, a disconnect and a shutdown each end the wait', async () => {
    const waits = setup();
    let gone = false;
    const short = waits.begin(waiter({ ms: 1_000 }));
    const left = waits.begin(waiter({ isGone: () => gone }));
    const long = waits.begin(waiter());
    const seen = [watch(short), watch(left), watch(long)];
    await vi.advanceTimersByTimeAsync(1_500);
    expect(seen.map(({ result }) => result)).toEqual([false, undefined, undefined]);
    gone = true;
    await vi.advanceTimersByTimeAsync(500);
    expect(seen.map(({ result }) => result)).toEqual([false, false, undefined]);
    waits.drain();
    await vi.advanceTimersByTimeAsync(0);
    expect(seen[2]?.result).toBe(false);
    expect(await waits.begin(waiter()).next()).toBe(false);
    for (const wait of [short, left, long]) wait.end();
  });

  test('a busy organization wakes its waiters at most four times a second', async () => {
    const waits = setup();
    let wakes = 0;
    let isOver = false;
    // As a client does: every answer is followed by the next request.
    const follow = async () => {
      while (!isOver) {
        const wait = waits.begin(waiter());
        if (await wait.next()) wakes += 1;
        wait.end();
      }
    };
    const following = follow();
    for (let ms = 0; ms < 2_000; ms += 10) {
      waits.notify('acme');
      await vi.advanceTimersByTimeAsync(10);
    }
    isOver = true;
    waits.drain();
    await following;
    expect(wakes).toBeLessThanOrEqual(8);
    expect(wakes).toBeGreaterThan(5);
  });

  test('D194: limits the concurrent waits per user, and frees ended ones', () => {
    const waits = setup();
    const held = Array.from({ length: 16 }, () => waits.begin(waiter()));
    expect(() => waits.begin(waiter())).toThrow(expect.objectContaining({ code: 'RATE_LIMIT_EXCEEDED' }));
    // In whatever organization the user waits.
    expect(() => waits.begin(waiter({ organizationId: 'sub' }))).toThrow('of this user');
    waits.begin(waiter({ userId: 'bob' })).end();
    held[0]?.end();
    held[0]?.end();
    held[0] = waits.begin(waiter());
    expect(() => waits.begin(waiter())).toThrow('of this user');
    const others = Array.from({ length: 240 }, (_, index) => waits.begin(waiter({ userId: `u${index}` })));
    expect(() => waits.begin(waiter({ userId: 'bob' }))).toThrow('of this organization');
    waits.begin(waiter({ homeId: 'other', userId: 'bob' })).end();
    for (const wait of [...held, ...others]) wait.end();
    expect(waits.size()).toBe(0);
  });
});
