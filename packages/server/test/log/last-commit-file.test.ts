import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { lastCommitFile, openLastCommitFile, recordLastCommit } from '../../src/log/last-commit-file.ts';
import { activityRow, commitOf } from '../store/rows.ts';

describe('last-commit file', () => {
  let folder: string;
  let path: string;
  const faults: unknown[] = [];
  const open = (place: number) => openLastCommitFile(path, (error) => faults.push(error), place);
  const taken = { taken: true } as const;
  const moved = { taken: false, reason: 'VERSION_MOVED' } as const;

  /** A batch of one commit for each id. */
  const batchOf = (organizationId: string, ...ids: string[]) =>
    ids.map((id) => commitOf(organizationId, { activity: activityRow(organizationId, { id }) }));

  beforeEach(() => {
    folder = makeDataDirectory('notes');
    path = join(folder, 'last-commits');
    faults.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('names the last committed activity of each process', async () => {
    const organizationId = randomUUID();
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const [one, other] = [open(1), open(2)];
    await recordLastCommit(one, batchOf(organizationId, first, second), [taken, moved]);
    await recordLastCommit(other, batchOf(organizationId, third), [taken]);
    await recordLastCommit(other, batchOf(organizationId, second), [moved]);
    const { activity: _, ...without } = commitOf(organizationId);
    await recordLastCommit(other, [without], [taken]);
    const named = (activityId: string) => ({ organizationId, activityId, revision: 0 });
    expect(await lastCommitFile(path).read()).toEqual([named(first), named(third)]);
    await recordLastCommit(one, batchOf(organizationId, second), [taken]);
    expect(await lastCommitFile(path).read()).toEqual([named(second), named(third)]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    one.close();
    other.close();
    expect(faults).toEqual([]);
  });

  test('continues in the file of an earlier process', async () => {
    const organizationId = randomUUID();
    const ids = [randomUUID(), randomUUID()] as const;
    for (const id of ids) {
      const notes = open(65);
      await recordLastCommit(notes, batchOf(organizationId, id), [taken]);
      notes.close();
    }
    expect(await lastCommitFile(path).read()).toEqual([{ organizationId, activityId: ids[1], revision: 0 }]);
  });

  test('is ignored if it is truncated, altered or missing', async () => {
    expect(await lastCommitFile(path).read()).toEqual([]);
    const notes = open(0);
    await recordLastCommit(notes, batchOf(randomUUID(), randomUUID()), [taken]);
    notes.close();
    const whole = readFileSync(path, 'latin1');
    for (let at = 0; at < 90; at++) {
      writeFileSync(path, whole.slice(0, at) + (whole[at] === '0' ? '1' : '0') + whole.slice(at + 1), 'latin1');
      expect(await lastCommitFile(path).read(), String(at)).toEqual([]);
    }
    writeFileSync(path, whole, 'latin1');
    truncateSync(path, 100);
    expect(await lastCommitFile(path).read()).toEqual([]);
  });

  test('reports once that it cannot be written, and the service continues', async () => {
    path = join(folder, 'missing', 'last-commits');
    const notes = open(0);
    await recordLastCommit(notes, batchOf(randomUUID(), randomUUID()), [taken]);
    await recordLastCommit(notes, batchOf(randomUUID(), randomUUID()), [taken]);
    expect(faults).toHaveLength(1);
  });
});
