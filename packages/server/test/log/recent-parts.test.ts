import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { LogFollower } from '../../src/log/log-follower.ts';
import { ReplayFiles } from '../../src/log/replay-files.ts';
import { PART_BYTES } from '../../src/log/replay-part.ts';
import { createReplayCache } from '../../src/pipeline/commit/replay-cache.ts';
import type { Store } from '../../src/store/store.ts';
import { openIntegrity } from '../../src/vault/integrity/integrity.ts';
import { Secret } from '../../src/vault/keys/secret.ts';
import { integrity, openScene, type Scene } from './scene.ts';

const organizationId = '01a1e444-2010-7fe0-b787-17ec4682a65f';
/** Three complete parts and the beginning of a fourth. */
const COUNT = 800;
const SLOT = 32 + PART_BYTES;
const MINUTE_MS = 60_000;

/** A process that follows the log, and what it knows. */
async function start(scene: Scene, directory: string, { keys = integrity, nowMs = 1_000 } = {}) {
  let leavesRead = 0;
  const log: Store['log'] = {
    ...scene.store.log,
    leaves: async (from, to) => {
      leavesRead += to - from;
      return scene.store.log.leaves(from, to);
    },
  };
  const cache = createReplayCache();
  const errors: unknown[] = [];
  const follower = new LogFollower({
    store: log,
    integrity,
    ...scene.process(log),
    files: new ReplayFiles(directory, keys, (error) => errors.push(error)),
    onReplayKeys: (part) => cache.addKeys(part, nowMs),
    onLeaf: () => {},
    onHead: () => {},
  });
  await follower.start(nowMs);
  return {
    follower,
    errors,
    leavesRead: () => leavesRead,
    missing: () => scene.queued.filter(({ body }) => !cache.has(organizationId, JSON.parse(body).fingerprint)).length,
  };
}

/** A log whose end is stored in the files of a directory by the process that kept it. */
async function keptLog(count = COUNT): Promise<{ readonly scene: Scene; readonly directory: string }> {
  const scene = await openScene();
  const directory = makeDataDirectory('replay');
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (let at = 0; at < count; at++) await scene.queue(organizationId, `a${at}`);
  const { follower } = await start(scene, directory);
  await follower.advance({ integrateNow: true });
  return { scene, directory };
}

const fileIn = (directory: string) => join(directory, readdirSync(directory)[0] as string);

test('a start reads only the leaves after the last stored part, and knows every activity', async () => {
  const { scene, directory } = await keptLog();
  const later = await start(scene, directory);
  expect(later.missing()).toBe(0);
  expect(later.leavesRead()).toBe((COUNT + 1) % 256);
  expect(statSync(fileIn(directory)).mode & 0o777).toBe(0o600);
});

test('a start without files verifies the leaves, and stores their parts for the next one', async () => {
  const { scene, directory } = await keptLog();
  const stored = readFileSync(fileIn(directory));
  rmSync(fileIn(directory));
  const first = await start(scene, directory);
  expect([first.missing(), first.leavesRead()]).toEqual([0, COUNT + 1]);
  expect(readFileSync(fileIn(directory))).toEqual(stored);
  const second = await start(scene, directory);
  expect([second.missing(), second.leavesRead()]).toEqual([0, (COUNT + 1) % 256]);
});

test('a part that was begun before a restart is stored when it is complete', async () => {
  const { scene, directory } = await keptLog();
  for (let at = 0; at < 300; at++) await scene.queue(organizationId, `b${at}`);
  const { follower } = await start(scene, directory);
  await follower.advance({ integrateNow: true });
  const later = await start(scene, directory);
  expect([later.missing(), later.leavesRead()]).toEqual([0, (COUNT + 301) % 256]);
});

test('two processes store the same bytes', async () => {
  const { scene, directory } = await keptLog();
  const stored = readFileSync(fileIn(directory));
  const other = makeDataDirectory('replay');
  onTestFinished(() => rmSync(other, { recursive: true }));
  await start(scene, other);
  expect(readFileSync(fileIn(other))).toEqual(stored);
});

test('a start stops at the first part without a young leaf', async () => {
  const { scene, directory } = await keptLog();
  const later = await start(scene, directory, { nowMs: 1_000 + 71 * MINUTE_MS });
  expect(later.missing()).toBe(COUNT - ((COUNT + 1) % 256));
});

test('D527: a part that was edited, moved or cut off is read from the log again, and repaired', async () => {
  const { scene, directory } = await keptLog();
  const file = fileIn(directory);
  const good = readFileSync(file);
  const edits: ((bytes: Buffer) => void)[] = [
    // The key of one activity, its time, and the MAC.
    (bytes) => bytes.fill(0, SLOT + 32 + 16 + 64, SLOT + 32 + 16 + 80),
    (bytes) => bytes.fill(0, SLOT + 32, SLOT + 40),
    (bytes) => bytes.fill(0xff, SLOT, SLOT + 32),
    // The first part in the place of the second one.
    (bytes) => bytes.copy(bytes, SLOT, 0, SLOT),
  ];
  for (const edit of edits) {
    const bytes = Buffer.from(good);
    edit(bytes);
    writeFileSync(file, bytes);
    const later = await start(scene, directory);
    expect([later.missing(), later.leavesRead()]).toEqual([0, 256 + ((COUNT + 1) % 256)]);
    expect(readFileSync(file)).toEqual(good);
  }
  truncateSync(file, SLOT + 100);
  const later = await start(scene, directory);
  expect([later.missing(), later.leavesRead()]).toEqual([0, 512 + ((COUNT + 1) % 256)]);
});

test('D527: parts of another installation are not used', async () => {
  const { scene, directory } = await keptLog();
  rmSync(fileIn(directory));
  const foreign = openIntegrity(new Secret(new Uint8Array(32).fill(8))).integrity;
  // Written under another key, for the same leaves.
  expect((await start(scene, directory, { keys: foreign })).missing()).toBe(0);
  const later = await start(scene, directory);
  expect([later.missing(), later.leavesRead()]).toEqual([0, COUNT + 1]);
});

test('D528: parts of a history that was lost are not used for the one that replaced it', async () => {
  const lost = await keptLog();
  const scene = await openScene();
  for (let at = 0; at < COUNT; at++) await scene.queue(organizationId, `other ${at}`);
  const directory = makeDataDirectory('replay');
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { follower } = await start(scene, directory);
  await follower.advance({ integrateNow: true });
  cpSync(fileIn(lost.directory), fileIn(directory));
  const later = await start(scene, directory);
  expect([later.missing(), later.leavesRead()]).toEqual([0, COUNT + 1]);
});

test('D528: a file from an earlier time costs the leaves since then, and hides none', async () => {
  const { scene, directory } = await keptLog();
  const earlier = readFileSync(fileIn(directory));
  for (let at = 0; at < 600; at++) await scene.queue(organizationId, `later ${at}`);
  const { follower } = await start(scene, directory);
  await follower.advance({ integrateNow: true });
  writeFileSync(fileIn(directory), earlier);
  const later = await start(scene, directory);
  expect([later.missing(), later.leavesRead()]).toEqual([0, COUNT + 601 - 3 * 256]);
});

test('a directory that cannot be written is reported once, and the log is followed as before', async () => {
  const { scene, directory } = await keptLog();
  rmSync(directory, { recursive: true });
  writeFileSync(directory, 'not a directory');
  const later = await start(scene, directory);
  expect([later.missing(), later.leavesRead(), later.errors.length]).toEqual([0, COUNT + 1, 1]);
});
