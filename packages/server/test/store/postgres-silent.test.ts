import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSwitchProxy, type SwitchProxy } from '../../../../test/faults/fault/support/switch-proxy.ts';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { StoreUnavailable } from '../../src/store/store-errors.ts';

describe('a PostgreSQL that takes connections and says nothing', () => {
  let database: TestDatabase;
  let way: SwitchProxy;

  beforeAll(async () => {
    database = await createDatabase();
    way = await createSwitchProxy();
    way.lead(Number(new URL(database.url).port));
  });
  afterAll(async () => {
    await way?.close();
    await database?.drop();
  });

  const byTheWay = () => {
    const url = new URL(database.url);
    url.port = String(way.port);
    return url.href;
  };

  test('a start waits for it, and goes on when it answers', async () => {
    way.holdBack();
    const opening = openPostgres({ url: byTheWay(), connectTimeoutMs: 300 });
    await sleep(700); // more than one attempt
    way.lead(Number(new URL(database.url).port));
    await (await opening).close();
  });

  test('a start gives up at last, and says why', async () => {
    way.holdBack();
    await expect(openPostgres({ url: byTheWay(), connectTimeoutMs: 100, startupTimeoutMs: 300 })).rejects.toThrow(
      /^PostgreSQL does not respond at /,
    );
    way.lead(Number(new URL(database.url).port));
  });

  test('D203: waiting for a named lock fails with StoreUnavailable while the database is silent', async () => {
    const store = await openPostgres({ url: byTheWay(), connectTimeoutMs: 300 });
    way.holdBack();
    await expect(store.withLock('an organization', async () => 'done')).rejects.toThrow(StoreUnavailable);
    await store.close();
  });
});
