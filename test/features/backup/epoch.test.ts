import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { backup } from '../../../packages/server/src/commands/backup.ts';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { recover } from '../../../packages/server/src/commands/recover.ts';
import { restore } from '../../../packages/server/src/commands/restore.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { EPOCH_SETTING } from '../../../packages/server/src/installation/epoch/epoch.ts';
import { openStore } from '../../../packages/server/src/store/open-store.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import type { Installation } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey, errorOf, privateKeyParams } from '../../support/world.ts';
import { backupFile, bringCredentials, bringRootKey, withInstallations } from './support.ts';

const epochOf = async (installation: Installation) =>
  (await runDoctor(installation.config)).find(({ check }) => check === 'epoch');

/** Puts a setting by the way that a restore takes. */
async function putSetting(installation: Installation, body: string | undefined): Promise<void> {
  const store = await openStore(installation.config);
  await store.maintain((maintenance) => maintenance.putSetting(EPOCH_SETTING, body));
  await store.close();
}

async function settingOf(installation: Installation): Promise<string | undefined> {
  const store = await openStore(installation.config);
  const setting = await store.vault.setting(EPOCH_SETTING);
  await store.close();
  return setting?.body;
}

describe.each(slowEngines('sqlite'))('the epoch on %s', (engine) => {
  /** An installation, and another that was restored from its backup. */
  async function restored(create: (engine: 'sqlite' | 'postgres') => Promise<Installation>) {
    const old = await create(engine);
    await (await startService(old)).close();
    const file = backupFile(old);
    await backup(old.config, { file });
    const place = await create(engine);
    bringRootKey(old, place);
    bringCredentials(old, place);
    await restore(place.config, { file, acceptLoss: false });
    return { old, place, file };
  }

  test('R9, D111: a server of the older epoch refuses signatures and changes, raises an alarm and is not ready', async () => {
    await withInstallations(async (create) => {
      const { old, place } = await restored(create);
      const service = await startService(old);
      await createPrivateKey(service.root);
      // Its database is replaced by the restored one, under its feet.
      await putSetting(old, await settingOf(place));
      const body = service.root.submitBody('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
      const refused = await service.root.send(service.root.submitPath('createPrivateKeys'), body);
      expect(errorOf(refused)).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
      expect(JSON.stringify(refused.body)).toContain('this server is of epoch 1, but the database is at epoch 2');
      expect(service.alarms()).toMatchObject([{ organizationId: 'installation', what: expect.stringContaining('epoch 2') }]);
      const ready = await fetch(`${service.url}/readyz`);
      expect({ status: ready.status, text: await ready.text() }).toMatchObject({
        status: 503,
        text: expect.stringContaining('epoch 2'),
      });
      expect((await service.root.query('listPrivateKeys')).status).toBe(200);
      await service.close();
      const store = await openStore(old.config);
      const names = (await store.activities.page(service.first.organizationId, {}, { limit: 10 })).length;
      expect(names).toBe(2);
      await store.close();
    });
  });

  test('D111: a data directory that served epoch 2 does not serve a copy of epoch 1, and doctor says so', async () => {
    await withInstallations(async (create) => {
      const { old, place } = await restored(create);
      copyFileSync(paths.epochFile(place.config), paths.epochFile(old.config));
      await expect(startService(old)).rejects.toThrow('this is a copy from before a backup was restored');
      expect(await epochOf(old)).toMatchObject({ ok: false, detail: expect.stringContaining('has served epoch 2') });
      const accepted = await recover(old.config, true);
      expect(accepted).toMatchObject({ verdict: 'SOUND', epochFault: expect.stringContaining('epoch 2'), raisedTo: 3 });
      await (await startService(old)).close();
      expect(await epochOf(old)).toMatchObject({ ok: true, detail: expect.stringContaining('epoch 3') });
    });
  });

  test('D111: two restores of one backup are distinguished', async () => {
    await withInstallations(async (create) => {
      const { place, file } = await restored(create);
      const twin = await create(engine);
      bringRootKey(place, twin);
      bringCredentials(place, twin);
      await restore(twin.config, { file, acceptLoss: false });
      copyFileSync(paths.epochFile(place.config), paths.epochFile(twin.config));
      await expect(startService(twin)).rejects.toThrow('another copy of this installation');
    });
  });

  test('D111: a rolled-back, deleted or forged epoch is reported, also with a new data directory', async () => {
    await withInstallations(async (create) => {
      const { old, place } = await restored(create);
      const service = await startService(place);
      await service.root.data('listLogEntries');
      await service.close();
      const [first, second] = [await settingOf(old), (await settingOf(place)) as string];
      await putSetting(place, undefined);
      await expect(startService(place)).rejects.toThrow('has no epoch');
      await putSetting(place, second.replace('"number":2', '"number":3'));
      await expect(startService(place)).rejects.toThrow('not one that this installation wrote');
      await putSetting(place, first);
      await expect(startService(place)).rejects.toThrow('this is a copy from before');
      // The log says that epoch 2 began, so an older note does not help.
      copyFileSync(paths.epochFile(old.config), paths.epochFile(place.config));
      await expect(startService(place)).rejects.toThrow('its log contains the start of epoch 2');
    });
  });

  test('a database without an epoch gets its first one, also after a crash in between', async () => {
    await withInstallations(async (create) => {
      const installation = await create(engine);
      await (await startService(installation)).close();
      await putSetting(installation, undefined);
      rmSync(paths.epochFile(installation.config));
      expect(await epochOf(installation)).toMatchObject({
        ok: true,
        detail: expect.stringContaining('starts with the service'),
      });
      await (await startService(installation)).close();
      const body = await settingOf(installation);
      expect(JSON.parse(body as string)).toMatchObject({ number: 1 });
      expect(readFileSync(paths.epochFile(installation.config), 'utf8')).toBe(`${body}\n`);
      await putSetting(installation, undefined);
      await (await startService(installation)).close();
      expect(JSON.parse((await settingOf(installation)) as string)).toMatchObject({ number: 1 });
    });
  });

  test('an epoch file of another installation is rejected', async () => {
    await withInstallations(async (create) => {
      const installation = await create(engine);
      await (await startService(installation)).close();
      writeFileSync(paths.epochFile(installation.config), '{"version":1}');
      await expect(startService(installation)).rejects.toThrow('was not written by this installation');
      await recover(installation.config, true);
      await (await startService(installation)).close();
    });
  });
});
