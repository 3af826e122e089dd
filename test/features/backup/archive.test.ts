import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readArchive } from '../../../packages/server/src/backup/archive-file.ts';
import { archive } from '../../../packages/server/src/commands/archive.ts';
import { backup } from '../../../packages/server/src/commands/backup.ts';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { restore } from '../../../packages/server/src/commands/restore.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, errorOf, privateKeyParams } from '../../support/world.ts';
import { allEngines, backupFile, bringCredentials, bringRootKey, commitLogged, withInstallations } from './support.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(allEngines)('an archive on %s', (engine) => {
  test('D119: old activities move into a verified file while the service runs, and stay provable', async () => {
    await withInstallations(async (create) => {
      const installation = await create(engine);
      const service = await startService(installation);
      const nowMs = Date.now();
      const organizationId = await commitLogged(service.services, undefined, nowMs - 10 * DAY_MS);
      await commitLogged(service.services, organizationId, nowMs - 9 * DAY_MS);
      // Later audit files need what was not a signature.
      await commitLogged(service.services, organizationId, nowMs - 9 * DAY_MS + 1, { type: 'ACTIVITY_TYPE_CREATE_USERS_V3' });
      const waits = { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' } as const;
      await commitLogged(service.services, organizationId, nowMs - 8 * DAY_MS, waits);
      // Submitted long ago, and approved lately.
      await commitLogged(service.services, organizationId, nowMs - 7 * DAY_MS, { updatedAtMs: nowMs });
      await createPrivateKey(service.root);
      await service.root.data('listLogEntries');
      const before = (await service.root.data('listActivities')).activities;
      const directory = join(installation.directory, 'archive');
      const { config } = installation;
      await expect(archive(config, { beforeMs: nowMs - DAY_MS, directory })).rejects.toThrow('the last two days stay');
      const raw = await installation.raw();
      const stored = async () => Number((await raw.all('SELECT count(*) AS count FROM log_leaves'))[0]?.count);
      const all = (await service.root.data('listLogEntries', { limit: '100' })).entries;
      const leavesBefore = await stored();
      const outcome = await archive(config, { beforeMs: nowMs - 3 * DAY_MS, directory });
      expect(await stored()).toBe(leavesBefore - 2);
      expect(outcome).toMatchObject({ moved: 2, withoutLeaf: 0, files: [{ activities: 2 }] });
      const after = (await service.root.data('listActivities')).activities;
      expect(after).toHaveLength(before.length - 2);

      const { file = '' } = outcome.files[0] ?? {};
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const { activities } = await readArchive(file, service.services.vault.integrity);
      const gone = before.filter(({ id }: { id: string }) => activities.some(({ row }) => row.id === id));
      expect(gone).toHaveLength(2);
      const [{ id: activityId }] = gone;
      const answer = await service.root.query('getActivity', { activityId });
      expect(errorOf(answer)).toMatchObject({ status: 410, code: 'ACTIVITY_ARCHIVED' });
      expect(JSON.stringify(answer.body)).toContain(readdirSync(directory)[0]);
      expect(JSON.stringify(answer.body)).toContain(new Date(nowMs).toISOString().slice(0, 10));
      // An audit file of their time would lack them. That is said, and is no alarm. One of a later time can be made.
      const later = { since: String(nowMs - 3 * DAY_MS) };
      expect((await service.root.query('listAuditRecords', later)).status).toBe(200);
      expect(errorOf(await service.root.query('listAuditRecords'))).toMatchObject({ status: 410, code: 'ACTIVITY_ARCHIVED' });
      const { leaf } = await service.root.data('getLogProof', { activityId });
      expect(Number(leaf.leafIndex)).toBe(activities.find(({ row }) => row.id === activityId)?.leaves.at(-1)?.leafIndex);
      // Every leaf is still shown, in order.
      expect((await service.root.data('listLogEntries', { limit: '100' })).entries).toEqual(all);
      const fingerprint = activities[0]?.row.fingerprint;
      expect(errorOf(await service.root.submit('approveActivity', { fingerprint }))).toMatchObject({ status: 404 });
      const old = { timestampMs: String(nowMs - 10 * DAY_MS) };
      const resent = await service.root.submit('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] }, old);
      expect(errorOf(resent)).toMatchObject({ code: 'TIMESTAMP_INVALID' });
      expect(await archive(config, { beforeMs: nowMs - 3 * DAY_MS, directory })).toMatchObject({ moved: 0, files: [] });
      expect(service.alarms()).toEqual([]);
      await service.close();
      const findings = await runDoctor(config);
      expect(findings.filter(({ ok }) => !ok)).toEqual([]);
      expect(findings).toContainEqual(
        expect.objectContaining({ check: 'archive', detail: expect.stringContaining('2 activities are in 1') }),
      );

      const content = readFileSync(file);
      // A copy of the database keeps the spans.
      const copy = backupFile(installation);
      await backup(config, { file: copy });
      const place = await create(engine);
      bringRootKey(installation, place);
      expect(await restore(place.config, { file: copy, acceptLoss: false })).toMatchObject({
        accepted: [],
        counts: { archived: 0, archive_spans: 1 },
      });
      // Without the file, the restored service starts, and names the file if a leaf in it is needed.
      bringCredentials(installation, place);
      rmSync(file);
      const restored = await startService(place);
      const refused = errorOf(await restored.root.query('getLogProof', { activityId }));
      expect(refused).toMatchObject({ status: 410, code: 'ACTIVITY_ARCHIVED' });
      expect((await restored.root.query('getLogProof', { activityId: after[0].id })).status).toBe(200);
      mkdirSync(join(place.directory, 'archive'));
      writeFileSync(join(place.directory, 'archive', basename(file)), content);
      expect((await restored.root.data('getLogProof', { activityId })).leaf).toEqual(leaf);
      expect(restored.alarms()).toEqual([]);
      await restored.close();
    });
  });

  test('D541: a leaf that is deleted between archived ones, or a forged span, is found', async () => {
    await withInstallations(async (create) => {
      const installation = await create(engine);
      const service = await startService(installation);
      const nowMs = Date.now();
      for (const days of [10, 9, 8]) await commitLogged(service.services, undefined, nowMs - days * DAY_MS);
      const change = { type: 'ACTIVITY_TYPE_CREATE_USERS_V3' } as const;
      const organizationId = await commitLogged(service.services, undefined, nowMs - 7 * DAY_MS, change);
      for (const days of [6, 5]) await commitLogged(service.services, organizationId, nowMs - days * DAY_MS);
      await createPrivateKey(service.root);
      await service.root.data('listLogEntries');
      await archive(installation.config, { beforeMs: nowMs - 3 * DAY_MS, directory: join(installation.directory, 'archive') });
      await service.close();
      const { config } = installation;
      const problems = async () => (await runDoctor(config)).filter(({ ok }) => !ok).map(({ detail }) => detail);
      expect(await problems()).toEqual([]);
      const raw = await installation.raw();
      const [span] = await raw.all('SELECT * FROM archive_spans');
      const between = 'DELETE FROM log_leaves WHERE leaf_index > ? AND leaf_index < ?';
      expect(await raw.run(between, Number(span?.first_leaf), Number(span?.last_leaf))).toBe(1);
      expect(await problems()).toContainEqual(
        expect.stringContaining(`1 leaves of ${organizationId} are neither stored nor archived`),
      );
      const copy = backupFile(installation);
      await backup(config, { file: copy });
      const place = await create(engine);
      bringRootKey(installation, place);
      await expect(restore(place.config, { file: copy, acceptLoss: false })).rejects.toThrow(`leaves of ${organizationId}`);
      expect(await raw.run('UPDATE archive_spans SET leaves = leaves + 1')).toBe(1);
      expect(await problems()).toContainEqual(expect.stringContaining('was changed outside the service'));
    });
  });

  test('D119: a forged mark neither hides a deleted activity from doctor nor answers a query', async () => {
    await withInstallations(async (create) => {
      const installation = await create(engine);
      const service = await startService(installation);
      await createPrivateKey(service.root);
      await service.root.data('listLogEntries');
      const [{ id: activityId }] = (await service.root.data('listActivities')).activities;
      const raw = await installation.raw();
      const forged = `INSERT INTO archived SELECT organization_id, id, revision, fingerprint, 'x.jsonl.gz', mac, mac FROM activities WHERE id = ?`;
      expect(await raw.run(forged, activityId)).toBe(1);
      expect(await raw.run('DELETE FROM activities WHERE id = ?', activityId)).toBe(1);
      expect(errorOf(await service.root.query('getActivity', { activityId }))).toMatchObject({ code: 'STATE_TAMPERED' });
      await service.close();
      const details = (await runDoctor(installation.config)).filter(({ ok }) => !ok).map(({ detail }) => detail);
      expect(details).toContainEqual(expect.stringContaining('its row is missing'));
      expect(details).toContainEqual(expect.stringContaining('marked as archived, but this installation did not archive it'));
    });
  });

  test('D119: removes nothing if the log and the row disagree', async () => {
    await withInstallations(async (create) => {
      const installation = await create(engine);
      const service = await startService(installation);
      const nowMs = Date.now();
      await commitLogged(service.services, undefined, nowMs - 10 * DAY_MS);
      await service.root.data('listLogEntries');
      await service.close();
      const raw = await installation.raw();
      await raw.dropGuards();
      await raw.run("UPDATE activities SET status = 'ACTIVITY_STATUS_FAILED' WHERE type LIKE '%SIGN%'");
      const directory = join(installation.directory, 'archive');
      await expect(archive(installation.config, { beforeMs: nowMs - 3 * DAY_MS, directory })).rejects.toThrow(
        'was changed outside the service',
      );
      expect(await raw.all('SELECT 1 AS one FROM archived')).toEqual([]);
    });
  });
});

test('D119: an archive file that was cut or changed does not verify', async () => {
  await withInstallations(async (create) => {
    const installation = await create('sqlite');
    const service = await startService(installation);
    await commitLogged(service.services, undefined, Date.now() - 10 * DAY_MS);
    // The last leaf of an organization is not archived.
    await createPrivateKey(service.root);
    await service.root.data('listLogEntries');
    const directory = join(installation.directory, 'archive');
    const { files } = await archive(installation.config, { beforeMs: Date.now() - 3 * DAY_MS, directory });
    const file = files[0]?.file as string;
    const { integrity } = service.services.vault;
    const bytes = readFileSync(file);
    const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
    const { gzipSync } = await import('node:zlib');
    for (const [changed, message] of [
      [bytes.subarray(0, bytes.length - 9), 'truncated or damaged'],
      [gzipSync(`${lines.slice(0, -1).join('\n')}\n`), 'it was truncated'],
      [gzipSync(`${lines.join('\n').replace('"revision":0', '"revision":1')}\n`), 'was changed'],
      [gzipSync(`${lines.join('\n').replace('"leafIndex":', '"leafIndex":1')}\n`), 'was changed'],
      [gzipSync(`${lines.join('\n').replace(/"mac":"[^"]{4}(?=[^"]*"}$)/, '"mac":"AAAA')}\n`), 'did not write it'],
    ] as const) {
      writeFileSync(`${file}.changed`, changed);
      await expect(readArchive(`${file}.changed`, integrity)).rejects.toThrow(message);
    }
    await service.close();
  });
});
