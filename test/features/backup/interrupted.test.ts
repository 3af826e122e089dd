import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { backup } from '../../../packages/server/src/commands/backup.ts';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { type Restored, restore } from '../../../packages/server/src/commands/restore.ts';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { openStore } from '../../../packages/server/src/store/open-store.ts';
import {
  type Call,
  type CallFailure,
  type CallFaults,
  createCallFaults,
  missingForCallFaults,
} from '../../faults/fault/support/phases/call-fault.ts';
import { bundleProgram } from '../../support/bundle-program.ts';
import { stampFromNowOn } from '../../support/caller.ts';
import { isExhaustive, someOf } from '../../support/exhaustive.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService } from '../../support/service.ts';
import { createPrivateKey } from '../../support/world.ts';
import { allEngines, backupFile } from './support.ts';

const LOST = 3;
const lossText = `${LOST} activity steps are missing`;
const program = new URL('./accept-loss.ts', import.meta.url);
/** Calls that make something durable. */
const DURABLE = ['sync', 'rename', 'commit'];

describe.skipIf(missingForCallFaults() !== undefined).each(allEngines)('a restore with a loss on %s', (engine) => {
  let source: Installation;
  let file: string;
  let faults: CallFaults;
  let calls: readonly Call[];

  beforeAll(async () => {
    faults = createCallFaults();
    source = await preparedEngines[engine]();
    const service = await startService(source);
    await createPrivateKey(service.root);
    await service.root.data('listLogEntries');
    file = backupFile(source);
    await backup(source.config, { file });
    for (let count = 0; count < LOST; count++) await createPrivateKey(service.root);
    await service.root.data('listLogEntries');
    await vi.waitFor(async () => expect(recordedSize(source)).toBe(await logSize(source)), 30_000);
    await service.close();
    const place = await lostPlace();
    const listed = faults.list(watched(place));
    expect(await restoreIn(place, listed.environment)).toBe(true);
    calls = listed.calls().filter(({ kind }) => DURABLE.includes(kind));
    await place.remove();
  });

  afterAll(async () => {
    faults?.remove();
    await source?.remove();
  });

  /** The data directory of the lost database, with an empty database. */
  async function lostPlace(): Promise<Installation> {
    const place = await preparedEngines[engine]();
    for (const name of filesOf(source)) cpSync(join(source.directory, name), join(place.directory, name));
    await (await openStore(place.config)).close();
    return place;
  }

  const recordedFiles = (place: Installation) =>
    filesOf(place).map((name) => [name, readIfThere(join(place.directory, name), 'hex')]);

  /** Runs the restore in a process of its own. Returns whether it succeeded. */
  async function restoreIn({ config, directory }: Installation, environment: Readonly<Record<string, string>>): Promise<boolean> {
    const url = config.databaseUrl;
    const settings = JSON.stringify({ dataDir: directory, ...(url !== undefined && { databaseUrl: url }) });
    const env = { ...process.env, ...environment };
    return spawnSync(process.execPath, [await bundleProgram(program), settings, file], { env }).status === 0;
  }

  /** Restores again as an operator would, without accepting anything at first. */
  async function restoreAgain({ config }: Installation): Promise<Restored | 'finished before'> {
    const again = await restore(config, { file, acceptLoss: false }).catch((error: Error) => error.message);
    if (typeof again !== 'string') return again;
    if (again.includes('is not empty')) return 'finished before';
    expect(again).toContain(lossText);
    return restore(config, { file, acceptLoss: true });
  }

  async function expectAccepted(place: Installation): Promise<void> {
    const raw = await place.raw();
    const queued = await raw.all("SELECT body FROM log_queue WHERE organization_id = 'installation' ORDER BY seq");
    expect(queued.map(({ body }) => JSON.parse(String(body)))).toMatchObject([
      { type: 'RESTORED', status: 'LOSS_ACCEPTED' },
      { type: 'EPOCH_RAISED', status: 'RESTORED' },
    ]);
    expect(await raw.all("SELECT name FROM settings WHERE name = 'installation.restoring'")).toEqual([]);
    const aside = readdirSync(place.directory).filter((name) => name.startsWith('log-anchor.json.lost-'));
    expect(aside.map((name) => readFileSync(join(place.directory, name), 'utf8'))).toEqual([
      readFileSync(paths.logAnchor(source.config), 'utf8'),
    ]);
    expect((await runDoctor(place.config)).filter(({ ok }) => !ok)).toEqual([]);
  }

  test.each<[CallFailure, number]>([
    ['kill-before', 0],
    ['EIO', 1],
    ['ENOSPC', 2],
  ])(
    'D265: %s at any durable call: the loss is reported again, or stays accepted',
    async (how, first) => {
      const outcomes = new Set<string>();
      for (const call of someOf(calls, 6, 2 * first)) {
        const place = await lostPlace();
        try {
          const before = JSON.stringify(recordedFiles(place));
          // SQLite ignores some errors.
          if (await restoreIn(place, faults.fail(watched(place), call, how))) {
            await expectAccepted(place);
            continue;
          }
          const doctor = (await runDoctor(place.config)).filter(({ ok }) => !ok);
          const isUntouched = JSON.stringify(recordedFiles(place)) === before;
          const again = await restoreAgain(place);
          outcomes.add(again === 'finished before' ? again : again.resumed ? 'resumed' : 'repeated');
          // No server starts before the restore is complete, and no file changes before the database has the rows.
          if (again !== 'finished before') {
            expect(again).toMatchObject({
              compared: [{ from: 'this data directory', missing: LOST }],
              accepted: expect.arrayContaining([expect.stringContaining(lossText)]),
            });
            expect(doctor.length).toBeGreaterThan(0);
            if (!again.resumed) expect(isUntouched).toBe(true);
          }
          await expectAccepted(place);
        } finally {
          await place.remove();
        }
      }
      expect(outcomes).toContain('resumed');
      if (isExhaustive && engine === 'sqlite') expect(outcomes).toContain('repeated');
    },
    500_000,
  );

  test('D265: an interrupted restore is finished only with the data directory it was compared with', async () => {
    const place = await lostPlace();
    try {
      const [first] = calls.filter(({ target }) => target.includes('epoch.json'));
      await restoreIn(place, faults.fail(watched(place), first as Call, 'kill-before'));
      await expect(startService(place)).rejects.toThrow('the backup is stored, but the data directory is not updated yet');
      const raw = await place.raw();
      const [setting] = await raw.all("SELECT body FROM settings WHERE name = 'installation.restoring'");
      const marker = JSON.parse(String(setting?.body));
      const putMarker = (body: unknown) =>
        raw.run("UPDATE settings SET body = ? WHERE name = 'installation.restoring'", JSON.stringify(body));
      const finish = () => restore(place.config, { file: '/nowhere', acceptLoss: false });
      await putMarker({ ...marker, content: marker.content.replace(`"missing":${LOST}`, '"missing":0') });
      await expect(finish()).rejects.toThrow('This installation did not write the marker');
      await putMarker(marker);
      expect(await finish()).toMatchObject({ resumed: true, compared: [{ missing: LOST }] });
      // The installation is used again. An attacker rolls it back and inserts the old marker.
      stampFromNowOn();
      const service = await startService(place);
      await createPrivateKey(service.root);
      await service.root.data('listLogEntries');
      await service.close();
      const anchor = readFileSync(paths.logAnchor(place.config), 'utf8');
      for (const table of ['log_state', 'log_heads', 'log_leaves', 'log_tiles']) await raw.run(`DELETE FROM ${table}`);
      await raw.run('INSERT INTO settings (name, body) VALUES (?, ?)', 'installation.restoring', JSON.stringify(marker));
      await expect(finish()).rejects.toThrow('the interrupted restore was not compared with it');
      expect(readFileSync(paths.logAnchor(place.config), 'utf8')).toBe(anchor);
    } finally {
      await place.remove();
    }
  });
});

/** The size of the log according to the data directory. */
function recordedSize({ config }: Installation): number {
  const text = readIfThere(paths.logAnchor(config), 'utf8');
  return text === undefined ? 0 : Number(JSON.parse(text).checkpoint.split('\n')[1]);
}

async function logSize(place: Installation): Promise<number> {
  const [state] = await (await place.raw()).all('SELECT size FROM log_state');
  return Number(state?.size);
}

/** The files of a data directory without the database. */
function filesOf({ directory }: Installation): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(directory, name)).isFile() && !/^countersign\.db|\.backup$|\.tmp$/.test(name));
}

const watched = ({ directory, config: { databaseUrl } }: Installation) => ({ directory, databaseUrl });

const readIfThere = (path: string, encoding: 'hex' | 'utf8') => (existsSync(path) ? readFileSync(path, encoding) : undefined);
