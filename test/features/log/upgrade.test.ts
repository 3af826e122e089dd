import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { migrations } from '../../../packages/server/src/store/migrations/migrations.ts';
import { migrate } from '../../../packages/server/src/store/postgres/migrate.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import { openingOf } from '../../support/packed-rows.ts';
import { startService, type TestService } from '../../support/service.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';
import { createOrganization } from '../policies/support.ts';

/** The data directory of a release without a head map, with a sub-organization, signatures and one queued entry. */
const fixture = join(import.meta.dirname, 'before-heads');
const SCHEMA = 14;

async function install(engine: Engine): Promise<Installation> {
  const installation = await engines[engine]();
  onTestFinished(() => installation.remove());
  const { directory, config } = installation;
  cpSync(fixture, directory, { recursive: true });
  const file = join(directory, 'countersign.db');
  writeFileSync(file, gunzipSync(readFileSync(`${file}.gz`)));
  rmSync(`${file}.gz`);
  for (const name of ['root.key', 'credentials.json']) chmodSync(join(directory, name), 0o600);
  if (config.databaseUrl === undefined) return installation;
  await copyToPostgres(file, config.databaseUrl);
  rmSync(file);
  return installation;
}

/** Copies all rows of the earlier schema. */
async function copyToPostgres(file: string, url: string): Promise<void> {
  await migrate(
    new pg.Client({ connectionString: url }),
    migrations.filter(({ id }) => id <= SCHEMA),
  );
  const from = openSqliteFile(file, { readOnly: true });
  const to = new pg.Client({ connectionString: url });
  await to.connect();
  const tables = from.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  for (const { name } of tables.all()) {
    if (name === 'schema_migrations') continue;
    for (const row of from.prepare(`SELECT * FROM ${name}`).all() as Record<string, unknown>[]) {
      const places = Object.keys(row).map((_, at) => `$${at + 1}`);
      const sql = `INSERT INTO ${name} (${Object.keys(row).join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${places.join(', ')})`;
      await to.query(sql, Object.values(row));
    }
  }
  const next = '(SELECT coalesce(max(seq), 0) + 1 FROM log_queue), false';
  await to.query(`SELECT setval(pg_get_serial_sequence('log_queue', 'seq'), ${next})`);
  await to.end();
  from.close();
}

describe.each(Object.keys(engines) as Engine[])('a database of a release without a head map on %s', (engine) => {
  async function start(installation: Installation): Promise<TestService> {
    const service = await startService(installation);
    onTestFinished(() => service.close());
    return service;
  }

  /** The openings of all leaves, in order. */
  async function leaves(installation: Installation) {
    const rows = await (await installation.raw()).all('SELECT * FROM log_leaves ORDER BY leaf_index');
    return rows.map((row) => JSON.parse(openingOf(row)));
  }

  test('two nodes that start at once write one map over all heads, and serve it', async () => {
    const installation = await install(engine);
    const [one, two] = await Promise.all([start(installation), start(installation)]);
    const { organizationId } = one.first;
    for (const { url } of [one, two]) expect((await one.root.with({ url }).query('whoami')).status).toBe(200);
    const { root } = await createOrganization(one.root);
    const key = await createPrivateKey(root.with({ url: two.url }));
    expect((await root.submit('signRawPayload', signParams(key))).status).toBe(200);
    await one.root.data('listLogEntries');

    const openings = await leaves(installation);
    const baselines = openings.filter(({ type }) => type === 'HEADS_BASELINE');
    expect(baselines).toMatchObject([{ version: 2, status: 'MIGRATED', fingerprint: expect.stringMatching(/^heads:3:0:/) }]);
    const at = openings.indexOf(baselines[0]);
    // The queued entry of the earlier release became a leaf before the map was written.
    expect(openings[at - 1]).toMatchObject({ organizationId, type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' });
    expect(openings.slice(0, at).every(({ version }) => version === undefined)).toBe(true);
    expect(openings.slice(at).every(({ version }) => version === 2)).toBe(true);
    for (const { alarms } of [one, two]) expect(alarms()).toEqual([]);
    const findings = (await runDoctor(installation.config)).filter(({ ok, check }) => !ok || check === 'heads');
    expect(findings).toMatchObject([{ check: 'heads', ok: true }]);
  });

  test('D274: a state from before the upgrade cannot be put back after it', async () => {
    const installation = await install(engine);
    await (await startService(installation)).close();
    const raw = await installation.raw();
    const [head] = await raw.all('SELECT * FROM organizations WHERE parent_id = ?', '');
    const service = await startService(installation);
    await createPrivateKey(service.root);
    await service.close();
    await raw.run(
      'UPDATE organizations SET version = ?, mac = ? WHERE organization_id = ?',
      Number(head?.version),
      head?.mac as Uint8Array,
      String(head?.organization_id),
    );
    await raw.run('DELETE FROM resources WHERE organization_id = ?', String(head?.organization_id));
    const restarted = await start(installation);
    expect((await restarted.root.query('whoami')).status).toBe(500);
    expect(restarted.alarms()[0]?.what).toContain('it was put back');
  });
});
