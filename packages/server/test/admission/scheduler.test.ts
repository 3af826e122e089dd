import { describe, expect, test } from 'vitest';
import { defaultSchedule, Scheduler } from '../../src/admission/scheduler.ts';
import { stranger, tenant } from './support.ts';

const settings = { ...defaultSchedule, sliceMs: 4, gatherMs: 12, targetMs: 200, intervalMs: 300 };

/** Names that are addresses have proven nothing. Others are an organization, or an organization and a user. */
const flowOf = (name: string) => (/[.:]/.test(name) ? stranger(name) : tenant(...(name.split(' ') as [string, string])));

/** Turns by a clock and an event loop of the test. */
function simulate() {
  let now = 0;
  let working: (() => void) | undefined;
  let looping: (() => void) | undefined;
  let shed = 0;
  const served: string[] = [];
  const scheduler = new Scheduler(
    () => shed++,
    settings,
    () => now,
    {
      afterWork: (next) => {
        working = next;
      },
      afterLoop: (next) => {
        looping = next;
      },
    },
  );
  /** Sends a request of a flow. Its outcome is noted. */
  const send = (flow: string, isGone = () => false) => {
    const turn = scheduler.wait(flowOf(flow), isGone);
    if (turn === undefined) served.push(flow);
    else
      turn.then(
        () => served.push(flow),
        (error) => served.push(`${flow} ${error.code}`),
      );
  };
  /** A request at work, of so many bytes, has come to its next step. */
  const goOn = (name: string, flow: string, bytes = 100_000) => {
    scheduler.yieldToOthers(flowOf(flow), bytes, () => false)?.then(() => served.push(name));
  };
  /** The request at work takes so long. Then the next has its turn. */
  const work = async (ms: number, andLoop = true) => {
    now += ms;
    const done = working;
    working = undefined;
    done?.();
    if (working === undefined && andLoop) {
      const looked = looping;
      looping = undefined;
      looked?.();
    }
    for (let drained = 0; drained < 5; drained++) await Promise.resolve();
  };
  /** Whether the event loop goes on before the next work. */
  const isLooping = () => working === undefined;
  let commits = 0;
  let isGathering = false;
  /** How often it was time to commit. Gathers for the next. */
  const countCommits = () => {
    if (!isGathering) {
      isGathering = true;
      scheduler.commitReady().then(() => {
        commits += 1;
        isGathering = false;
      });
    }
    return commits;
  };
  return {
    send,
    goOn,
    work,
    served,
    shed: () => shed,
    scheduler,
    isLooping,
    pass: (ms: number) => (now += ms),
    commits: countCommits,
  };
}

describe('D163: fair scheduling', () => {
  test('starts work immediately if the queue is empty', () => {
    const { send, served } = simulate();
    send('a');
    expect(served).toEqual(['a']);
  });

  test('a quiet flow does not wait behind the queue of a noisy flow', async () => {
    const { send, work, served } = simulate();
    for (let sent = 0; sent < 100; sent++) send('noisy');
    await work(1);
    send('quiet');
    await work(1);
    await work(1);
    expect(served.indexOf('quiet')).toBeLessThan(4);
  });

  test('D245: a request that arrives while a noisy flow runs is scheduled before its commit', async () => {
    const { send, work, served, commits } = simulate();
    for (let sent = 0; sent < 100; sent++) send('noisy');
    commits();
    await work(4);
    send('quiet');
    await work(4);
    expect(served.at(-1)).toBe('quiet');
    expect(commits()).toBe(0);
  });

  test('flows share time, not the number of requests', async () => {
    const { send, work, served } = simulate();
    send('first');
    for (let sent = 0; sent < 300; sent++) {
      send('slow');
      send('fast');
    }
    await work(1);
    for (let turn = 0; turn < 200; turn++) await work(served.at(-1) === 'slow' ? 10 : 1);
    const count = (flow: string) => served.filter((each) => each === flow).length;
    expect(count('fast') / count('slow')).toBeGreaterThan(6);
    expect(count('fast') / count('slow')).toBeLessThan(14);
  });

  test('a flow that exceeded its share is scheduled later', async () => {
    const { send, work, served } = simulate();
    send('first');
    send('slow');
    for (let sent = 0; sent < 50; sent++) send('other');
    await work(1);
    await work(100);
    send('slow');
    for (let turn = 0; turn < 20; turn++) await work(1);
    expect(served.filter((flow) => flow === 'slow')).toHaveLength(1);
    expect(served.filter((flow) => flow === 'other').length).toBeGreaterThan(15);
  });

  test('D247: a long request yields between its steps, and its flow finishes it before starting another', async () => {
    const { send, goOn, work, served } = simulate();
    send('a');
    send('a');
    send('b');
    goOn('second step', 'a');
    await work(3);
    goOn('third step', 'a');
    await work(3);
    await work(1);
    await work(3);
    await work(3);
    expect(served).toEqual(['a', 'second step', 'b', 'third step', 'a']);
  });

  test('a short request runs all its steps in one turn', () => {
    const { scheduler } = simulate();
    expect(scheduler.yieldToOthers(tenant('a'), 32_768, () => false)).toBeUndefined();
    expect(scheduler.waiting).toBe(0);
  });

  test('D247: started work is never shed', async () => {
    const { send, goOn, work, served, shed } = simulate();
    send('a');
    goOn('next step', 'a');
    for (let sent = 0; sent < 10; sent++) send('a');
    await work(1_000, false);
    for (let turn = 0; turn < 10; turn++) await work(400);
    expect(served).toContain('next step');
    expect(shed()).toBeGreaterThan(0);
  });

  test('does not start work whose client has disconnected', async () => {
    const { send, work, served } = simulate();
    send('a');
    send('left', () => true);
    send('b');
    await work(1);
    expect(served).toEqual(['a', 'left REQUEST_TIMEOUT', 'b']);
  });
});

describe('group commit', () => {
  test('commits immediately if nothing else is queued', async () => {
    const { send, work, commits } = simulate();
    send('a');
    commits();
    await work(1);
    expect(commits()).toBe(1);
  });

  test('commits after the queue was empty, even if new work has arrived', async () => {
    const { send, work, commits } = simulate();
    send('a');
    send('a');
    commits();
    await work(1, false);
    await work(1, false);
    send('a');
    send('a');
    await work(1);
    expect(commits()).toBe(0);
    await work(1);
    expect(commits()).toBe(1);
  });

  test('commits after work that took longer than a slice, if nothing else arrives', async () => {
    const { send, work, commits } = simulate();
    send('a');
    send('a');
    commits();
    await work(20);
    await work(20);
    await work(0);
    expect(commits()).toBe(1);
  });

  test('collects several milliseconds of work while more is queued', async () => {
    const { send, work, commits, served } = simulate();
    for (let sent = 0; sent < 100; sent++) send('a');
    commits();
    for (let turn = 0; turn < 12; turn++) await work(1);
    expect(commits()).toBe(1);
    expect(served.length).toBeGreaterThan(8);
    expect(served.length).toBeLessThan(14);
  });

  test('a flow that is alone runs without polling for new arrivals', async () => {
    const { send, work, scheduler, isLooping, pass } = simulate();
    const sliceOf = async () => {
      for (let sent = 0; sent < 100; sent++) send('a');
      let ms = 0;
      for (; !isLooping(); ms++) await work(1, false);
      while (scheduler.waiting > 0) await work(1);
      return ms;
    };
    expect(await sliceOf()).toBe(settings.gatherMs);
    send('b');
    for (let turn = 0; turn < 20; turn++) await work(1);
    expect(await sliceOf()).toBeLessThanOrEqual(settings.sliceMs);
    pass(2_000);
    await work(1);
    expect(await sliceOf()).toBe(settings.gatherMs);
  });

  test('commits the work of an idle flow soon, next to a flow that always has more', async () => {
    const { send, work, commits, served } = simulate();
    for (let sent = 0; sent < 100; sent++) send('noisy');
    await work(4);
    await work(4);
    send('quiet');
    commits();
    await work(1);
    expect(served.at(-1)).toBe('quiet');
    for (let turn = 0; turn < 7 && commits() === 0; turn++) await work(1);
    expect(commits()).toBe(1);
    expect(served.length).toBeLessThan(10);
  });

  test('commits before the next long work of a busy flow', async () => {
    const { send, work, commits, served } = simulate();
    for (let sent = 0; sent < 100; sent++) send('noisy');
    await work(7);
    await work(7);
    send('quiet');
    send('other');
    commits();
    await work(7);
    expect(served.at(-1)).toBe('quiet');
    await work(1);
    expect(served.at(-1)).toBe('other');
    await work(1);
    expect(commits()).toBe(1);
    expect(served.at(-1)).toBe('other');
  });

  test('does not delay work if there is nothing to commit', async () => {
    const { send, work, served } = simulate();
    for (let sent = 0; sent < 10; sent++) send('noisy');
    await work(7);
    send('quiet');
    for (let turn = 0; turn < 30; turn++) await work(1);
    expect(served).toHaveLength(11);
  });

  test('concurrent callers share one promise', async () => {
    const { send, work, scheduler } = simulate();
    send('a');
    const first = scheduler.commitReady();
    expect(scheduler.commitReady()).toBe(first);
    await work(1);
    await first;
    expect(scheduler.commitReady()).not.toBe(first);
  });
});

describe('D165: load shedding', () => {
  test('sheds the flow with the longest queue and serves the rest in time', async () => {
    const { send, work, served, shed, scheduler } = simulate();
    send('first');
    for (let turn = 0; turn < 1500; turn++) {
      for (let sent = 0; sent < 5; sent++) send('noisy');
      if (turn % 20 === 0) send('quiet');
      await work(1);
    }
    expect(shed()).toBeGreaterThan(3000);
    expect(scheduler.waiting).toBeLessThan(3000);
    expect(served.filter((flow) => flow === 'quiet')).toHaveLength(75);
    expect(served.some((flow) => flow === 'quiet OVERLOADED')).toBe(false);
    expect(served.filter((flow) => flow === 'noisy').length).toBeGreaterThan(1300);
  });

  test('serves a short burst completely', async () => {
    const { send, work, served, shed } = simulate();
    for (let sent = 0; sent < 250; sent++) send('a');
    for (let turn = 0; turn < 260; turn++) await work(1);
    expect(served.filter((flow) => flow === 'a')).toHaveLength(250);
    expect(shed()).toBe(0);
  });
});

/** Sends from so many addresses before every step, and a request of a quiet tenant from time to time. */
async function flood(addressOf: (sent: number) => string, { every = 5, ms = 1, turns = 600, perTurn = 8 } = {}) {
  const world = simulate();
  const waits: number[] = [];
  let sent = 0;
  world.send('first');
  for (let turn = 0; turn < turns; turn++) {
    for (let each = 0; each < perTurn; each++) world.send(addressOf(sent++));
    if (turn % every === 0) {
      world.send('quiet');
      const before = world.served.length;
      for (let waited = 0; !world.served.slice(before).includes('quiet') && waited < 50; waited++) await world.work(ms);
      waits.push(world.served.slice(before).filter((each) => !each.endsWith('OVERLOADED')).length);
    } else await world.work(ms);
  }
  return { ...world, waits };
}

const hostOf = (sent: number, hosts: number) => `10.${(sent % hosts) >> 8}.${(sent % hosts) & 255}.1`;

describe('D340: many addresses', () => {
  test.each([1, 256, 2000])(
    'a proven tenant waits for at most two requests of %i addresses, and is never shed',
    async (hosts) => {
      const { served, waits } = await flood((sent) => hostOf(sent, hosts));
      expect(waits).toHaveLength(120);
      expect(Math.max(...waits)).toBeLessThanOrEqual(3);
      expect(served).not.toContain('quiet OVERLOADED');
      expect(served.some((each) => each.endsWith('.1 OVERLOADED'))).toBe(true);
    },
  );

  test('while tenants wait, all addresses together get a fifth of the time, and no less', async () => {
    const { send, work, served } = simulate();
    send('first');
    for (let sent = 0; sent < 600; sent++) {
      send('tenant');
      send(hostOf(sent, 600));
    }
    for (let turn = 0; turn < 500; turn++) await work(0.2);
    const tenants = served.filter((each) => each === 'tenant').length;
    expect(tenants / served.length).toBeGreaterThan(0.75);
    expect(tenants / served.length).toBeLessThan(0.85);
  });

  test('a person at a new address gets a turn beside an address with hundreds of requests', async () => {
    const { send, work, served } = simulate();
    send('first');
    for (let sent = 0; sent < 500; sent++) send(sent % 2 === 0 ? '10.0.0.1' : '10.0.0.2');
    await work(1);
    send('192.0.2.7');
    for (let turn = 0; turn < 4; turn++) await work(1);
    expect(served).toContain('192.0.2.7');
  });

  test('the owner of a /48 gets one turn among others, not one for each of its networks', async () => {
    const { send, work, served } = simulate();
    send('first');
    for (let network = 0; network < 1000; network++) send(`2001:db8:1:${network.toString(16)}::1`);
    for (const other of ['2001:db8:2::1', '2001:db8:3::1', '192.0.2.1']) send(other);
    for (let turn = 0; turn < 9; turn++) await work(1);
    expect(served).toEqual(expect.arrayContaining(['2001:db8:2::1', '2001:db8:3::1', '192.0.2.1']));
  });

  test('the queue of unproven requests is bounded: the block with the most loses its oldest', async () => {
    const { send, work, served, scheduler } = simulate();
    send('first');
    send('192.0.2.7');
    for (let sent = 0; sent < 5000; sent++) send(`10.0.0.${sent % 200}`);
    send('tenant');
    expect(scheduler.waiting).toBe(4096 + 1);
    await work(0.1);
    await work(0.1);
    expect(served.filter((each) => each.startsWith('10.0.0.') && each.endsWith('OVERLOADED'))).toHaveLength(905);
    expect(served).toContain('tenant');
    for (let turn = 0; turn < 5; turn++) await work(0.1);
    expect(served).toContain('192.0.2.7');
  });

  test('while connections arrive, unproven requests leave the processor early, and proven ones do not', async () => {
    const sliceOf = async (flow: (sent: number) => string) => {
      const { send, work, scheduler, isLooping } = simulate();
      for (let sent = 0; sent < 300; sent++) send(flow(sent));
      while (!isLooping()) await work(0.1, false);
      scheduler.accepted();
      await work(0);
      let turns = 0;
      for (; !isLooping(); turns++) await work(0.1, false);
      return turns;
    };
    expect(await sliceOf((sent) => hostOf(sent, 300))).toBeLessThan(5);
    expect(await sliceOf(() => 'tenant')).toBeGreaterThan(30);
  });

  test('results of a tenant are committed without waiting for unproven requests', async () => {
    const { send, work, commits } = simulate();
    for (let sent = 0; sent < 300; sent++) send(hostOf(sent, 300));
    await work(4);
    send('tenant');
    commits();
    for (let turn = 0; turn < 3 && commits() === 0; turn++) await work(4);
    expect(commits()).toBe(1);
  });
});

describe('D342: users of one organization', () => {
  test('a user with hundreds of requests does not delay a colleague', async () => {
    const { send, work, served } = simulate();
    for (let sent = 0; sent < 400; sent++) send('org powerless');
    const waits: number[] = [];
    for (let asked = 0; asked < 20; asked++) {
      const before = served.length;
      send('org colleague');
      while (!served.slice(before).includes('org colleague')) await work(1);
      waits.push(served.length - before);
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(4);
  });

  test('the results of a colleague are committed soon', async () => {
    const { send, work, commits, served } = simulate();
    for (let sent = 0; sent < 100; sent++) send('org powerless');
    await work(4);
    await work(4);
    send('org colleague');
    commits();
    await work(1);
    expect(served.at(-1)).toBe('org colleague');
    for (let turn = 0; turn < 7 && commits() === 0; turn++) await work(1);
    expect(commits()).toBe(1);
    expect(served.length).toBeLessThan(10);
  });

  test('sessions of one user share the turns of that user', async () => {
    const { scheduler, send, work, served } = simulate();
    send('first');
    const powerless = (session: number) => tenant('org', 'powerless', `session ${session}`);
    for (let session = 0; session < 300; session++)
      scheduler.wait(powerless(session), () => false)?.then(() => served.push('powerless'));
    for (let sent = 0; sent < 300; sent++) send('org colleague');
    for (let turn = 0; turn < 200; turn++) await work(1);
    const share = served.filter((each) => each === 'powerless').length / served.length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  test('the user with the most overdue requests is shed, not the colleague', async () => {
    const { send, work, served, shed } = simulate();
    send('first');
    for (let turn = 0; turn < 1500; turn++) {
      for (let sent = 0; sent < 5; sent++) send('org powerless');
      if (turn % 20 === 0) send('org colleague');
      await work(1);
    }
    expect(shed()).toBeGreaterThan(3000);
    expect(served.filter((each) => each === 'org colleague')).toHaveLength(75);
  });
});
