import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import type { Config } from '../../src/config/settings.ts';
import { CommitNotes, type NoteFile } from '../../src/log/commit-notes.ts';
import { notedCommits, setNotesAside } from '../../src/log/note-files.ts';

describe('commit notes', () => {
  const organizationId = randomUUID();
  let config: Config;
  let directory: string;
  let opened: CommitNotes[];
  const errors: unknown[] = [];

  const open = () => {
    const notes = new CommitNotes(directory, (error) => errors.push(error));
    opened.push(notes);
    return notes;
  };
  const commit = (activityId: string, revision = 0) => ({ organizationId, activityId, revision });
  const named = async () => (await notedCommits(config)).map(({ activityId }) => activityId);
  /** The log adds leaves for some commits of a file. */
  const log = (file: NoteFile | undefined, ...leaves: number[]) => {
    if (file === undefined) throw new Error('not recorded');
    file.unlogged -= leaves.length;
    file.lastLeaf = Math.max(file.lastLeaf, ...leaves);
  };

  beforeEach(() => {
    config = { dataDir: makeDataDirectory('notes') } as Config;
    directory = join(config.dataDir, 'commits');
    opened = [];
    errors.length = 0;
  });
  afterEach(() => {
    for (const notes of opened) notes.close();
    rmSync(config.dataDir, { recursive: true });
  });

  test('name every commit of each process, readable only by their owner', async () => {
    const [one, other] = [open(), open()];
    one.record([commit('a'), commit('b', 3)]);
    other.record([commit('c')]);
    one.record([]);
    one.record([commit('d')]);
    expect(await notedCommits(config)).toEqual([commit('a'), commit('b', 3), commit('d'), commit('c')]);
    for (const name of ['00.a', '01.a']) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(errors).toEqual([]);
  });

  test('forget commits only after two checkpoints cover their leaves', async () => {
    const notes = open();
    log(notes.record([commit('a'), commit('b')]), 4);
    notes.published(5);
    const second = notes.record([commit('c')]);
    notes.published(6);
    notes.published(7);
    // The leaf of one commit was never seen.
    expect(await named()).toEqual(['c', 'a', 'b'].sort());
    log(second, 7);
    notes.published(8);
    notes.published(9);
    expect(await named()).toEqual(['a', 'b', 'c']);
  });

  test('are emptied in turn while the log grows', async () => {
    const notes = open();
    for (let index = 0; index < 50; index++) {
      log(notes.record([commit(`${index}`)]), index);
      notes.published(index + 1);
    }
    const left = (await named()).map(Number).sort((a, b) => a - b);
    expect(left.at(-1)).toBe(49);
    expect(left[0]).toBeGreaterThan(44);
  });

  test('of processes that ended can be locked and removed, those of others cannot', async () => {
    const [ended, running, own] = [open(), open(), open()];
    ended.record([commit('a')]);
    running.record([commit('b')]);
    own.record([commit('c')]);
    ended.close();
    const slots = own.lockEnded();
    // A new process takes another slot, although this one is free.
    open().record([commit('d')]);
    slots.remove();
    await slots.release();
    expect(await named()).toEqual(['b', 'c', 'd']);
    expect(existsSync(join(directory, '03.a'))).toBe(true);
  });

  test('of its own slot are cleared, except those of commits without a leaf', async () => {
    const before = open();
    before.record([commit('a')]);
    before.close();
    const notes = open();
    expect(await named()).toEqual(['a']);
    const file = notes.record([commit('b')]);
    for (const size of [1, 2, 3, 4]) notes.published(size);
    notes.clear();
    expect(await named()).toEqual(['a', 'b']);
    log(file, 1);
    for (const size of [5, 6, 7, 8]) notes.published(size);
    expect(await named()).toEqual(['a', 'b']);
    notes.clear();
    expect(await named()).toEqual([]);
  });

  test('skip lines that are altered or half written', async () => {
    const notes = open();
    notes.record([commit('a')]);
    notes.record([commit('b')]);
    notes.close();
    const path = join(directory, '00.a');
    const whole = readFileSync(path, 'latin1');
    const first = whole.indexOf('\n');
    for (let at = 0; at < first; at++) {
      writeFileSync(path, whole.slice(0, at) + (whole[at] === '0' ? '1' : '0') + whole.slice(at + 1), 'latin1');
      expect(await named(), String(at)).toEqual(['b']);
    }
    writeFileSync(path, whole, 'latin1');
    truncateSync(path, whole.length - 3);
    open().record([commit('c')]);
    expect(await named()).toEqual(['a', 'c']);
  });

  test('are read from the file of an earlier release', async () => {
    const text = `7 ${organizationId} a`;
    const check = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const slot = `${`${check} ${text}`.padEnd(255)}\n`;
    const damaged = `${`${check} 8${text.slice(1)}`.padEnd(255)}\n`;
    writeFileSync(join(config.dataDir, 'last-commits'), `${'\0'.repeat(256)}${slot}${damaged}`, 'latin1');
    expect(await notedCommits(config)).toEqual([commit('a', 7)]);
  });

  test('are renamed to preserve them', async () => {
    await setNotesAside(config, 0);
    expect(readdirSync(config.dataDir)).toEqual([]);
    const notes = open();
    notes.record([commit('a')]);
    notes.close();
    await setNotesAside(config, 0);
    expect(await named()).toEqual([]);
    expect(readdirSync(config.dataDir)).toEqual(['commits.lost-1970-01-01T000000.000Z']);
  });

  test('report once that they cannot be written, and the service continues', async () => {
    writeFileSync(directory, '');
    const notes = open();
    expect(notes.record([commit('a')])).toBeUndefined();
    expect(notes.record([commit('b')])).toBeUndefined();
    expect(errors).toHaveLength(1);
  });
});
