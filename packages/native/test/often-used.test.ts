import { expect, test } from 'vitest';
import { OftenUsed } from '../src/index.ts';

const rules = { capacity: 2, usesBefore: 3, idleUses: 10 };

test('a table is made once, after enough uses', () => {
  const all = new OftenUsed<string>(rules);
  let made = 0;
  const key = all.key(() => `table ${++made}`);
  for (let i = 0; i < 2; i++) key.use();
  expect(key.table).toBeUndefined();
  for (let i = 0; i < 5; i++) key.use();
  expect(key.table).toBe('table 1');
  expect(all.size).toBe(1);
});

test('D152: busy keys keep their tables, and later ones go without', () => {
  const all = new OftenUsed<number>(rules);
  const keys = Array.from({ length: 5 }, (_, i) => all.key(() => i));
  for (let round = 0; round < 50; round++) for (const key of keys) key.use();
  expect(keys.map(({ table }) => table)).toEqual([0, 1, undefined, undefined, undefined]);
  expect(all.size).toBe(2);
});

test('D152: a table that nobody uses any more makes room', () => {
  const all = new OftenUsed<number>(rules);
  const [first, second, third] = [all.key(() => 1), all.key(() => 2), all.key(() => 3)];
  for (let i = 0; i < 3; i++) for (const key of [first, second]) key.use();
  for (let i = 0; i < 30; i++) for (const key of [second, third]) key.use();
  expect([first, second, third].map(({ table }) => table)).toEqual([undefined, 2, 3]);
  expect(all.size).toBe(2);
});

test('a table in the making counts, and is dropped if its key was released meanwhile', async () => {
  const all = new OftenUsed<number>(rules);
  let finish = (_: number) => {};
  const key = all.key(() => new Promise<number>((resolve) => (finish = resolve)));
  for (let i = 0; i < 3; i++) key.use();
  expect(all.size).toBe(1);
  key.release();
  finish(1);
  await Promise.resolve();
  expect(key.table).toBeUndefined();
  expect(all.size).toBe(0);
});

test('a key whose table cannot be made is used without one', async () => {
  const all = new OftenUsed<number>(rules);
  let tries = 0;
  const failing = () => {
    tries++;
    throw new Error('no');
  };
  const keys = [all.key(failing), all.key(async () => failing())];
  for (let i = 0; i < 20; i++) for (const key of keys) key.use();
  await new Promise((resolve) => setImmediate(resolve));
  for (const key of keys) key.use();
  expect(tries).toBe(2);
  expect(keys.map(({ table }) => table)).toEqual([undefined, undefined]);
  expect(all.size).toBe(0);
});
