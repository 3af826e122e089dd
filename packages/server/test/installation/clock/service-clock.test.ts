import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../../../../test/support/installation.ts';
import { ClockError } from '../../../src/installation/clock/clock-error.ts';
import { type ClockHighWater, clockHighWater } from '../../../src/installation/clock/clock-high-water.ts';
import { MAX_BEHIND_MS, openServiceClock, type ServiceClock } from '../../../src/installation/clock/service-clock.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { openIntegrity } from '../../../src/vault/integrity/integrity.ts';
import { Secret } from '../../../src/vault/keys/secret.ts';
import { ManualClock } from './manual-clock.ts';

const begin = 1_800_000_000_000;
const hour = 3_600_000;
const { integrity } = openIntegrity(new Secret(new Uint8Array(32).fill(1)));
const other = openIntegrity(new Secret(new Uint8Array(32).fill(2))).integrity;

describe.each(['sqlite', 'postgres'] as const)('the clock of an installation on %s', (engine) => {
  let installation: Installation;
  let store: Store;
  let marks: ClockHighWater;
  let system: ManualClock;
  let reports: string[];
  let opened: ServiceClock[] = [];

  beforeAll(async () => {
    installation = await engines[engine]();
    store = await openStore(installation.config);
    marks = clockHighWater(store.vault, integrity);
  });
  afterAll(async () => {
    await store?.close();
    await installation?.remove();
  });
  beforeEach(async () => {
    await (await installation.raw()).run('DELETE FROM settings');
    system = new ManualClock(begin);
    reports = [];
  });
  afterEach(async () => {
    for (const clock of opened) await clock.close();
    opened = [];
  });

  async function open(machine = system, kept = marks): Promise<ServiceClock> {
    const clock = await openServiceClock(kept, machine, {
      warn: (message) => reports.push(`warning: ${message}`),
      alarm: (message) => reports.push(`alarm: ${message}`),
    });
    opened.push(clock);
    return clock;
  }

  /** The time, once no restart can bring it back: what a commit rests on. */
  async function settledTime(clock: ServiceClock): Promise<number> {
    const nowMs = clock.nowMs();
    await clock.settled();
    return nowMs;
  }

  const markedMs = async () => (await marks.read())?.atMs;

  test('fault 9: a process that starts with an earlier clock begins after every time given before, with no close between', async () => {
    const first = await open();
    system.pass(90_000);
    const last = await settledTime(first);
    expect(last).toBe(begin + 90_000);
    system.step(-90_000);
    const second = await open();
    expect(second.nowMs()).toBeGreaterThan(last);
    expect(reports).toEqual([expect.stringMatching(/^warning: This machine's clock is 92 seconds behind/)]);
  });

  test('fault 9: no settled time comes back, whatever clocks and restarts do within the bound', async () => {
    const move = fc.record({
      node: fc.nat(1),
      pass: fc.nat(4_000),
      step: fc.integer({ min: -60_000, max: 60_000 }),
      restarts: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
        await (await installation.raw()).run('DELETE FROM settings');
        const machines = [new ManualClock(begin), new ManualClock(begin)] as const;
        const clocks: [ServiceClock, ServiceClock] = [await open(machines[0]), await open(machines[1])];
        const last = [0, 0];
        let latest = 0;
        for (const { node, pass, step, restarts } of moves) {
          const at = node as 0 | 1;
          for (const machine of machines) machine.pass(pass);
          // Set back as far as the bound allows from what the installation has seen.
          machines[at].step(Math.max(step, latest - machines[at].nowMs() - MAX_BEHIND_MS + 5_000));
          if (restarts) {
            await clocks[at].close();
            clocks[at] = await open(machines[at]);
          }
          const nowMs = await settledTime(clocks[at]);
          expect(nowMs).toBeGreaterThanOrEqual(last[at] as number);
          if (restarts) expect(nowMs).toBeGreaterThan(latest);
          last[at] = nowMs;
          latest = Math.max(latest, nowMs);
        }
        for (const clock of clocks) await clock.close();
      }),
      { numRuns: 20 },
    );
  });

  test('fault 9: a clock far behind what the installation has seen does not start it, and says what to do', async () => {
    await settledTime(await open());
    system.step(-2 * hour);
    const refused = await open().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ClockError);
    expect(refused).toMatchObject({
      message: "This machine's clock is 2 hours behind the time that this installation has already seen.",
      fix: expect.stringContaining("'countersign clock accept'"),
    });
    system.step(2 * hour - MAX_BEHIND_MS + 5_000);
    expect((await open()).nowMs()).toBeGreaterThan(begin);
  });

  test('a clock that is set back far in a running process is an alarm; time goes on', async () => {
    const clock = await open();
    await settledTime(clock);
    system.step(-2 * hour);
    expect(clock.glanceMs()).toBe(begin);
    system.pass(60_000);
    expect(await settledTime(clock)).toBe(begin + 60_000);
    expect(reports).toEqual([expect.stringMatching(/^alarm: This machine's clock is 2 hours behind .*clock accept/)]);
  });

  test('nodes within the bound soon tell the same time, give or take what passes until it is noted', async () => {
    const behind = new ManualClock(begin - 4 * 60_000);
    const slow = await open(behind);
    const fast = await open(system);
    for (let round = 0; round < 20; round++) {
      for (const machine of [system, behind]) machine.pass(1_000);
      const apartMs = (await settledTime(fast)) - (await settledTime(slow));
      // A node learns of the others when it notes its own time.
      if (round > 3) expect(Math.abs(apartMs)).toBeLessThan(5_000);
    }
    expect(reports.filter((each) => each.startsWith('alarm'))).toEqual([]);
  });

  test('fault 9: a node whose clock leaps ahead neither moves nor stops the others; each of them sounds the alarm', async () => {
    const wrong = new ManualClock(begin);
    const right = await open(system);
    const leaping = await open(wrong);
    await settledTime(right);
    wrong.step(30 * 24 * hour);
    expect(await settledTime(leaping)).toBe(begin + 30 * 24 * hour);
    for (let second = 1; second <= 130; second++) {
      system.pass(1_000);
      expect(await settledTime(right)).toBe(begin + second * 1_000);
    }
    const alarms = reports.filter((each) => each.startsWith('alarm'));
    expect(alarms).toHaveLength(3);
    expect(alarms[0]).toMatch(/Another node has recorded a time that is 30 days ahead .* keeps its own time.*clock accept/);
    await expect(open(system)).rejects.toThrow('30 days behind');
  });

  test('starts in quick succession do not drive time ahead', async () => {
    await settledTime(await open());
    for (let start = 0; start < 30; start++) {
      system.pass(10);
      await settledTime(await open());
    }
    const clock = await open();
    expect(clock.nowMs()).toBeLessThan(system.nowMs() + 2_100);
    system.pass(3_000);
    expect(clock.nowMs()).toBe(system.nowMs());
    expect(reports).toEqual([]);
  });

  test('the mark is written about once a second, by one process for all, and not at all by a glance', async () => {
    const clocks = [await open(), await open(), await open()];
    await settledTime(clocks[0] as ServiceClock);
    const bodies = new Set<string | undefined>();
    for (let tenth = 0; tenth < 100; tenth++) {
      system.pass(100);
      for (const clock of clocks) await settledTime(clock);
      bodies.add((await marks.read())?.body);
    }
    expect(bodies.size).toBeGreaterThanOrEqual(4);
    expect(bodies.size).toBeLessThanOrEqual(11);

    for (const clock of clocks) await clock.close();
    const noted = await markedMs();
    const glancing = await open();
    system.pass(60_000);
    expect(glancing.glanceMs()).toBe(system.nowMs());
    await glancing.close();
    expect(await markedMs()).toBe(noted);
  });

  test('D62: a mark that the installation did not write is refused at the start, and replaced by a running process', async () => {
    const clock = await open();
    await settledTime(clock);
    const mark = await marks.read();
    const forgery = clockHighWater(store.vault, other);
    expect(await forgery.raise(begin + 60_000, mark)).toBe(begin + 60_000);
    await expect(open()).rejects.toThrow('The stored time of this installation was changed outside the service.');

    system.pass(5_000);
    expect(await settledTime(clock)).toBe(begin + 5_000);
    expect(reports).toEqual([expect.stringMatching(/^alarm: The stored time .* records its own time instead\.$/)]);
    expect(await markedMs()).toBe(begin + 5_000);
    for (const body of ['', '{}', 'null', '{"version":1,"atMs":1e300,"mac":""}']) {
      await store.vault.replaceSetting({ name: 'clock.time-mark', body }, (await marks.read())?.body);
      await expect(open()).rejects.toThrow(ClockError);
    }
  });

  test('while the database does not take the mark, nothing rests on the time; then all goes on', async () => {
    let broken = false;
    const failing: ClockHighWater = {
      read: () => (broken ? Promise.reject(new Error('no database')) : marks.read()),
      raise: (...values) => marks.raise(...values),
    };
    const clock = await open(system, failing);
    await settledTime(clock);
    broken = true;
    system.pass(10_000);
    expect(clock.nowMs()).toBe(begin + 10_000);
    await expect(clock.settled()).rejects.toThrow('no database');
    expect(reports).toEqual(['warning: The time could not be recorded in the database: no database']);
    broken = false;
    await clock.settled();
    expect(await markedMs()).toBe(begin + 10_000);
  });
});
