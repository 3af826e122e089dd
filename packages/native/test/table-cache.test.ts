import { expect, test } from 'vitest';
import { TableCache } from '../src/index.ts';

const rules = { capacity: 2, usesBefore: 3, idleUses: 10 };

test('computes a table once, after enough uses', () => {
  const cache = new TableCache<string>(rules);
  let computed = 0;
  const key = cache.key(() => `table ${++computed}`);
  for (let i = 0; i < 2; i++) key.use();
  expect(key.table).toBeUndefined();
  for (let i = 0; i < 5; i++) key.use();
  expect(key.table).toBe('table 1');
  expect(cache.size).toBe(1);
});

test('D152: busy keys keep their tables, and later keys get none', () => {
  const cache = new TableCache<number>(rules);
  const keys = Array.from({ length: 5 }, (_, i) => cache.key(() => i));
  for (let round = 0; round < 50; round++) for (const key of keys) key.use();
  expect(keys.map(({ table }) => table)).toEqual([0, 1, undefined, undefined, undefined]);
  expect(cache.size).toBe(2);
});

test('D152: evicts an idle table', () => {
  const cache = new TableCache<number>(rules);
  const [first, second, third] = [cache.key(() => 1), cache.key(() => 2), cache.key(() => 3)];
  for (let i = 0; i < 3; i++) for (const key of [first, second]) key.use();
  for (let i = 0; i < 30; i++) for (const key of [second, third]) key.use();
  expect([first, second, third].map(({ table }) => table)).toEqual([undefined, 2, 3]);
  expect(cache.size).toBe(2);
});

test('counts a table during its computation, and drops it if its key was released', async () => {
  const cache = new TableCache<number>(rules);
  let finish = (_: number) => {};
  const key = cache.key(() => new Promise<number>((resolve) => (finish = resolve)));
  for (let i = 0; i < 3; i++) key.use();
  expect(cache.size).toBe(1);
  key.release();
  finish(1);
  await Promise.resolve();
  expect(key.table).toBeUndefined();
  expect(cache.size).toBe(0);
});

test('does not retry a failed computation', async () => {
  const cache = new TableCache<number>(rules);
  let tries = 0;
  const failing = () => {
    tries++;
    throw new Error('no');
  };
  const keys = [cache.key(failing), cache.key(async () => failing())];
  for (let i = 0; i < 20; i++) for (const key of keys) key.use();
  await new Promise((resolve) => setImmediate(resolve));
  for (const key of keys) key.use();
  expect(tries).toBe(2);
  expect(keys.map(({ table }) => table)).toEqual([undefined, undefined]);
  expect(cache.size).toBe(0);
});
