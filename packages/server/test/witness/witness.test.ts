import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  cosignatureTime,
  cosignatureVerifier,
  formatSignerKey,
  openCheckpoint,
  openNote,
  parseVerifierKey,
  type SignerKey,
  verifierKeyOf,
} from '@countersign/tlog';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { createWitness, ownVerifier, type Witness } from '../../src/witness/witness.ts';
import { openWitnessKey } from '../../src/witness/witness-key.ts';
import { openWitnessStorage, originHash, type WitnessStorage } from '../../src/witness/witness-storage.ts';
import { MadeLog } from './made-log.ts';

const key: SignerKey = { name: 'witness.example/one', type: 'cosignature', seed: new Uint8Array(32).fill(9) };
const log = new MadeLog();
const second = new MadeLog('example.com/second');
const NOW = 1_700_000_000;

async function directory(): Promise<string> {
  const path = makeDataDirectory('witness');
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** A process of the witness on a directory. `around` stands between it and the disk. */
async function open(path: string, around: (storage: WitnessStorage) => WitnessStorage = (storage) => storage): Promise<Witness> {
  const keyFile = join(path, 'witness.key');
  if (!existsSync(keyFile)) await writeFile(keyFile, `${formatSignerKey(key)}\n`, { mode: 0o600 });
  const { cosigned } = await openWitnessKey(keyFile, undefined);
  const storage = around(await openWitnessStorage(join(path, 'logs'), ownVerifier(key), cosigned));
  const silent = { info: () => {}, error: () => {} };
  return createWitness({
    key,
    logs: [log, second].map((each) => verifierKeyOf(each.key)),
    storage,
    nowSeconds: () => NOW,
    log: silent,
  });
}

const sizeAt = async (witness: Witness) => {
  const { status, body } = await witness.newest(originHash(log.key.name));
  return status === 404 ? undefined : openCheckpoint(body, log.key.name, [ownVerifier(key)]).size;
};

describe('a witness', () => {
  test('cosigns the first tree, a larger one that extends it, and the same one again', async () => {
    const witness = await open(await directory());
    for (const [oldSize, size] of [
      [0, 3],
      [3, 8],
      [8, 8],
      [8, 9],
    ] as const) {
      const { status, body } = await witness.add(await log.request(oldSize, size));
      expect(status).toBe(200);
      const { verified } = openNote(`${log.checkpoint(size)}${body}`, [cosignatureVerifier(verifierKeyOf(key))]);
      expect(verified.map(cosignatureTime)).toEqual([BigInt(NOW)]);
      expect(await sizeAt(witness)).toBe(size);
    }
  });

  test('cosigns an empty log', async () => {
    const witness = await open(await directory());
    expect(await witness.add(await log.request(0, 0))).toMatchObject({ status: 200 });
    expect(await sizeAt(witness)).toBe(0);
  });

  test('D122: a tree with another history is refused, whatever proof comes with it, and nothing moves', async () => {
    const witness = await open(await directory());
    await witness.add(await log.request(0, 5));
    const other = new MadeLog(log.key.name, 'b', 3);
    expect(await witness.add(await other.request(5, 9))).toMatchObject({ status: 422 });
    expect(await witness.add(await other.request(5, 9, { proof: [] }))).toMatchObject({ status: 422 });
    const honest = await log.request(5, 9);
    expect(await witness.add(honest.replace(log.checkpoint(9), other.checkpoint(9)))).toMatchObject({ status: 422 });
    expect(await witness.add(await other.request(5, 5))).toEqual({ status: 409, contentType: 'text/x.tlog.size', body: '5\n' });
    expect(await sizeAt(witness)).toBe(5);
    expect(await witness.add(honest)).toMatchObject({ status: 200 });
  });

  test('D122: a smaller tree is refused, and the answer says which tree the witness has', async () => {
    const witness = await open(await directory());
    await witness.add(await log.request(0, 8));
    const conflict = { status: 409, contentType: 'text/x.tlog.size', body: '8\n' };
    expect(await witness.add(await log.request(0, 5))).toEqual(conflict);
    expect(await witness.add(await log.request(5, 5))).toEqual(conflict);
    expect(await witness.add(await log.request(5, 9))).toEqual(conflict);
    expect(await witness.add(await log.request(8, 5))).toMatchObject({ status: 400 });
    expect(await sizeAt(witness)).toBe(8);
  });

  test('D122: what a known log did not sign is refused, and so is a log that is not watched', async () => {
    const witness = await open(await directory());
    const stranger = new MadeLog(log.key.name, 'a', 0, 2);
    expect(await witness.add(await stranger.request(0, 3))).toMatchObject({ status: 403 });
    const forged = log.checkpoint(3).replace('\n3\n', '\n4\n');
    expect(await witness.add(await log.request(0, 3, { checkpoint: forged }))).toMatchObject({ status: 403 });
    expect(await witness.add(await new MadeLog('example.com/other').request(0, 3))).toMatchObject({ status: 404 });
    expect(await witness.add('old 0\n\nrubbish\n')).toMatchObject({ status: 400 });
    expect(await witness.add('rubbish')).toMatchObject({ status: 400 });
    expect(await sizeAt(witness)).toBeUndefined();
    expect(await witness.newest('0'.repeat(64))).toMatchObject({ status: 404 });
  });

  test('a proof for the first tree is refused: there is nothing that it could prove', async () => {
    const witness = await open(await directory());
    expect(await witness.add(await log.request(0, 3, { proof: [new Uint8Array(32)] }))).toMatchObject({ status: 422 });
  });

  test('D122: of requests at one time for two histories, one is cosigned', async () => {
    const witness = await open(await directory());
    const other = new MadeLog(log.key.name, 'b');
    const requests = await Promise.all([3, 4, 5, 6].flatMap((size) => [log.request(0, size), other.request(0, size)]));
    const answers = await Promise.all(requests.map((request) => witness.add(request)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  test('D123: a witness that dies before it answers has stored the tree, and stays with it', async () => {
    const path = await directory();
    const dying = await open(path, (storage) => ({
      ...storage,
      async write(origin, note) {
        await storage.write(origin, note);
        throw new Error('killed after the write');
      },
    }));
    await expect(dying.add(await log.request(0, 5))).rejects.toThrow('killed');
    const next = await open(path);
    expect(await next.add(await new MadeLog(log.key.name, 'b').request(0, 6))).toMatchObject({ status: 409, body: '5\n' });
    expect(await next.add(await log.request(5, 5))).toMatchObject({ status: 200 });
  });

  test('D123: one that dies before it wrote has said nothing', async () => {
    const path = await directory();
    const dying = await open(path, (storage) => ({
      ...storage,
      async write() {
        throw new Error('killed before the write');
      },
    }));
    await expect(dying.add(await log.request(0, 5))).rejects.toThrow('killed');
    const next = await open(path);
    expect(await next.add(await new MadeLog(log.key.name, 'b').request(0, 6))).toMatchObject({ status: 200 });
  });

  test('D123: a file that was changed is refused, and not taken for a log that was never seen', async () => {
    const path = await directory();
    const witness = await open(path);
    await witness.add(await log.request(0, 5));
    const [name] = await readdir(join(path, 'logs'));
    const file = join(path, 'logs', name as string);
    const stored = await readFile(file, 'utf8');
    for (const altered of ['', stored.replace('\n5\n', '\n4\n'), log.checkpoint(4)]) {
      await writeFile(file, altered);
      await expect((await open(path)).add(await log.request(0, 3))).rejects.toMatchObject({ name: 'WitnessError' });
    }
    await writeFile(file, stored);
    expect(await (await open(path)).add(await log.request(5, 6))).toMatchObject({ status: 200 });
  });

  const fileIn = (path: string, origin = log.key.name) => join(path, 'logs', `${originHash(origin)}.checkpoint`);
  const fork = new MadeLog(log.key.name, 'b');

  test.each([true, false])('D263: a log whose file is gone is not a new log; restarted: %s', async (isRestarted) => {
    const path = await directory();
    let witness = await open(path);
    await witness.add(await log.request(0, 5));
    await copyFile(fileIn(path), join(path, 'copy'));
    await rm(fileIn(path));
    if (isRestarted) witness = await open(path);
    const missing = { name: 'WitnessError', message: expect.stringContaining('is missing') };
    await expect(witness.add(await fork.request(0, 6))).rejects.toMatchObject(missing);
    await expect(witness.add(await log.request(5, 6))).rejects.toMatchObject(missing);
    await expect(witness.newest(originHash(log.key.name))).rejects.toMatchObject(missing);
    // Another log is cosigned as before, and this one once its file is back.
    expect(await witness.add(await second.request(0, 3))).toMatchObject({ status: 200 });
    await copyFile(join(path, 'copy'), fileIn(path));
    expect(await witness.add(await fork.request(5, 6))).toMatchObject({ status: 422 });
    expect(await witness.add(await log.request(5, 6))).toMatchObject({ status: 200 });
  });

  test('D263: a running witness does not go back to an older file of its own', async () => {
    const path = await directory();
    const witness = await open(path);
    await witness.add(await log.request(0, 5));
    await copyFile(fileIn(path), join(path, 'copy'));
    await witness.add(await log.request(5, 8));
    await copyFile(join(path, 'copy'), fileIn(path));
    const other = new MadeLog(log.key.name, 'b', 5);
    await expect(witness.add(await other.request(5, 9))).rejects.toMatchObject({ name: 'WitnessError' });
    await expect(witness.add(await log.request(5, 8))).rejects.toMatchObject({ name: 'WitnessError' });
  });

  test('D263: a directory from before the list of logs gets one at startup', async () => {
    const path = await directory();
    const keyFile = join(path, 'witness.key');
    await (await open(path)).add(await log.request(0, 5));
    await writeFile(keyFile, `${formatSignerKey(key)}\n`);
    expect(await sizeAt(await open(path))).toBe(5);
    expect(await readFile(keyFile, 'utf8')).toBe(`${formatSignerKey(key)}\norigin ${originHash(log.key.name)}\n`);
    await rm(fileIn(path));
    await expect((await open(path)).add(await fork.request(0, 6))).rejects.toMatchObject({ name: 'WitnessError' });
  });

  test('D263: two logs that are cosigned at one time are both listed, and an older page is no error', async () => {
    const path = await directory();
    const witness = await open(path);
    const requests = [await log.request(0, 5), await second.request(0, 3)];
    await Promise.all(requests.flatMap((request) => [witness.add(request), sizeAt(witness)]));
    const listed = (await readFile(join(path, 'witness.key'), 'utf8')).trimEnd().split('\n').slice(1).sort();
    expect(listed).toEqual([log, second].map((each) => `origin ${originHash(each.key.name)}`).sort());
    for (let size = 5; size < 30; size++) await Promise.all([witness.add(await log.request(size, size + 1)), sizeAt(witness)]);
  });

  test('its key is a verifier key for cosignatures', async () => {
    expect(parseVerifierKey((await open(await directory())).keyText)).toEqual(verifierKeyOf(key));
  });
});
