import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreError } from '../../src/store/store-errors.ts';
import { startChild } from './child.ts';
import { commitOf, createOrganization } from './rows.ts';

describe.each(['sqlite', 'postgres'] as const)('crashes of a process on %s', (engine) => {
  let location: string;
  let store: Store;
  let remove: () => Promise<void>;
  /** Whether a migration is running. */
  let isMigrating: () => Promise<boolean>;

  beforeAll(async () => {
    if (engine === 'sqlite') {
      const directory = makeDataDirectory('crash');
      location = join(directory, 'countersign.db');
      store = await openSqlite({ file: location });
      remove = () => rm(directory, { recursive: true });
      isMigrating = async () => {
        const probe = await openSqlite({ file: location, busyTimeoutMs: 20 }).catch((error: unknown) => error);
        if (probe instanceof StoreError) return probe.message.includes('locked');
        await (probe as Store).close();
        return false;
      };
    } else {
      const database: TestDatabase = await createDatabase();
      location = database.url;
      store = await openPostgres({ url: location });
      remove = () => database.drop();
      const sleeping = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'";
      isMigrating = async () => (await database.query(sleeping)).rows.length > 0;
    }
  });
  afterAll(async () => {
    await store?.close();
    await remove();
  });

  test('R1: every commit that a process acknowledged before kill -9 is stored', async () => {
    const organizationId = await createOrganization(store);
    const child = await startChild({ location, commitTo: { organizationId, count: 100_000, bodyLength: 1_000 } });
    await child.printed(50);
    await child.kill();
    expect(child.lines.length).toBeGreaterThanOrEqual(50);
    for (const id of child.lines) expect(await store.activities.get(organizationId, id), id).toBeDefined();
    expect(await store.commit([commitOf(organizationId)])).toEqual([{ taken: true }]);
  });

  test('processes that commit to one organization concurrently all succeed', async () => {
    const organizationId = await createOrganization(store);
    const task = { location, commitTo: { organizationId, count: 60, bodyLength: 100 } };
    const children = await Promise.all([startChild(task), startChild(task)]);
    expect(await Promise.all(children.map((child) => child.ended()))).toEqual([0, 0]);
    const ids = children.flatMap((child) => child.lines);
    const stored = await store.activities.page(organizationId, {}, { limit: 1_000 });
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set([...ids, stored.at(-1)?.id]));
    expect(ids).toHaveLength(120);
  });

  test('the installation lock is released when its process is killed', async () => {
    const child = await startChild({ location, lock: 'exclusive' });
    await child.printed(1);
    await expect(store.lockInstallation('shared')).rejects.toThrow(StoreError);
    await child.kill();
    const release = await eventually(() => store.lockInstallation('shared'));
    await expect(store.lockInstallation('exclusive')).rejects.toThrow(StoreError);
    await release();
  });

  test('fault 12: a migration that is killed half way is rolled back and runs again', async () => {
    const child = await startChild({ location, endlessMigration: true });
    await child.printed(1);
    while (!(await isMigrating())) await sleep(20);
    await child.kill();
    const again = await eventually(() =>
      engine === 'sqlite' ? openSqlite({ file: location }) : openPostgres({ url: location }),
    );
    expect((await again.describe()).schemaVersion).toBe(migrations.at(-1)?.id);
    expect(await createOrganization(again)).toEqual(expect.any(String));
    await again.close();
  });
});

/** PostgreSQL notices the end of a client a moment later, when it next reads from it. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await sleep(50);
    }
  }
  return attempt();
}
