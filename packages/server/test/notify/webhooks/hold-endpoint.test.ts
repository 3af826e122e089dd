import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { holdEndpoint } from '../../../src/notify/webhooks/hold-endpoint.ts';
import { Installation } from '../../vault/support.ts';

const endpoint = { listenerId: 'o', endpointId: 'e' };
const SECOND = 1_000;

describe('the lease on an endpoint', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const clock = { nowMs: () => Date.now() };

  /** The events of a real store that can be made to fail, and another process that requests the lease. */
  async function scene() {
    const { events } = (await Installation.create()).store;
    const state = { down: false };
    const lease: typeof events.lease = async (...asked) => {
      if (state.down) throw new Error('the database does not respond');
      return events.lease(...asked);
    };
    return {
      state,
      events,
      take: (holder: string) => holdEndpoint({ ...events, lease }, clock, endpoint, holder),
      otherGets: () => events.lease(endpoint, 'other', Date.now(), 60 * SECOND),
      async pass(seconds: number) {
        for (let second = 0; second < seconds; second++) await vi.advanceTimersByTimeAsync(SECOND);
      },
    };
  }

  test('it belongs to one process while that lives, and is free at once after its release', async () => {
    const { take, otherGets, pass } = await scene();
    const hold = await take('one');
    expect(await take('two')).toBeUndefined();
    for (let minute = 0; minute < 3; minute++) {
      await pass(60);
      expect([hold?.isKept(), await otherGets()]).toEqual([true, false]);
    }
    await hold?.end();
    expect(await otherGets()).toBe(true);
    await pass(60);
    expect(await otherGets()).toBe(true);
  });

  test('it can be released with a pause in which nobody tries', async () => {
    const { take, otherGets, pass } = await scene();
    const hold = await take('one');
    await hold?.end(clock.nowMs() + 60 * SECOND);
    await pass(59);
    expect([await otherGets(), await take('one')]).toEqual([false, undefined]);
    await pass(1);
    expect(await otherGets()).toBe(true);
  });

  test('the lease of a dead process is free within seconds', async () => {
    const { events, otherGets, pass } = await scene();
    const dies = { lease: events.lease, release: events.release, pause: events.pause };
    await holdEndpoint(dies, clock, endpoint, 'one');
    vi.clearAllTimers();
    expect(await otherGets()).toBe(false);
    await pass(20);
    expect(await otherGets()).toBe(true);
  });

  test('a short database outage does not lose the lease', async () => {
    const { state, take, otherGets, pass } = await scene();
    const hold = await take('one');
    state.down = true;
    await pass(9);
    state.down = false;
    await pass(30);
    expect([hold?.isKept(), await otherGets()]).toEqual([true, false]);
    await hold?.end();
  });

  test('a renewal answered too late does not restore the lease', async () => {
    const { events, otherGets, pass } = await scene();
    let answer: () => void = () => undefined;
    let slow = false;
    const lease: typeof events.lease = async (...asked) => {
      if (slow) await new Promise<void>((resolve) => (answer = resolve));
      return events.lease(...asked);
    };
    const hold = await holdEndpoint({ ...events, lease }, clock, endpoint, 'one');
    slow = true;
    await pass(20);
    expect(hold?.isKept()).toBe(false);
    answer();
    await pass(1);
    expect(hold?.isKept()).toBe(false);
    slow = false;
    await hold?.end();
    expect(await otherGets()).toBe(true);
  });

  test('a lost lease stays lost, even after the other process has released it', async () => {
    const { state, events, take, otherGets, pass } = await scene();
    const hold = await take('one');
    state.down = true;
    await pass(20);
    expect(hold?.isKept()).toBe(false);
    expect(await otherGets()).toBe(true);
    state.down = false;
    await pass(10);
    expect(hold?.isKept()).toBe(false);
    await events.release(endpoint, 'other');
    await pass(10);
    expect(hold?.isKept()).toBe(false);
    await hold?.end();
    expect(await otherGets()).toBe(true);
  });
});
