import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningPostgres, startPostgres } from '../../../../test/support/postgres.ts';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { StoreUnavailable } from '../../src/store/store-errors.ts';
import { commitOf, createOrganization } from './rows.ts';

/** A separate server, because the test crashes it. It runs without fsync, because the machine does not crash. */
describe('a crashing PostgreSQL server', () => {
  let server: RunningPostgres;
  let database: TestDatabase;

  beforeAll(async () => {
    server = await startPostgres(['-c', 'fsync=off', '-c', 'restart_after_crash=on']);
    database = await createDatabase(server.url);
  });
  afterAll(() => server?.stop());

  test('R1: fsync = off is refused by name, and reported if it was allowed', async () => {
    await expect(openPostgres({ url: database.url })).rejects.toThrow('has fsync switched off');
    const store = await openPostgres({ url: database.url, allowUnsafe: true });
    expect(await store.describe()).toMatchObject({ durable: false, facts: { fsync: 'off', full_page_writes: 'on' } });
    await store.close();
  });

  test('fault 2: a crash under load loses nothing acknowledged, and the store works again within ten seconds', async () => {
    const store = await openPostgres({ url: database.url, allowUnsafe: true });
    const organizationId = await createOrganization(store);
    const acknowledged: string[] = [];
    const failures: unknown[] = [];
    let crashed = false;
    let recovered = false;

    async function load(): Promise<void> {
      const deadline = performance.now() + 10_000;
      while (!recovered && performance.now() < deadline) {
        const commit = commitOf(organizationId);
        const startedAfterCrash = crashed;
        try {
          await store.commit([commit]);
          acknowledged.push(commit.activity.id);
          if (startedAfterCrash) recovered = true;
        } catch (error) {
          failures.push(error);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    }
    const workers = [load(), load(), load()];
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Killing one backend makes the server end all others and recover from its log.
    const { rows } = await database.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countersign'",
    );
    process.kill(rows[0].pid, 'SIGKILL');
    crashed = true;
    await Promise.all(workers);

    expect(recovered).toBe(true);
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) expect(failure).toBeInstanceOf(StoreUnavailable);
    for (const id of acknowledged) expect(await store.activities.get(organizationId, id), id).toBeDefined();
    await store.close();
  });
});
