import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createOrganizationLock } from '../../src/pipeline/commit/organization-lock.ts';

const createLock = (timeoutMs = 60_000) => createOrganizationLock((_, task) => task(), timeoutMs);

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
