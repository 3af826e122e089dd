import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import type { Store } from '../../src/store/store.ts';

describe('the lock that nodes share', () => {
  let database: TestDatabase;
  let [first, second]: (Store | undefined)[] = [];

  beforeAll(async () => {
    database = await createMigratedDatabase();
    first = await openPostgres({ url: database.url });
    second = await openPostgres({ url: database.url });
  });
  afterAll(async () => {
    await Promise.all([first?.close(), second?.close()]);
    await database?.drop();
  });

  test('one process has it at a time, in the order of requests', async () => {
    const order: string[] = [];
    const turn = (store: Store | undefined, name: string) =>
      store?.withLock('o', async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        order.push(`${name} ends`);
      });
    await Promise.all([turn(first, 'first'), turn(second, 'second'), turn(first, 'third')]);
    expect(order.map((line) => line.split(' ')[1])).toEqual(['begins', 'ends', 'begins', 'ends', 'begins', 'ends']);
  });

  test('D530: a process that hangs with the lock delays others, and does not stop them', async () => {
    const begun = new Promise<void>((resolve) => {
      // It never ends.
      void first?.withLock('o', () => {
        resolve();
        return new Promise<void>(() => undefined);
      });
    });
    await begun;
    expect(await second?.withLock('o', async () => 'my turn')).toBe('my turn');
    // Its connection is gone, and the next lock uses another one.
    expect(await first?.withLock('o', async () => 'after that')).toBe('after that');
  });
});
