import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultSchedule, Scheduler } from '../../src/admission/scheduler.ts';
import { stranger, tenant } from './support.ts';

const settings = { ...defaultSchedule, maxUnproven: 20 };

/** Bytes of a request that is read in steps. */
const LONG = 100_000;

/** Names that are addresses have proven nothing. */
const flowOf = (name: string) => (name.includes('.') ? stranger(name) : tenant(...(name.split(' ') as [string, string])));

interface Sent {
  readonly flow: string;
  isGone: boolean;
  outcome: string | undefined;
}

/** Turns by a clock and an event loop of the test, with everything that waits in them. */
function stage() {
  let now = 0;
  let shed = 0;
  let worked: (() => void)[] = [];
  let looped: (() => void)[] = [];
  const scheduler = new Scheduler(
    () => shed++,
    settings,
    () => now,
    { afterWork: (next) => worked.push(next), afterLoop: (next) => looped.push(next) },
  );
  const sent: Sent[] = [];
  const gathering = { asked: 0, done: 0 };
  const unsettled = () => sent.filter(({ outcome }) => outcome === undefined);
  const settle = async () => {
    for (let drained = 0; drained < 4; drained++) await Promise.resolve();
  };
  const take = {
    send(flow: string, isGone = false, hasBegun = false) {
      const request: Sent = { flow, isGone, outcome: undefined };
      sent.push(request);
      const isLeft = () => request.isGone;
      const turn = hasBegun ? scheduler.yieldToOthers(flowOf(flow), LONG, isLeft) : scheduler.wait(flowOf(flow), isLeft);
      if (turn === undefined) request.outcome = 'begun';
      turn?.then(
        () => (request.outcome = 'begun'),
        (error) => (request.outcome = error.code),
      );
    },
    leave() {
      const [oldest] = unsettled();
      if (oldest !== undefined) oldest.isGone = true;
    },
    gather() {
      gathering.asked += 1;
      scheduler.commitReady().then(() => (gathering.done += 1));
    },
    async work(ms: number) {
      now += ms;
      const due = worked;
      worked = [];
      for (const next of due) next();
      await settle();
    },
    /** The event loop goes on once there is no more to compute. */
    async loop(ms: number) {
      while (worked.length > 0) await take.work(0);
      now += ms;
      const due = looped;
      looped = [];
      for (const next of due) next();
      await settle();
    },
  };
  return {
    take,
    scheduler,
    sent,
    unsettled,
    gathering,
    shed: () => shed,
    isWorking: () => worked.length > 0,
    isLoopAwaited: () => looped.length > 0,
    settle,
  };
}

const ms = fc.constantFrom(0, 0.1, 0.5, 1, 2, 3, 9, 60, 700);
/** What can happen. `leave`: the client of the oldest request that waits hangs up. `work`: what is at work takes so long. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      flow: fc.constantFrom('a u', 'a v', 'b w', '192.0.2.1', '192.0.2.2', '198.51.100.1'),
      isGone: fc.constantFrom(false, false, false, true),
      hasBegun: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('gather' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('work' as const), ms }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('loop' as const), ms }) },
);

describe('D163: scheduler under random sequences of events', () => {
  test('every request starts or is shed, every commit runs, and the counter equals the queue length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), ms, fc.boolean(), async (steps, turnMs, isCommitting) => {
        const { take, scheduler, sent, unsettled, gathering, shed, isLoopAwaited, settle } = stage();
        for (const each of steps) {
          if (each.kind === 'send') take.send(each.flow, each.isGone, each.hasBegun);
          else if (each.kind === 'leave') take.leave();
          else if (each.kind === 'gather') take.gather();
          else await take[each.kind](each.ms);
          await settle();
          expect(scheduler.waiting).toBe(unsettled().length);
          if (unsettled().length > 0 || gathering.done < gathering.asked) expect(isLoopAwaited()).toBe(true);
        }
        // Nothing more comes but commits of what has begun, and turns of the loop may be long: each second one begins something.
        for (let left = unsettled().length * 2 + 2; left > 0; left--) {
          if (isCommitting) take.gather();
          await take.loop(turnMs);
        }
        expect(unsettled()).toEqual([]);
        expect(scheduler.waiting).toBe(0);
        await take.loop(0);
        expect(gathering.done).toBe(gathering.asked);
        expect(isLoopAwaited()).toBe(false);
        expect(sent.filter(({ outcome }) => outcome === 'OVERLOADED')).toHaveLength(shed());
        for (const { isGone, outcome } of sent) if (outcome === 'REQUEST_TIMEOUT') expect(isGone).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('a flow with one request per event-loop turn does not monopolize the loop', async () => {
    const { take, sent, unsettled, isWorking } = stage();
    const begun = (flow: string) => sent.filter((each) => each.flow === flow && each.outcome === 'begun').length;
    take.send('other o');
    for (let each = 0; each < 2_000; each++) take.send('busy b');
    let turnsOfBusy = 0;
    for (let turn = 0; turn < 100; turn++) {
      const before = begun('busy b');
      if (unsettled().every(({ flow }) => flow !== 'quick q')) take.send('quick q');
      take.gather();
      while (isWorking()) await take.work(0.1);
      await take.loop(0.1);
      if (begun('busy b') > before) turnsOfBusy += 1;
    }
    expect(begun('quick q')).toBeGreaterThan(25);
    expect(turnsOfBusy).toBeGreaterThan(25);
  });
});
