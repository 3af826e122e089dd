import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runDoctor } from '../../../packages/server/src/commands/doctor/doctor.ts';
import { recover } from '../../../packages/server/src/commands/recover.ts';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';
import type { Config } from '../../../packages/server/src/config/settings.ts';
import { startServer } from '../../../packages/server/src/start-server.ts';
import { missingOfWal } from '../../../packages/server/src/store/sqlite/wal.ts';
import { type Place, rootOf, serve } from '../../faults/fault/support/serving.ts';
import { stampFromNowOn } from '../../support/caller.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { createPrivateKey, errorOf, privateKeyParams } from '../../support/world.ts';

const BODIES = 12;

/** The data directory of a server that was killed, with the bodies that it had acknowledged. */
describe('the files of a killed server on sqlite', () => {
  const home = makeDataDirectory('incomplete');
  const killed = join(home, 'killed');
  /** What `cp countersign.db` gives while the service runs. */
  const copied = join(home, 'countersign.db');
  /** The same, before SQLite has moved anything by itself. */
  const early = join(home, 'early.db');
  /** The checkpoint that was noted then: it names nothing of what came later. */
  const earlyAnchor = join(home, 'early-anchor.json');
  const bodies: string[] = [];
  let copies = 0;

  beforeAll(async () => {
    mkdirSync(killed);
    const place: Place = { engine: 'sqlite', directory: killed, raw: () => Promise.reject(new Error('not used')) };
    const serving = await serve(place);
    await createPrivateKey(serving.root);
    // The anchor follows within two seconds.
    await sleep(2_500);
    // SQLite moves pages into the file now and then. What is committed later is in the write-ahead log alone.
    cpSync(join(killed, 'countersign.db'), early);
    checkpoint(join(killed, 'countersign.db'));
    cpSync(join(killed, 'countersign.db'), copied);
    cpSync(join(killed, 'log-anchor.json'), earlyAnchor);
    for (let count = 0; count < BODIES; count++) {
      const body = serving.root.submitBody('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
      bodies.push(body);
      expect((await serving.root.send(serving.root.submitPath('createPrivateKeys'), body)).status).toBe(200);
      if (count === BODIES / 2) await sleep(2_500);
    }
    await serving.kill();
  });
  afterAll(() => rmSync(home, { recursive: true }));

  /** The data directory as the kill left it, for one test. */
  function asKilled(): { readonly config: Config; readonly wal: string; readonly shm: string; readonly directory: string } {
    const directory = join(home, `copy-${++copies}`);
    cpSync(killed, directory, { recursive: true });
    const file = join(directory, 'countersign.db');
    const config = readConfig({ dataDir: directory, port: '0', logLevel: 'silent' }, {});
    return { config, directory, wal: `${file}-wal`, shm: `${file}-shm` };
  }

  const finding = async (config: Config, name: string) =>
    (await runDoctor(config)).find(({ check, ok }) => check === name && !ok);

  test('D117: a killed server restarts with everything that it acknowledged', async () => {
    const { config, directory } = asKilled();
    expect(missingOfWal(join(directory, 'countersign.db'))).toBeUndefined();
    const server = await startServer(config);
    const root = rootOf({ directory } as Place, server.url);
    for (const body of bodies)
      expect((await root.send(root.submitPath('createPrivateKeys'), body)).body.activity.status).toBe(
        'ACTIVITY_STATUS_COMPLETED',
      );
    expect((await root.data('listPrivateKeys')).privateKeys).toHaveLength(BODIES + 1);
    await server.close();
  });

  test('D230: reports a write-ahead log that was deleted with its index', async () => {
    const { config, directory, wal, shm } = asKilled();
    for (const file of [wal, shm]) rmSync(file);
    cpSync(earlyAnchor, join(directory, 'log-anchor.json'));
    await expect(startServer(config)).rejects.toThrow('it had accepted the activity');
    expect(await finding(config, 'commits')).toMatchObject({ detail: expect.stringContaining('it had accepted the activity') });
    expect(await recover(config, false)).toMatchObject({ verdict: 'SOUND', commitFault: expect.any(String), raisedTo: null });
    expect(await recover(config, true)).toMatchObject({ commitFault: expect.any(String), raisedTo: 2 });
    const server = await startServer(config);
    const root = rootOf({ directory } as Place, server.url);
    const stored = (await root.data('listPrivateKeys')).privateKeys.length;
    const answers = await Promise.all(bodies.map((body) => root.send(root.submitPath('createPrivateKeys'), body)));
    expect(answers.map(({ status }) => status)).toContain(400);
    expect((await root.data('listPrivateKeys')).privateKeys).toHaveLength(stored);
    await server.close();
    expect(await recover(config, false)).toMatchObject({ verdict: 'SOUND', commitFault: null });
  });

  test.each([
    ['damaged at its end', (files) => flip(files.wal, committedLength(files) - 10_000)],
    ['damaged in the middle', ({ wal }) => flip(wal, readFileSync(wal).length >> 1)],
    ['damaged at its beginning', ({ wal }) => flip(wal, 20)],
    ['cut by one frame', (files) => truncateSync(files.wal, committedLength(files) - FRAME_BYTES)],
    ['cut in half', ({ wal }) => truncateSync(wal, readFileSync(wal).length >> 1)],
    ['emptied', ({ wal }) => truncateSync(wal, 0)],
    ['deleted', ({ wal }) => rmSync(wal)],
  ] satisfies [string, (files: ReturnType<typeof asKilled>) => void][])(
    'D117: startup and doctor report a write-ahead log that was %s, until the loss is accepted',
    async (_kind, harm) => {
      const files = asKilled();
      harm(files);
      const { config, directory } = files;
      await expect(startServer(config)).rejects.toThrow('Acknowledged activities are missing');
      await expect(startServer(config)).rejects.toMatchObject({
        fix: expect.stringContaining('countersign recover --accept-loss'),
      });
      expect(await finding(config, 'database')).toMatchObject({
        detail: expect.stringContaining('-wal was cut, damaged or deleted'),
      });
      await expect(recover(config, false)).rejects.toThrow('Acknowledged activities are missing');
      expect(await recover(config, true)).toMatchObject({ walFault: expect.stringContaining('are missing') });
      const server = await startServer(config);
      const root = rootOf({ directory } as Place, server.url);
      // What is stored is answered. What was lost is not carried out again: only its sender can find out whether it was.
      const stored = (await root.data('listPrivateKeys')).privateKeys.length;
      for (const body of bodies) {
        const answer = await root.send(root.submitPath('createPrivateKeys'), body);
        if (answer.status !== 200) expect(errorOf(answer)).toEqual({ status: 400, code: 'TIMESTAMP_INVALID' });
      }
      expect((await root.data('listPrivateKeys')).privateKeys).toHaveLength(stored);
      stampFromNowOn();
      await createPrivateKey(root);
      await root.data('listLogEntries');
      await server.close();
      expect((await runDoctor(config)).filter(({ ok }) => !ok)).toEqual([]);
    },
    60_000,
  );

  test('D117: without the index, the stored checkpoint still reveals missing leaves', async () => {
    const { config, wal, shm } = asKilled();
    rmSync(wal);
    rmSync(shm);
    await expect(startServer(config)).rejects.toThrow(/its log has \d+ entries, but this server saw \d+/);
  });

  test('D118: a database that was emptied or lost does not become a new installation', async () => {
    const { config, wal, shm, directory } = asKilled();
    for (const path of [wal, shm, join(directory, 'countersign.db')]) rmSync(path);
    writeFileSync(join(directory, 'countersign.db'), '');
    const detail = expect.stringContaining('The database is empty, but this data directory has served one');
    await expect(startServer(config)).rejects.toMatchObject({ message: detail });
    expect(await finding(config, 'database')).toMatchObject({ detail });
    await expect(recover(config, true)).rejects.toMatchObject({ message: detail });
  });

  test('D118: doctor and startup report a copied file of a running service, in its own directory', async () => {
    const { config, wal, shm, directory } = asKilled();
    cpSync(copied, join(directory, 'countersign.db'));
    rmSync(wal);
    rmSync(shm);
    const detail = expect.stringMatching(/its log has \d+ entries, but this server saw \d+/);
    await expect(startServer(config)).rejects.toMatchObject({ message: detail });
    expect(await finding(config, 'log')).toMatchObject({ detail });
  });

  test.each(['copied', 'early'] as const)('D118: and in a new data directory: %s', async (which) => {
    const directory = join(home, `elsewhere-${which}`);
    mkdirSync(directory);
    cpSync(which === 'copied' ? copied : early, join(directory, 'countersign.db'));
    cpSync(join(killed, 'root.key'), join(directory, 'root.key'));
    const config = readConfig({ dataDir: directory, port: '0', logLevel: 'silent' }, {});
    const detail = expect.stringContaining('has never served the database in it');
    await expect(startServer(config)).rejects.toMatchObject({ message: detail });
    expect(await finding(config, 'epoch')).toMatchObject({ detail });
    expect(await recover(config, true)).toMatchObject({ epochFault: detail, raisedTo: 2 });
    cpSync(join(killed, 'credentials.json'), join(directory, 'credentials.json'));
    const server = await startServer(config);
    const root = rootOf({ directory } as Place, server.url);
    expect((await root.query('whoami')).status).toBe(200);
    await server.close();
  });
});

/** Moves what was committed into the file, as SQLite does by itself when the log has grown. */
function checkpoint(file: string): void {
  const db = openSqliteFile(file);
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  db.close();
}

/** Changes one bit. A negative place counts from the end. */
const FRAME_BYTES = 4_120;

/** The end of the last committed frame: a log that started again has older frames after it. The index has their number in its header. */
function committedLength({ shm }: { readonly shm: string }): number {
  const index = readFileSync(shm);
  const committed = endianness() === 'LE' ? index.readUInt32LE(16) : index.readUInt32BE(16);
  return 32 + committed * FRAME_BYTES;
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
