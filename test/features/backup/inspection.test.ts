import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { archive } from '../../../packages/server/src/commands/archive.ts';
import { backup } from '../../../packages/server/src/commands/backup.ts';
import { readParkedMessages } from '../../../packages/server/src/commands/development-mail.ts';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { recover } from '../../../packages/server/src/commands/recover.ts';
import { restore } from '../../../packages/server/src/commands/restore.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { migrations } from '../../../packages/server/src/store/migrations/migrations.ts';
import { openStore } from '../../../packages/server/src/store/open-store.ts';
import { openPostgres } from '../../../packages/server/src/store/postgres/open.ts';
import { openSqlite } from '../../../packages/server/src/store/sqlite/open.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import type { Engine, Installation } from '../../support/installation.ts';
import { openRawPostgres, openRawSqlite } from '../../support/raw-database.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey } from '../../support/world.ts';
import { allEngines, backupFile, bringCredentials, bringRootKey, withInstallations } from './support.ts';

type Create = (engine: Engine) => Promise<Installation>;

const listTables: Record<Engine, string> = {
  sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
  postgres: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name",
};

/** Every row of every table, and every file of the data directory with its digest. */
async function everythingIn({ engine, directory, config }: Installation): Promise<unknown> {
  const url = config.databaseUrl;
  const raw = url === undefined ? openRawSqlite(paths.database(config)) : await openRawPostgres(url);
  const rows: string[] = [];
  for (const { name } of await raw.all(listTables[engine]))
    for (const row of await raw.all(`SELECT * FROM ${name}`)) rows.push(JSON.stringify([name, row]));
  await raw.close();
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  return { rows: rows.toSorted(), files: files.map((file) => [file, hash('sha256', readFileSync(file))]) };
}

/** Runs every command that inspects or copies. Returns the error of each, or undefined. */
async function inspect({ config }: Installation, elsewhere: Installation): Promise<Record<string, string | undefined>> {
  const errorOf = (run: Promise<unknown>) =>
    run.then(
      () => undefined,
      (error: Error) => error.message,
    );
  const failed = (await runDoctor(config)).find(({ ok }) => !ok);
  return {
    doctor: failed?.detail,
    recover: await errorOf(recover(config, false)),
    backup: await errorOf(backup(config, { file: backupFile(elsewhere, 'inspected.backup') })),
    archive: await errorOf(archive(config, { beforeMs: 0, directory: join(elsewhere.directory, 'archive') })),
    mail: await errorOf(readParkedMessages(config, 10)),
  };
}

/** A stopped installation with a key, and its backup. */
async function backedUp(create: Create, engine: Engine): Promise<{ source: Installation; file: string }> {
  const source = await create(engine);
  const service = await startService(source);
  await createPrivateKey(service.root);
  await service.root.data('listLogEntries');
  await service.close();
  const file = backupFile(source);
  await backup(source.config, { file });
  return { source, file };
}

const childPath = new URL('./die-while-restoring.ts', import.meta.url);

/** Kills a restore while it verifies. */
async function dieWhileRestoring({ directory, config }: Installation, file: string): Promise<void> {
  const url = config.databaseUrl;
  const settings = JSON.stringify({ dataDir: directory, ...(url !== undefined && { databaseUrl: url }) });
  expect(spawnSync(process.execPath, [await bundleProgram(childPath), settings, file]).signal).toBe('SIGKILL');
}

const allFail = (text: unknown) => ({ doctor: text, recover: text, backup: text, archive: text, mail: text });

describe.each(allEngines)('inspection on %s', (engine) => {
  test('D266: an empty database stays empty', async () => {
    await withInstallations(async (create) => {
      const { source } = await backedUp(create, engine);
      const place = await create(engine);
      bringRootKey(source, place);
      if (engine === 'sqlite') writeFileSync(paths.database(place.config), '');
      const before = await everythingIn(place);
      expect(await inspect(place, source)).toEqual(allFail(expect.stringContaining('no service has started on it')));
      expect(await everythingIn(place)).toEqual(before);
      await (await startService(place)).close();
    });
  });

  test('D266: a database of an earlier release is reported, not migrated', async () => {
    await withInstallations(async (create) => {
      const { source } = await backedUp(create, engine);
      const place = await create(engine);
      bringRootKey(source, place);
      const [steps, url] = [migrations.slice(0, -1), place.config.databaseUrl];
      const options = { migrations: steps };
      const file = paths.database(place.config);
      const opened = url === undefined ? openSqlite({ file, ...options }) : openPostgres({ url, ...options });
      // The schema is created. On SQLite, statements of this release may then not fit it.
      await opened.then(
        (store) => store.close(),
        () => undefined,
      );
      const before = await everythingIn(place);
      const version = steps.at(-1)?.id;
      expect(await inspect(place, source)).toEqual(allFail(expect.stringContaining(`has schema version ${version}, and this`)));
      expect(await everythingIn(place)).toEqual(before);
      // The service migrates it, and then everything can be inspected.
      await (await startService(place)).close();
      expect((await inspect(place, source)).doctor).toBeUndefined();
    });
  });

  test('D266: an interrupted restore can be repeated after every inspection', async () => {
    await withInstallations(async (create) => {
      const { source, file } = await backedUp(create, engine);
      const place = await create(engine);
      bringRootKey(source, place);
      bringCredentials(source, place);
      await dieWhileRestoring(place, file);
      // The first open after a kill completes the write-ahead log of SQLite, and the first lock removes an empty journal.
      const store = await openStore(place.config);
      await store.lockInstallation('shared');
      await store.close();
      const before = await everythingIn(place);
      const text = expect.stringContaining('A restore into this database did not finish');
      expect(await inspect(place, source)).toEqual({ ...allFail(text), mail: undefined });
      await expect(recover(place.config, true)).rejects.toMatchObject({ message: text });
      expect(await everythingIn(place)).toEqual(before);
      expect(await restore(place.config, { file, acceptLoss: false })).toMatchObject({ accepted: [] });
      await (await startService(place)).close();
    });
  });

  test('D266: a sound installation is inspected without a trace, and a lost integrity key is not replaced', async () => {
    await withInstallations(async (create) => {
      const { source } = await backedUp(create, engine);
      const other = await create(engine);
      const before = await everythingIn(source);
      expect(await inspect(source, other)).toEqual(allFail(undefined));
      expect(await everythingIn(source)).toEqual(before);
      const raw = await source.raw();
      await raw.run("DELETE FROM settings WHERE name = 'vault.integrity-key'");
      await raw.run('DELETE FROM data_keys');
      const { doctor, backup: refused } = await inspect(source, await create(engine));
      expect(doctor).toContain('The database is empty, but this data directory has served one');
      expect(refused).toContain('this database has no keys: no service was ever started on it');
      expect(await raw.all("SELECT name FROM settings WHERE name = 'vault.integrity-key'")).toEqual([]);
    });
  });
});
