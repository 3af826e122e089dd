import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_BEHIND_MS, startFlow } from '../../../src/installation/clock/service-clock.ts';
import { ManualClock } from './manual-clock.ts';

const begin = 1_800_000_000_000;

test('time is that of the machine while its clock goes on, also over a leap forward', () => {
  const system = new ManualClock(begin);
  const flow = startFlow(system, 0);
  expect(flow.nowMs()).toBe(begin);
  system.pass(1_234);
  expect(flow.nowMs()).toBe(begin + 1_234);
  system.step(86_400_000);
  expect(flow.nowMs()).toBe(begin + 86_401_234);
  expect(flow.pace()).toBe('system');
});

test('after a small step back time stands still until the clock has caught up', () => {
  const system = new ManualClock(begin);
  const flow = startFlow(system, 0);
  flow.nowMs();
  system.step(-3_000);
  expect([flow.pace(), flow.nowMs()]).toEqual(['still', begin]);
  system.pass(2_000);
  expect(flow.nowMs()).toBe(begin);
  system.pass(1_500);
  expect([flow.pace(), flow.nowMs()]).toEqual(['system', begin + 500]);
});

test('after a larger step back time goes on at half speed, and meets the clock', () => {
  const system = new ManualClock(begin);
  const flow = startFlow(system, 0);
  flow.nowMs();
  system.step(-60_000);
  expect([flow.nowMs(), flow.pace()]).toEqual([begin, 'slow']);
  for (let second = 1; second <= 100; second++) {
    system.pass(1_000);
    expect(flow.nowMs()).toBe(begin + second * 500);
  }
  system.pass(8_000);
  expect([flow.nowMs(), flow.pace()]).toEqual([begin + 54_000, 'slow']);
  system.pass(3_000);
  expect([flow.nowMs(), flow.pace()]).toEqual([begin + 55_500, 'still']);
  system.pass(10_000);
  expect([flow.nowMs(), flow.pace()]).toEqual([begin + 61_000, 'system']);
});

test('beyond the bound time goes on at full speed: what is to expire does, a minute after a minute', () => {
  const system = new ManualClock(begin);
  const flow = startFlow(system, 0);
  flow.nowMs();
  system.step(-MAX_BEHIND_MS - 1_000);
  flow.nowMs();
  system.pass(600_000);
  expect([flow.nowMs(), flow.pace()]).toEqual([begin + 600_000, 'steady']);
});

test('time never goes back, whatever the machine does', () => {
  const move = fc.record({
    pass: fc.nat(100_000),
    step: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    raise: fc.nat(1_000_000),
  });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 50 }), (moves) => {
      const system = new ManualClock(begin);
      const flow = startFlow(system, begin);
      let last = 0;
      for (const { pass, step, raise } of moves) {
        system.pass(pass);
        system.step(step);
        if (raise % 7 === 0) flow.raiseTo(begin + raise);
        const nowMs = flow.nowMs();
        expect(Number.isSafeInteger(nowMs)).toBe(true);
        expect(nowMs).toBeGreaterThanOrEqual(Math.max(last, system.nowMs()));
        last = nowMs;
      }
    }),
  );
});
