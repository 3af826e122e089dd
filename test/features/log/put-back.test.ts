import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { recover } from '../../../packages/server/src/commands/recover.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { toActivityRow } from '../../../packages/server/src/organizations/activities/activity-record.ts';
import type { Snapshot } from '../../../packages/server/src/organizations/snapshot/snapshot.ts';
import { activityRecord } from '../../../packages/server/test/dialects/activity-record.ts';
import { stampFromNowOn } from '../../support/caller.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import { forgetCommits } from '../../support/forget-commits.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, privateKeyParams } from '../../support/world.ts';
import { LogClient } from './support.ts';

const logTables = ['log_state', 'log_tiles', 'log_leaves', 'log_heads', 'log_map'];
const stateTables = ['organizations', 'records', 'resources', 'lookups', 'secrets', 'activities'];

describe.each(slowEngines('postgres'))('a database that was rolled back on %s', (engine) => {
  async function onInstallation(work: (installation: Installation) => Promise<void>): Promise<void> {
    const installation = await preparedEngines[engine]();
    try {
      await work(installation);
    } finally {
      await installation.remove();
    }
  }

  /** Starts a service, makes keys, and stops it. */
  async function serve(installation: Installation, keys: number): Promise<number> {
    const service = await startService(installation);
    for (let count = 0; count < keys; count++) await createPrivateKey(service.root);
    await service.root.data('listLogEntries');
    const { size } = await new LogClient(service.url).checkpoint();
    await service.close();
    return size;
  }

  async function copyLog(installation: Installation, tables = logTables): Promise<() => Promise<void>> {
    const raw = await installation.raw();
    for (const table of tables) await raw.run(`CREATE TABLE copy_${table} AS SELECT * FROM ${table}`);
    return async () => {
      await raw.dropGuards();
      for (const table of tables) {
        await raw.run(`DELETE FROM ${table}`);
        await raw.run(`INSERT INTO ${table} SELECT * FROM copy_${table}`);
      }
    };
  }

  test('D99: refuses to start, reports how much is missing, and starts once the operator accepts the loss', async () => {
    await onInstallation(async (installation) => {
      const before = await serve(installation, 1);
      const putBack = await copyLog(installation);
      const after = await serve(installation, 2);
      expect(after).toBe(before + 2);
      await putBack();
      const text = `its log has ${before} entries, but this server saw ${after}`;
      await expect(startService(installation)).rejects.toThrow(text);
      await expect(startService(installation)).rejects.toMatchObject({ fix: expect.stringContaining('countersign recover') });
      const { config } = installation;
      expect((await runDoctor(config)).find(({ check }) => check === 'log')).toMatchObject({ ok: false });
      const shown = await recover(config, false);
      expect(shown).toMatchObject({
        verdict: 'SHORTER',
        missing: 2,
        seen: { entries: after },
        stored: { entries: before },
        setAside: null,
      });
      const accepted = await recover(config, true);
      expect(accepted).toMatchObject({ verdict: 'SHORTER', setAside: expect.stringContaining('.lost-') });
      expect(JSON.parse(readFileSync(accepted.setAside as string, 'utf8')).checkpoint).toContain(`\n${after}\n`);
      await serve(installation, 0);
      const raw = await installation.raw();
      const [loss] = await raw.all("SELECT opening FROM log_leaves WHERE organization_id = 'installation' AND sequence = 2");
      expect(JSON.parse(String(loss?.opening))).toMatchObject({
        type: 'LOG_LOSS_ACCEPTED',
        status: 'SHORTER',
        fingerprint: expect.stringMatching(`^checkpoint:${after}:[0-9a-f]{64}$`),
      });
      expect(await recover(config, true)).toMatchObject({ verdict: 'SOUND', setAside: null });
    });
  });

  test('D230: a server notices that the database lacks its last commit, which no checkpoint names yet', async () => {
    await onInstallation(async (installation) => {
      await serve(installation, 1);
      const { config } = installation;
      const service = await startService(installation);
      const { activity } = (await service.root.submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_P256')] }))
        .body;
      await service.close();
      const raw = await installation.raw();
      await raw.dropGuards();
      expect(await raw.run(`DELETE FROM activities WHERE id = '${activity.id}'`)).toBe(1);
      await expect(startService(installation)).rejects.toThrow(`it had accepted the activity ${activity.id}`);
      expect(await recover(config, true)).toMatchObject({ verdict: 'SOUND', commitFault: expect.stringContaining(activity.id) });
      stampFromNowOn();
      await serve(installation, 1);
    });
  });

  test('D131: the entries of an accepted loss are leaves at once, and their deletion is noticed', async () => {
    await onInstallation(async (installation) => {
      await serve(installation, 1);
      const putBack = await copyLog(installation);
      await serve(installation, 1);
      await putBack();
      expect(await recover(installation.config, true)).toMatchObject({ verdict: 'SHORTER', raisedTo: 2 });
      const raw = await installation.raw();
      expect(await raw.run('DELETE FROM log_queue')).toBe(0);
      await serve(installation, 0);
      expect(await raw.run("DELETE FROM log_leaves WHERE activity_id LIKE 'epoch-2-%'")).toBe(1);
      await expect(startService(installation)).rejects.toThrow('The stored log does not verify');
    });
  });

  test('D130: no audit file is produced after the last leaves of an organization are deleted', async () => {
    await onInstallation(async (installation) => {
      const service = await startService(installation);
      await createPrivateKey(service.root);
      expect((await service.root.data('listAuditRecords')).end).toBeDefined();
      const organizationId = service.root.organizationId;
      const raw = await installation.raw();
      await raw.run(
        `DELETE FROM log_leaves WHERE organization_id = '${organizationId}' AND sequence = (SELECT max(sequence) FROM log_leaves WHERE organization_id = '${organizationId}')`,
      );
      for (const page of [{}, { from: '2' }, { from: '3' }])
        expect((await service.root.query('listAuditRecords', page)).status).toBeGreaterThanOrEqual(500);
      expect(JSON.stringify(service.alarms())).toContain('are missing');
      await service.close();
    });
  });

  test('D99: refuses to start on a database that was rolled back and then continued elsewhere', async () => {
    await onInstallation(async (installation) => {
      await serve(installation, 1);
      const putBack = await copyLog(installation, [...logTables, ...stateTables]);
      await serve(installation, 1);
      const anchor = paths.logAnchor(installation.config);
      renameSync(anchor, `${anchor}.kept`);
      await putBack();
      forgetCommits(installation);
      forgetCommits(installation);
      await serve(installation, 3);
      rmSync(anchor);
      renameSync(`${anchor}.kept`, anchor);
      await expect(startService(installation)).rejects.toThrow('The database has another history');
      expect(await recover(installation.config, false)).toMatchObject({ verdict: 'ANOTHER_HISTORY', missing: 0 });
    });
  });

  test('D99: a checkpoint file that this installation did not sign is rejected', async () => {
    await onInstallation(async (installation) => {
      await serve(installation, 0);
      const anchor = paths.logAnchor(installation.config);
      const note = JSON.parse(readFileSync(anchor, 'utf8'));
      writeFileSync(anchor, JSON.stringify({ ...note, checkpoint: note.checkpoint.replace(/\n\d+\n/, '\n1\n') }));
      await expect(startService(installation)).rejects.toThrow('is not a checkpoint that this installation signed');
      expect(await recover(installation.config, true)).toMatchObject({ verdict: 'UNREADABLE', seen: null });
      await serve(installation, 0);
    });
  });

  test('D98: doctor finds differences between the log and the activities', async () => {
    await onInstallation(async (installation) => {
      await serve(installation, 3);
      const log = async () => (await runDoctor(installation.config)).filter(({ check }) => check === 'log');
      expect(await log()).toMatchObject([{ ok: true, detail: expect.stringMatching(/tiles? verif/) }]);
      const raw = await installation.raw();
      await raw.dropGuards();
      const [row] = await raw.all('SELECT activity_id FROM log_leaves WHERE leaf_index = 2');
      expect(await raw.run('DELETE FROM activities WHERE id = ?', String(row?.activity_id))).toBe(1);
      expect(await log()).toMatchObject([{ ok: true }, { ok: false, detail: expect.stringContaining('its row is missing') }]);
      const [entry] = await raw.all('SELECT * FROM log_leaves WHERE leaf_index = 3');
      const columns = 'organization_id, activity_id, revision, format, body, mac';
      const values = [String(entry?.organization_id), 'x', 0, 1, '{"timeMs":0}', new Uint8Array(32)] as const;
      await raw.run(`INSERT INTO log_queue (${columns}) VALUES (?, ?, ?, ?, ?, ?)`, ...values);
      expect((await log()).some(({ detail }) => detail.includes('is queued since'))).toBe(true);
      forgetCommits(installation);
      await serve(installation, 0);
      expect((await log()).some(({ detail }) => detail.includes('1 log entries were not written'))).toBe(true);
      await raw.run('DELETE FROM log_tiles WHERE level = 0');
      expect(await log()).toMatchObject([{ ok: false, detail: expect.stringContaining('missing or too short') }]);
    });
  });

  test('D98: doctor finds an activity whose entry was deleted before it became a leaf', async () => {
    await onInstallation(async (installation) => {
      const { services, first, close } = await startService(installation);
      const { organizationId } = first;
      const { head: expected } = (await services.organizations.snapshots.get(organizationId)) as Snapshot;
      const record = activityRecord('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', [], {
        organizationId,
        id: services.newId(),
        createdAtMs: Date.now(),
      });
      // As it looks to everybody after the entry is gone.
      const activity = toActivityRow(services.vault.integrity, record, 0);
      expect(await services.commits.committer.commit({ organizationId, expected, activity, writes: [] })).toEqual({
        taken: true,
      });
      await close();
      const found = (await runDoctor(installation.config)).filter(({ check, ok }) => check === 'log' && !ok);
      expect(found).toMatchObject([{ detail: `activity ${record.id} of ${organizationId} is neither in the log nor queued` }]);
    });
  });
});
