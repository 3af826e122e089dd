import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSwitchProxy, type SwitchProxy } from '../../../../test/fault/support/switch-proxy.ts';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { StoreUnavailable } from '../../src/store/store-faults.ts';

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

  test('D203: a node that waits for its turn gets a failure that a later retry mends, not an unexpected one', async () => {
    const url = new URL(database.url);
    url.port = String(way.port);
    const store = await openPostgres({ url: url.href, connectTimeoutMs: 300 });
    way.holdBack();
    await expect(store.inTurn('an organization', async () => 'done')).rejects.toThrow(StoreUnavailable);
    await store.close();
  });
});
