import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSwitchProxy, type SwitchProxy } from '../../../../test/faults/fault/support/switch-proxy.ts';
import { type CrashablePostgres, type StandbyPostgres, startPostgres } from '../../../../test/support/postgres.ts';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { standbyAdvice } from '../../src/commands/doctor/advice.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { DatabaseBehind } from '../../src/store/store-errors.ts';
import { activityRow, commitOf, createOrganization, logEntryOf } from './rows.ts';

describe('a standby that PostgreSQL does not wait for', () => {
  let primary: CrashablePostgres;
  let standby: StandbyPostgres;
  let replication: SwitchProxy;
  let database: TestDatabase;

  beforeAll(async () => {
    primary = await startPostgres();
    database = await createDatabase(primary.url);
    replication = await createSwitchProxy();
    replication.lead(primary.port);
    standby = await primary.addStandby(replication.port);
  });
  afterAll(async () => {
    await replication?.close();
    await Promise.all([primary?.stop(), standby?.stop()]);
  });

  test('is named as not durable, also to a role without rights, and where synchronous_commit is local', async () => {
    const url = new URL(database.url);
    await database.query("CREATE ROLE plain LOGIN PASSWORD 'plain'");
    await database.query('GRANT ALL ON SCHEMA public TO plain');
    Object.assign(url, { username: 'plain', password: 'plain' });
    const adviceTo = async () => {
      const store = await openPostgres({ url: url.href });
      const advice = standbyAdvice(await store.describe());
      await store.close();
      return advice.map(({ check }) => check);
    };
    expect(await adviceTo()).toEqual(['standby']);
    const admin = new pg.Client({ connectionString: primary.url });
    await admin.connect();
    const set = async (value: string) => {
      await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${value}'`);
      await admin.query('SELECT pg_reload_conf()');
    };
    await set('*');
    await expect.poll(adviceTo).toEqual([]);
    await database.query('ALTER ROLE plain SET synchronous_commit = local');
    expect(await adviceTo()).toEqual(['standby']);
    await set('');
    // The server takes the setting a moment later.
    const waits = async () => (await admin.query('SHOW synchronous_standby_names')).rows[0].synchronous_standby_names;
    await expect.poll(waits).toBe('');
    await admin.end();
    await database.query('DROP OWNED BY plain CASCADE');
  });

  test('D200, fault 6: a process whose last commit it does not have refuses it at once, also where the log had not grown yet', async () => {
    const url = database.url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`);
    const [loser, other] = [await openPostgres({ url }), await openPostgres({ url })];
    const organizationId = await createOrganization(other);
    const logged = () => {
      const activity = activityRow(organizationId);
      return commitOf(organizationId, { activity, logEntry: logEntryOf(activity) });
    };
    await standby.caughtUp();
    replication.holdBack();
    expect(await loser.commit([logged()])).toEqual([{ taken: true }]);
    await primary.crash();
    replication.lead(0);
    await standby.promote();
    // Everything that this one has committed is there.
    expect(await other.commit([commitOf(organizationId)])).toEqual([{ taken: true }]);
    await expect(loser.ping()).rejects.toThrow(DatabaseBehind);
    await expect(loser.commit([logged()])).rejects.toThrow('1 of the last 1 commits that this server made');
    await Promise.all([loser.close(), other.close()]);
  });
});
