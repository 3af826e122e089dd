import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CrashablePostgres, type StandbyPostgres, startPostgres } from '../../../../test/support/postgres.ts';
import { createDatabase } from '../../../../test/support/postgres-database.ts';
import { standbyAdvice } from '../../src/commands/doctor/advice.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { createTargets } from '../../src/store/postgres/targets.ts';
import { DatabaseBehind, StoreError } from '../../src/store/store-errors.ts';
import { createOrganization } from './rows.ts';

describe('a database URL with several hosts', () => {
  let primary: CrashablePostgres;
  let standby: StandbyPostgres;
  let url: string;

  beforeAll(async () => {
    primary = await startPostgres();
    ({ url } = await createDatabase(primary.url));
    standby = await primary.addStandby(primary.port);
  });
  afterAll(() => Promise.all([primary?.stop(), standby?.stop()]));

  const at = (...ports: readonly number[]) => url.replace(/127\.0\.0\.1:\d+/, ports.map((port) => `127.0.0.1:${port}`).join(','));

  test('leads to the one that takes writes, in whatever order they are named', async () => {
    for (const ports of [
      [standby.port, primary.port],
      [1, standby.port, primary.port],
      [primary.port, standby.port],
    ]) {
      const store = await openPostgres({ url: `${at(...ports)}?target_session_attrs=read-write`, connectTimeoutMs: 2_000 });
      await createOrganization(store);
      const described = await store.describe();
      expect(described.location).toContain(`127.0.0.1:${ports[0]}`);
      // Nothing waits for the standby, and the operator is told so.
      expect(standbyAdvice(described)).toMatchObject([{ check: 'standby', detail: expect.stringContaining('1 connected') }]);
      await store.close();
    }
  });

  test('is refused where none of them takes writes, and where the option asks for another', async () => {
    await expect(openPostgres({ url: at(standby.port, standby.port) })).rejects.toThrow(StoreError);
    expect(() => createTargets(`${at(primary.port)}?target_session_attrs=any`)).toThrow('the service has to write');
    expect(() => createTargets('postgres://u:secret@one,,two/x')).toThrow('the database URL cannot be read');
  });

  test('D121: goes on with the standby that took over, unless that has less than was seen', async () => {
    const store = await openPostgres({ url: at(primary.port, standby.port), connectTimeoutMs: 2_000 });
    const careful = await openPostgres({ url: at(primary.port, standby.port), connectTimeoutMs: 2_000 });
    await createOrganization(store);
    careful.log.noteSize(1);
    // The standby follows without being waited for, and the last commit must have reached it.
    await standby.caughtUp();
    await primary.crash();
    // It is the only server left, and still follows.
    await expect(createOrganization(store)).rejects.toThrow();
    await standby.promote();
    await createOrganization(store);
    await expect(careful.ping()).rejects.toThrow(DatabaseBehind);
    await Promise.all([store.close(), careful.close()]);
  });
});
