import { join } from 'node:path';
import { ServiceError } from '@countersign/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backup } from '../../../packages/server/src/commands/backup.ts';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { recover } from '../../../packages/server/src/commands/recover.ts';
import { LogError } from '../../../packages/server/src/log/log-error.ts';
import { type Answer, stampFromNowOn } from '../../support/caller.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import type { RawDatabase, StoredRow } from '../../support/raw-database.ts';
import { startService, type TestService } from '../../support/service.ts';
import { changed, insert } from '../../support/tamper/tamper-case.ts';
import { createPrivateKey, errorOf, signParams } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt } from '../policies/support.ts';

/** Everything that decisions of an organization depend on. */
const ownTables = ['organizations', 'records', 'resources', 'lookups', 'secrets'];
const logTables = ['log_heads', 'log_leaves', 'log_map', 'log_tiles', 'log_state'];

type Copy = ReadonlyMap<string, readonly StoredRow[]>;

async function copyOf(raw: RawDatabase, tables: readonly string[], organizationId?: string): Promise<Copy> {
  const where = organizationId === undefined ? '' : ` WHERE organization_id = '${organizationId}'`;
  const copy = new Map<string, readonly StoredRow[]>();
  for (const table of tables) copy.set(table, await raw.all(`SELECT * FROM ${table}${where}`));
  return copy;
}

async function putBack(raw: RawDatabase, copy: Copy, organizationId?: string): Promise<void> {
  const where = organizationId === undefined ? '' : ` WHERE organization_id = '${organizationId}'`;
  for (const [table, rows] of copy) {
    await raw.run(`DELETE FROM ${table}${where}`);
    for (const row of rows) await insert(raw, table, row);
  }
}

describe.each(Object.keys(engines) as Engine[])('heads in the log on %s', (engine) => {
  async function install(): Promise<Installation> {
    const installation = await preparedEngines[engine]();
    onTestFinished(() => installation.remove());
    return installation;
  }

  async function start(installation: Installation): Promise<TestService> {
    const service = await startService(installation);
    onTestFinished(() => service.close());
    return service;
  }

  /** An organization with a member who may sign. */
  async function createMember(service: TestService) {
    const organization = await createOrganization(service.root, { members: 1 });
    const member = memberAt(organization, 0);
    await createPolicy(organization.root, 'ALLOW', { condition: "activity.action == 'SIGN'" });
    const key = await createPrivateKey(organization.root);
    const sign = (url: string) => member.caller.with({ url }).submit('signRawPayload', signParams(key));
    expect((await sign(service.url)).status).toBe(200);
    const remove = () => organization.root.result('deleteUsers', { userIds: [member.userId] });
    return { ...organization, sign, remove };
  }

  /** Waits until every committed activity is a leaf. */
  async function untilLogged(raw: RawDatabase): Promise<void> {
    await expect.poll(() => raw.all('SELECT seq FROM log_queue'), { timeout: 20_000 }).toEqual([]);
  }

  const expectTampered = (answer: Answer, { alarms }: TestService, organizationId: string) => {
    expect(errorOf(answer)).toMatchObject({ status: 500, code: 'STATE_TAMPERED' });
    expect(alarms().some((heard) => heard.organizationId === organizationId)).toBe(true);
  };

  /** A new service does not start, or refuses the organization. */
  async function expectRefused(installation: Installation, sign: (url: string) => Promise<Answer>, id: string): Promise<void> {
    try {
      const service = await start(installation);
      expectTampered(await sign(service.url), service, id);
    } catch (error) {
      const isKnown = error instanceof LogError || (error instanceof ServiceError && error.code === 'STATE_TAMPERED');
      if (!isKnown) throw error;
    }
  }

  test('D274: an organization put back to an older state while servers are stopped is refused', async () => {
    const installation = await install();
    const service = await startService(installation);
    const raw = await installation.raw();
    const { id, sign, root, remove } = await createMember(service);
    const neighbour = await createMember(service);
    const before = await copyOf(raw, ownTables, id);
    await remove();
    expect(errorOf(await sign(service.url))).toMatchObject({ status: 401 });
    await service.close();
    const after = await copyOf(raw, ownTables, id);

    await putBack(raw, before, id);
    const restarted = await startService(installation);
    expectTampered(await sign(restarted.url), restarted, id);
    expectTampered(await root.with({ url: restarted.url }).query('whoami'), restarted, id);
    expect((await neighbour.sign(restarted.url)).status).toBe(200);
    await restarted.close();
    const findings = async () => (await runDoctor(installation.config)).filter(({ ok, check }) => !ok || check === 'heads');
    expect(await findings()).toMatchObject([{ check: `state of ${id}`, detail: expect.stringContaining('it was put back') }]);

    const { damaged } = await backup(installation.config, { file: join(installation.directory, 'put-back.backup') });
    expect(damaged).toMatchObject([{ check: `state of ${id}`, ok: false }]);

    for (const table of ownTables) await raw.run(`DELETE FROM ${table} WHERE organization_id = ?`, id);
    expect(await findings()).toMatchObject([
      { check: 'heads', ok: false, detail: expect.stringMatching(/^1 organizations, usage buckets or/) },
    ]);

    await putBack(raw, after, id);
    expect(await findings()).toMatchObject([{ check: 'heads', ok: true }]);
    const sound = await backup(installation.config, { file: join(installation.directory, 'sound.backup') });
    expect(sound.damaged).toEqual([]);
    const repaired = await start(installation);
    expect(errorOf(await sign(repaired.url))).toMatchObject({ status: 401 });
    expect((await root.with({ url: repaired.url }).query('whoami')).status).toBe(200);
  });

  test('D274: a created organization put back to its first version is refused', async () => {
    const installation = await install();
    const service = await startService(installation);
    const raw = await installation.raw();
    const { id, root } = await createOrganization(service.root);
    const before = await copyOf(raw, ownTables, id);
    await createPolicy(root, 'DENY', { condition: 'true' });
    await service.close();
    await putBack(raw, before, id);
    const restarted = await start(installation);
    expectTampered(await root.with({ url: restarted.url }).query('whoami'), restarted, id);
  });

  test('D275: a node that never served the organization refuses it, and one that cached it notices', async () => {
    const installation = await install();
    const [one, two, three] = [await start(installation), await start(installation), await start(installation)];
    const raw = await installation.raw();
    const { id, sign, remove } = await createMember(one);
    expect((await sign(three.url)).status).toBe(200);
    const before = await copyOf(raw, ownTables, id);
    await remove();
    await untilLogged(raw);
    await putBack(raw, before, id);
    expectTampered(await sign(two.url), two, id);
    // It has an older snapshot, which fits the rows that were put back, until it reads the leaf of the deletion.
    await expect.poll(async () => errorOf(await sign(three.url)), { timeout: 20_000 }).toMatchObject({ code: 'STATE_TAMPERED' });
  });

  test.each([
    ['the last leaf and head', ['log_heads'], ''],
    ['the newer leaves', ['log_heads'], 'leaves'],
    ['the map', ['log_heads', 'log_map'], 'leaves'],
    ['the state', logTables, ''],
    ['the state alone', ['log_state'], ''],
    ['the map alone', ['log_map'], ''],
  ])('D256: also putting back %s does not help', async (_what, tables, leaves) => {
    const installation = await install();
    const service = await startService(installation);
    const raw = await installation.raw();
    const { id, sign, remove } = await createMember(service);
    await untilLogged(raw);
    const own = await copyOf(raw, ownTables, id);
    const log = await copyOf(raw, tables);
    const [size] = await raw.all('SELECT size FROM log_state');
    await remove();
    await service.close();

    forgetCommits(installation);
    await putBack(raw, own, id);
    await putBack(raw, log);
    if (leaves !== '') await changed(raw.run('DELETE FROM log_leaves WHERE leaf_index >= ?', Number(size?.size)));
    await expectRefused(installation, sign, id);
  });

  /** Keeps a copy of every entry that is queued from now on. */
  async function keepEntries(raw: RawDatabase): Promise<() => Promise<StoredRow[]>> {
    const columns = 'organization_id, activity_id, revision, format, body, mac';
    await raw.run('CREATE TABLE kept_entries AS SELECT * FROM log_queue');
    await raw.run('DELETE FROM kept_entries');
    if (engine === 'sqlite') {
      const values = columns.replace(/(\w+)/g, 'NEW.$1');
      await raw.run(
        `CREATE TRIGGER keep_entries AFTER INSERT ON log_queue BEGIN INSERT INTO kept_entries (${columns}) VALUES (${values}); END`,
      );
    } else {
      await raw.run(`CREATE FUNCTION keep_entry() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO kept_entries SELECT NEW.*; RETURN NEW; END $$`);
      await raw.run('CREATE TRIGGER keep_entries AFTER INSERT ON log_queue FOR EACH ROW EXECUTE FUNCTION keep_entry()');
    }
    return async () => {
      await raw.run(engine === 'sqlite' ? 'DROP TRIGGER keep_entries' : 'DROP TRIGGER keep_entries ON log_queue');
      return raw.all(`SELECT ${columns} FROM kept_entries`);
    };
  }

  test('D259: old entries put back into the queue after their leaves were deleted do not move a head back', async () => {
    const installation = await install();
    const service = await start(installation);
    const raw = await installation.raw();
    const entriesOf = await keepEntries(raw);
    const { id, sign, remove } = await createMember(service);
    const neighbour = await createMember(service);
    const before = await copyOf(raw, ownTables, id);
    await remove();
    await untilLogged(raw);
    const entries = await entriesOf();
    expect(entries.length).toBeGreaterThan(8);
    // All but the newest: its leaf is still there, and so are those of the neighbour.
    const old = entries.filter((row) => row.organization_id === id || String(row.body).includes(id)).slice(0, -1);
    for (const row of old)
      await changed(
        raw.run('DELETE FROM log_leaves WHERE activity_id = ? AND revision = ?', String(row.activity_id), Number(row.revision)),
      );
    await putBack(raw, before, id);
    for (const row of old) await insert(raw, 'log_queue', row);
    await expect.poll(() => raw.all('SELECT seq FROM log_queue'), { timeout: 20_000 }).toEqual([]);
    expect(service.alarms().some(({ what }) => what.includes('does not follow the state of the log'))).toBe(true);
    await expectRefused(installation, sign, id);
    expectTampered(await sign(service.url), service, id);
    expect((await neighbour.sign(service.url)).status).toBe(200);
  });

  test('D272: the timeline that an accepted loss dropped cannot be put back', async () => {
    const installation = await install();
    const service = await startService(installation);
    const raw = await installation.raw();
    const { id, root } = await createOrganization(service.root);
    const neighbour = await createOrganization(service.root);
    await service.close();
    const all = [...ownTables, 'activities', 'data_keys', ...logTables];
    const backup = await copyOf(raw, all);

    const lost = await startService(installation);
    const entriesOf = await keepEntries(raw);
    await createPolicy(root.with({ url: lost.url }), 'ALLOW', { condition: 'true' });
    await lost.close();
    const entries = await entriesOf();
    const newer = await copyOf(raw, ownTables, id);
    const activities = await raw.all('SELECT * FROM activities WHERE organization_id = ?', id);

    await raw.dropGuards();
    await putBack(raw, backup);
    await expect(startService(installation)).rejects.toThrow('was rolled back or lost commits');
    expect(await recover(installation.config, true)).toMatchObject({ raisedTo: 2 });
    stampFromNowOn();
    const accepted = await startService(installation);
    expect((await root.with({ url: accepted.url }).query('whoami')).status).toBe(200);
    await createPolicy(neighbour.root.with({ url: accepted.url }), 'DENY', { condition: 'false' });
    await accepted.close();

    await putBack(raw, newer, id);
    await raw.run('DELETE FROM activities WHERE organization_id = ?', id);
    for (const row of activities) await insert(raw, 'activities', row);
    for (const row of entries.filter(({ organization_id }) => organization_id === id)) await insert(raw, 'log_queue', row);
    const restarted = await start(installation);
    expectTampered(await root.with({ url: restarted.url }).query('whoami'), restarted, id);
    expect((await neighbour.root.with({ url: restarted.url }).query('whoami')).status).toBe(200);
  });

  test('D272: a running server does not accept the head map of the timeline that was dropped', async () => {
    const installation = await install();
    const service = await startService(installation);
    const raw = await installation.raw();
    const { id, root } = await createOrganization(service.root);
    await service.close();
    const backup = await copyOf(raw, [...ownTables, 'activities', 'data_keys', ...logTables]);

    const lost = await startService(installation);
    // Its log is longer than the one that continues.
    for (let count = 0; count < 10; count++) await createPolicy(root.with({ url: lost.url }), 'DENY', { condition: 'false' });
    await untilLogged(raw);
    await lost.close();
    const dropped = await copyOf(raw, ['log_heads', 'log_map', 'log_state']);
    const newer = await copyOf(raw, ownTables, id);

    await raw.dropGuards();
    await putBack(raw, backup);
    expect(await recover(installation.config, true)).toMatchObject({ raisedTo: 2 });
    stampFromNowOn();
    const accepted = await start(installation);
    const present = await copyOf(raw, ['log_heads', 'log_map', 'log_state']);
    const own = await copyOf(raw, ownTables, id);

    await raw.run('BEGIN');
    await putBack(raw, newer, id);
    await putBack(raw, dropped);
    await raw.run('COMMIT');
    expectTampered(await root.with({ url: accepted.url }).query('whoami'), accepted, id);

    await raw.run('BEGIN');
    await putBack(raw, own, id);
    await putBack(raw, present);
    await raw.run('COMMIT');
    await expect.poll(async () => (await root.with({ url: accepted.url }).query('whoami')).status, { timeout: 20_000 }).toBe(200);
  });

  test('two nodes change and read one organization in turn, also while its entries are queued', async () => {
    const installation = await install();
    const [one, two] = [await start(installation), await start(installation)];
    const { root } = await createOrganization(one.root);
    // Created a moment ago on the other node.
    expect((await root.with({ url: two.url }).query('whoami')).status).toBe(200);
    for (let round = 0; round < 12; round++) {
      const [writer, reader] = round % 2 === 0 ? [one, two] : [two, one];
      await createPolicy(root.with({ url: writer.url }), 'DENY', { condition: 'false' });
      reader.services.organizations.snapshots.expire(root.organizationId);
      expect((await root.with({ url: reader.url }).query('whoami')).status).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, round * 20));
    }
    for (const { alarms } of [one, two]) expect(alarms()).toEqual([]);
  });
});
