import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOrganizationLock, type OrganizationLock } from '../../src/pipeline/commit/organization-lock.ts';

const createLock = (timeoutMs = 60_000) =>
  createOrganizationLock({ lockNodes: (_, task) => task(), refresh: async () => false, timeoutMs });

/** Processes that share a lock, which they get in the order of their requests, and a clock. */
function createNodes(count: number, refresh: () => Promise<boolean> = async () => true) {
  const shared = { nowMs: 0, holders: 0, turns: [] as number[] };
  let tail: Promise<unknown> = Promise.resolve();
  const nodes = Array.from({ length: count }, (_, node) =>
    createOrganizationLock({
      lockNodes(_, task) {
        const own = tail.then(async () => {
          shared.turns.push(node);
          shared.holders += 1;
          await task().finally(() => {
            shared.holders -= 1;
          });
        });
        tail = own.catch(() => undefined);
        return own;
      },
      refresh,
      timeoutMs: 60_000,
      nowMs: () => shared.nowMs,
    }),
  );
  return { nodes, shared };
}

describe('the lock of an organization', () => {
  test('tasks of one key never overlap and keep their order; tasks of different keys do overlap', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat(3) }), { maxLength: 30 }),
        async (tasks) => {
          const lock = createLock();
          const running = new Map<string, number>();
          const finished: { key: string; index: number }[] = [];
          await Promise.all(
            tasks.map(({ key, ticks }, index) =>
              lock.run(key, async () => {
                running.set(key, (running.get(key) ?? 0) + 1);
                expect(running.get(key)).toBe(1);
                for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
                running.set(key, 0);
                finished.push({ key, index });
              }),
            ),
          );
          for (const wanted of ['a', 'b', 'c']) {
            const order = finished.filter(({ key }) => key === wanted).map(({ index }) => index);
            expect(order).toEqual(order.toSorted((a, b) => a - b));
          }
          expect(finished).toHaveLength(tasks.length);
        },
      ),
    );
  });

  test('different keys do not wait for each other', async () => {
    const lock = createLock();
    let release = () => {};
    const held = lock.run('a', () => new Promise<void>((resolve) => (release = resolve)));
    expect(await lock.run('b', async () => 'through')).toBe('through');
    release();
    await held;
  });

  test('a failed task fails only for its own caller', async () => {
    const lock = createLock();
    const failing = lock.run('a', () => Promise.reject(new Error('mine')));
    const next = lock.run('a', async () => 'fine');
    await expect(failing).rejects.toThrow('mine');
    expect(await next).toBe('fine');
  });

  test('R7: rejects a task that waited too long, without running it', async () => {
    const lock = createLock(20);
    const slow = lock.run('a', () => new Promise((resolve) => setTimeout(resolve, 50)));
    let ran = false;
    const late = lock.run('a', async () => {
      ran = true;
    });
    await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await slow;
    expect(ran).toBe(false);
    expect(await lock.run('a', async () => 'through')).toBe('through');
  });
});

describe('turns of nodes', () => {
  test('a change that was not lost takes no turn', async () => {
    const { nodes, shared } = createNodes(1);
    await nodes[0]?.run('a', async () => 'done');
    expect(shared.turns).toEqual([]);
  });

  test('after a lost change, later changes take a turn from their first attempt on, until none was lost for a while', async () => {
    const { nodes, shared } = createNodes(1, async () => false);
    const [node] = nodes as [OrganizationLock];
    await node.run('a', async () => 'again', true);
    await node.run('a', async () => 'next');
    await node.run('b', async () => 'another organization');
    expect(shared.turns).toEqual([0, 0]);
    shared.nowMs += 5_000;
    await node.run('a', async () => 'alone again');
    expect(shared.turns).toEqual([0, 0]);
  });

  test('nodes keep taking turns while each finds changes of the others', async () => {
    const { nodes, shared } = createNodes(1);
    const [node] = nodes as [OrganizationLock];
    await node.run('a', async () => 'again', true);
    for (let at = 0; at < 4; at++) {
      shared.nowMs += 3_000;
      await node.run('a', async () => 'next');
    }
    expect(shared.turns).toHaveLength(5);
  });

  test('queued changes share a turn, which ends with the last of them', async () => {
    const { nodes, shared } = createNodes(2);
    const [first, second] = nodes as [OrganizationLock, OrganizationLock];
    const order: string[] = [];
    const task = (name: string) => async () => {
      expect(shared.holders).toBe(1);
      order.push(name);
    };
    await Promise.all([
      ...['a1', 'a2', 'a3'].map((name) => first.run('a', task(name), true)),
      ...['b1', 'b2'].map((name) => second.run('a', task(name), true)),
    ]);
    expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
    expect(shared.turns).toEqual([0, 1]);
    await first.run('a', task('a4'));
    expect(shared.turns).toEqual([0, 1, 0]);
  });

  test('a turn gives way to other nodes, however many changes are queued', async () => {
    const { nodes, shared } = createNodes(2);
    const [first, second] = nodes as [OrganizationLock, OrganizationLock];
    const order: string[] = [];
    const task = (name: string) => async () => {
      order.push(name);
      shared.nowMs += 25;
    };
    await Promise.all([
      ...['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((name) => first.run('a', task(name), true)),
      second.run('a', task('b1'), true),
    ]);
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'a5', 'a6']);
  });

  test('D530: a turn that cannot begin fails only the change that waited for it', async () => {
    const failures = [new Error('no lock')];
    const lock = createOrganizationLock({
      lockNodes: async (_, task) => {
        const failure = failures.pop();
        if (failure !== undefined) throw failure;
        await task();
      },
      refresh: async () => false,
      timeoutMs: 60_000,
    });
    const [failed, next] = [lock.run('a', async () => 'first', true), lock.run('a', async () => 'second', true)];
    await expect(failed).rejects.toThrow('no lock');
    expect(await next).toBe('second');
  });

  test('D530: a lock that is lost during a turn changes nothing for the changes in it', async () => {
    const lock = createOrganizationLock({
      lockNodes: (_, task) => Promise.race([task(), Promise.reject(new Error('the connection was closed'))]),
      refresh: async () => false,
      timeoutMs: 60_000,
    });
    expect(await Promise.all(['first', 'second'].map((name) => lock.run('a', async () => name, true)))).toEqual([
      'first',
      'second',
    ]);
  });
});
