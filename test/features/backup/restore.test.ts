import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { describe, expect, test } from 'vitest';
import { backup } from '../../../packages/server/src/commands/backup.ts';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { restore } from '../../../packages/server/src/commands/restore.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { openService } from '../../../packages/server/src/open-service.ts';
import { openStore } from '../../../packages/server/src/store/open-store.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import { stampFromNowOn } from '../../support/caller.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, errorOf, signParams } from '../../support/world.ts';
import {
  allEngines,
  backupFile,
  bringCredentials,
  bringRootKey,
  commitLogged,
  otherEngine,
  withInstallations,
} from './support.ts';

const plain = { acceptLoss: false };

describe.each(allEngines)('a backup from %s', (engine) => {
  test.each(['same', 'other'] as const)(
    'D112: a backup of a running service is restored into the %s engine, and signs there',
    async (target) => {
      await withInstallations(async (create) => {
        const source = await create(engine);
        const service = await startService(source);
        const key = await createPrivateKey(service.root);
        const before = await service.root.submit('signRawPayload', signParams(key));
        const file = backupFile(source);
        const made = await backup(source.config, { file });
        expect(statSync(file).mode & 0o777).toBe(0o600);
        // Activities after the backup are not in it.
        await createPrivateKey(service.root);
        await service.close();
        expect(made).toMatchObject({ epoch: 1, counts: { organizations: 1 } });

        const place = await create(target === 'same' ? engine : otherEngine(engine));
        bringRootKey(source, place);
        bringCredentials(source, place);
        const restored = await restore(place.config, { file, ...plain });
        expect(restored).toMatchObject({ epoch: { from: 1, to: 2 }, compared: [], accepted: [], counts: made.counts });
        const again = await startService(place);
        const { activity } = await again.root.data('getActivity', { activityId: before.body.activity.id });
        expect(activity.result).toEqual(before.body.activity.result.activity.result);
        // What was stamped before the restore may have been carried out after the backup.
        expect(errorOf(await again.root.submit('signRawPayload', signParams(key)))).toMatchObject({ code: 'TIMESTAMP_INVALID' });
        stampFromNowOn();
        expect((await again.root.submit('signRawPayload', signParams(key))).status).toBe(200);
        expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
        expect(again.alarms()).toEqual([]);
        await again.root.data('listLogEntries');
        await again.close();
        const raw = await place.raw();
        const leaves = await raw.all("SELECT opening FROM log_leaves WHERE organization_id = 'installation' ORDER BY sequence");
        expect(leaves.map(({ opening }) => JSON.parse(String(opening)))).toMatchObject([
          { type: 'LOG_STARTED' },
          { type: 'RESTORED', status: 'COMPLETE', resultDigest: made.digest },
          { type: 'EPOCH_RAISED', status: 'RESTORED', fingerprint: expect.stringMatching(/^epoch:2:[0-9a-f]{32}$/) },
        ]);
        expect((await runDoctor(place.config)).filter(({ ok }) => !ok)).toEqual([]);
      });
    },
  );

  test('D112: restores only into an empty place, and a backup never overwrites a file', async () => {
    await withInstallations(async (create) => {
      const source = await create(engine);
      await (await startService(source)).close();
      const file = backupFile(source);
      await backup(source.config, { file });
      await expect(backup(source.config, { file })).rejects.toThrow('already exists');
      await expect(restore(source.config, { file, ...plain })).rejects.toThrow(
        'is not empty, and a restore never replaces anything',
      );
    });
  });

  test('D113: a restore reports missing data, and continues only if the loss is accepted', async () => {
    await withInstallations(async (create) => {
      const source = await create(engine);
      const service = await startService(source);
      await createPrivateKey(service.root);
      await service.root.data('listLogEntries');
      const file = backupFile(source);
      const { leaves } = await backup(source.config, { file });
      for (let count = 0; count < 3; count++) await createPrivateKey(service.root);
      await service.root.data('listLogEntries');
      const checkpointFile = backupFile(source, 'checkpoint.txt');
      writeFileSync(checkpointFile, await (await fetch(`${service.url}/log/checkpoint`)).text());
      await service.close();

      const place = await create(engine);
      bringRootKey(source, place);
      const text = `has ${leaves + 3} leaves, and this backup has ${leaves}: 3 activity steps are missing`;
      await expect(restore(place.config, { file, checkpointFile, ...plain })).rejects.toThrow(text);
      const store = await openStore(place.config);
      expect(await store.copy.isEmpty([])).toBe(true);
      await store.close();
      const accepted = await restore(place.config, { file, checkpointFile, acceptLoss: true });
      expect(accepted).toMatchObject({
        compared: [{ from: checkpointFile, missing: 3 }],
        accepted: [expect.stringContaining(text)],
      });
      bringCredentials(source, place);
      const again = await startService(place);
      await again.root.data('listLogEntries');
      await again.close();
      const raw = await place.raw();
      const [leaf] = await raw.all("SELECT opening FROM log_leaves WHERE organization_id = 'installation' AND sequence = 2");
      expect(JSON.parse(String(leaf?.opening))).toMatchObject({
        status: 'LOSS_ACCEPTED',
        fingerprint: expect.stringMatching(`^checkpoint:${leaves + 3}:`),
      });
    });
  });

  test('D113: a checkpoint that includes queued entries is no loss, one of another history is', async () => {
    await withInstallations(async (create) => {
      const source = await create(engine);
      await (await startService(source)).close();
      // An open installation that nobody serves: what is committed waits for its place in the log.
      const opened = await openService(source.config);
      const organizationId = await commitLogged(opened.services);
      await opened.close();
      const file = backupFile(source);
      expect(await backup(source.config, { file })).toMatchObject({ counts: { log_queue: 1 } });
      const checkpointOf = async (name: string) => {
        const service = await startService(source);
        const checkpointFile = backupFile(source, name);
        writeFileSync(checkpointFile, await (await fetch(`${service.url}/log/checkpoint`)).text());
        await service.close();
        return checkpointFile;
      };
      const place = await create(engine);
      bringRootKey(source, place);
      const raw = await source.raw();
      const tables = ['log_leaves', 'log_tiles', 'log_heads', 'log_map', 'log_state'];
      for (const table of tables) await raw.run(`CREATE TABLE copy_${table} AS SELECT * FROM ${table}`);
      const checkpointFile = await checkpointOf('one.txt');
      // The same place in the log, taken by another activity.
      for (const table of tables) {
        await raw.run(`DELETE FROM ${table}`);
        await raw.run(`INSERT INTO ${table} SELECT * FROM copy_${table}`);
      }
      rmSync(paths.logAnchor(source.config));
      const other = await openService(source.config);
      await commitLogged(other.services, organizationId);
      await other.close();
      const forked = await checkpointOf('two.txt');
      await expect(restore(place.config, { file, checkpointFile: forked, ...plain })).rejects.toThrow(
        'The history of the log in this backup differs',
      );
      expect(await restore(place.config, { file, checkpointFile, ...plain })).toMatchObject({ compared: [{ missing: 0 }] });
    });
  });

  test('D114: a cut, changed or foreign backup is refused, and leaves the place empty', async () => {
    await withInstallations(async (create) => {
      const source = await create(engine);
      const service = await startService(source);
      await createPrivateKey(service.root);
      await service.close();
      const file = backupFile(source);
      await backup(source.config, { file });
      const bytes = readFileSync(file);
      const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
      const place = await create(engine);
      bringRootKey(source, place);
      const changed = backupFile(source, 'changed.backup');
      const refusal = async (content: Buffer) => {
        writeFileSync(changed, content);
        return restore(place.config, { file: changed, ...plain }).then(
          () => 'restored',
          (error: Error) => error.message,
        );
      };
      const packed = (text: readonly string[]) => gzipSync(`${text.join('\n')}\n`);
      expect(await refusal(bytes.subarray(0, bytes.length - 20))).toContain('truncated or damaged');
      expect(await refusal(packed(lines.slice(0, -1)))).toContain('it has no end: it was truncated');
      expect(await refusal(packed(lines.filter((line) => !line.startsWith('["activities"'))))).toContain('digest does not match');
      expect(await refusal(packed([...lines, '[]']))).toContain('it has data after its end');
      expect(await refusal(Buffer.from('hello'))).toContain('not a backup');
      // Of another schema, not even the rows can be read.
      const { schemaVersion, tables, ...header } = JSON.parse(lines[0] as string);
      const other = (version: number) =>
        packed([
          JSON.stringify({ ...header, schemaVersion: version, tables: { ...tables, activities: ['id'] } }),
          ...lines.slice(1),
        ]);
      expect(await refusal(other(schemaVersion - 1))).toMatch(
        /was made by release .* with schema \d+, and this release has schema \d+/,
      );
      expect(await refusal(other(schemaVersion + 1))).toContain(`with schema ${schemaVersion + 1}`);
      // With a digest and counts that fit, the MAC is what is missing.
      const { createHash } = await import('node:crypto');
      const fewer = lines.slice(0, -1).filter((line) => !line.startsWith('["lookups"'));
      const end = JSON.parse(lines.at(-1) as string);
      const digest = createHash('sha256')
        .update(`${fewer.join('\n')}\n`)
        .digest('hex');
      expect(
        await refusal(packed([...fewer, JSON.stringify({ ...end, digest, counts: { ...end.counts, lookups: 0 } })])),
      ).toContain('did not make the backup, or it was changed');
      const stranger = await create(engine);
      await (await startService(stranger)).close();
      const foreign = backupFile(stranger);
      await backup(stranger.config, { file: foreign });
      await expect(restore(place.config, { file: foreign, ...plain })).rejects.toThrow('does not open this database');
      const store = await openStore(place.config);
      expect(await store.copy.isEmpty([])).toBe(true);
      await store.close();
    });
  });

  test('D115: an interrupted restore prevents startup, and can be repeated', async () => {
    await withInstallations(async (create) => {
      const source = await create(engine);
      await (await startService(source)).close();
      const file = backupFile(source);
      await backup(source.config, { file });
      const place = await create(engine);
      bringRootKey(source, place);
      bringCredentials(source, place);
      const url = place.config.databaseUrl;
      const child = await bundleProgram(new URL('./die-while-restoring.ts', import.meta.url));
      const settings = JSON.stringify({ dataDir: place.directory, ...(url !== undefined && { databaseUrl: url }) });
      expect(spawnSync(process.execPath, [child, settings, file]).signal).toBe('SIGKILL');
      await expect(startService(place)).rejects.toThrow('A restore into this database did not finish');
      await expect(backup(place.config, { file: backupFile(place) })).rejects.toThrow('did not finish');
      expect(await restore(place.config, { file, ...plain })).toMatchObject({ accepted: [] });
      await (await startService(place)).close();
    });
  });

  test('D116: a backup does not contain the root key, and an encrypted one opens only with its identity', async () => {
    await withInstallations(async (create) => {
      const source = await create(engine);
      await (await startService(source)).close();
      const clear = backupFile(source, 'clear.backup');
      await backup(source.config, { file: clear });
      const rootKey = readFileSync(paths.rootKey(source.config));
      expect(gunzipSync(readFileSync(clear)).includes(rootKey)).toBe(false);
      const [identity, stranger] = [await generateX25519Identity(), await generateX25519Identity()];
      const file = backupFile(source, 'sealed.backup');
      await backup(source.config, { file, recipients: [await identityToRecipient(identity)] });
      expect(readFileSync(file).subarray(0, 22).toString()).toBe('age-encryption.org/v1\n');
      const place = await create(engine);
      bringRootKey(source, place);
      await expect(restore(place.config, { file, ...plain })).rejects.toThrow('is encrypted');
      const identityFile = backupFile(source, 'identity.txt');
      writeFileSync(identityFile, `# created: today\n${stranger}\n`);
      await expect(restore(place.config, { file, identityFile, ...plain })).rejects.toThrow('decrypts the backup');
      writeFileSync(identityFile, `# created: today\n${identity}\n`);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.cut`, bytes.subarray(0, bytes.length - 10));
      await expect(restore(place.config, { file: `${file}.cut`, identityFile, ...plain })).rejects.toThrow(
        'truncated or damaged',
      );
      expect(await restore(place.config, { file, identityFile, ...plain })).toMatchObject({ accepted: [] });
      await expect(backup(source.config, { file: `${file}.2`, recipients: ['age1nobody'] })).rejects.toThrow(
        'is not an age recipient',
      );
    });
  });
});

describe.each(allEngines)('a service under load on %s', (engine) => {
  test('fault 13: a backup under load is a consistent snapshot with everything acknowledged before it', async () => {
    await withInstallations(async (create) => {
      const source = await create(engine);
      const service = await startService(source);
      const key = await createPrivateKey(service.root);
      const acknowledged: string[] = [];
      let isOver = false;
      const sign = async () => {
        while (!isOver) {
          const { status, body } = await service.root.submit('signRawPayload', signParams(key));
          if (status === 200) acknowledged.push(body.activity.id);
        }
      };
      const load = Array.from({ length: 6 }, sign);
      while (acknowledged.length < 30) await new Promise((resolve) => setTimeout(resolve, 20));
      const before = [...acknowledged];
      const file = backupFile(source);
      const made = await backup(source.config, { file });
      isOver = true;
      await Promise.all(load);
      await service.close();
      const place = await create(otherEngine(engine));
      bringRootKey(source, place);
      expect(await restore(place.config, { file, ...plain })).toMatchObject({ accepted: [], counts: made.counts });
      const store = await openStore(place.config);
      for (const id of before) expect(await store.activities.get(service.first.organizationId, id)).toBeDefined();
      await store.close();
    });
  });
});

test('errors in the source are reported before a restore continues', async () => {
  await withInstallations(async (create) => {
    const source = await create('sqlite');
    const service = await startService(source);
    await createPrivateKey(service.root);
    await service.root.data('listLogEntries');
    await service.close();
    const raw = await source.raw();
    await raw.dropGuards();
    await raw.run("UPDATE activities SET status = 'ACTIVITY_STATUS_FAILED' WHERE type LIKE '%PRIVATE_KEYS%'");
    const file = backupFile(source);
    await backup(source.config, { file });
    const place = await create('sqlite');
    bringRootKey(source, place);
    await expect(restore(place.config, { file, ...plain })).rejects.toThrow('was changed outside the service');
    expect((await restore(place.config, { file, acceptLoss: true })).accepted.length).toBeGreaterThan(0);
    bringCredentials(source, place);
    const again = await startService(place);
    expect(errorOf(await again.root.query('listActivities'))).toMatchObject({ code: 'STATE_TAMPERED' });
    await again.close();
  });
});
