import { beforeEach, describe, expect, test } from 'vitest';
import type { NoteFile } from '../../src/log/commit-notes.ts';
import { UnloggedCommits, UnloggedError } from '../../src/log/unlogged-commits.ts';
import type { Commit, CommitOutcome } from '../../src/store/store.ts';
import { commitOf } from '../store/rows.ts';
import { entryOf } from './scene.ts';

const taken: CommitOutcome = { taken: true };
const moved: CommitOutcome = { taken: false, reason: 'VERSION_MOVED' };

describe('unlogged commits', () => {
  let nowMs: number;
  let alarms: string[];
  let unlogged: UnloggedCommits;
  let file: NoteFile;
  const notes = { record: () => file, published: () => undefined };

  const commit = (activityId: string, organizationId = 'one'): Commit =>
    commitOf(organizationId, { logEntry: entryOf(organizationId, activityId) });
  const leaf = (activityId: string, organizationId = 'one') =>
    unlogged.leafSeen({ organizationId, activityId, revision: 0, leafIndex: 1 });
  const make = (...ids: string[]) => {
    const batch = ids.map((id) => commit(id));
    unlogged.begin(batch);
    unlogged.end(
      batch,
      ids.map(() => taken),
    );
  };
  /** The process runs for some seconds, and checks every second. */
  const run = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      nowMs += 1_000;
      unlogged.check();
    }
  };

  beforeEach(() => {
    nowMs = 1_000_000;
    alarms = [];
    file = { descriptor: -1, unlogged: 0, lastLeaf: -1 };
    unlogged = new UnloggedCommits(
      { alarmSeconds: 5, stopSeconds: 30 },
      notes,
      (organizationId, what) => alarms.push(`${organizationId}: ${what}`),
      () => nowMs,
    );
  });

  test('D257: raises an alarm after 5 seconds, suspends after 30, and continues once the log has the commit', () => {
    make('a', 'b');
    leaf('a');
    run(4);
    expect(alarms).toEqual([]);
    run(1);
    expect(alarms).toEqual(['one: the activity b was executed, but has not been in the log for 5 seconds']);
    run(24);
    expect(unlogged.error()).toBeUndefined();
    run(1);
    expect(unlogged.error()).toBeInstanceOf(UnloggedError);
    expect(unlogged.error()?.message).not.toContain('b was');
    leaf('b');
    unlogged.check();
    expect(unlogged.error()).toBeUndefined();
    expect(alarms).toHaveLength(1);
  });

  test('repeats the alarm every minute', () => {
    make('a');
    run(64);
    expect(alarms).toHaveLength(1);
    run(1);
    expect(alarms).toHaveLength(2);
  });

  test('judges the oldest commit, not the newest leaf', () => {
    make('hidden');
    for (let second = 0; second < 30; second++) {
      make(`later ${second}`);
      leaf(`later ${second}`);
      run(1);
    }
    expect(unlogged.error()).toBeInstanceOf(UnloggedError);
  });

  test('ignores commits that were not made, or whose outcome is unknown', () => {
    const batch = [commit('rejected'), commit('failed')];
    unlogged.begin(batch);
    unlogged.end([batch[0] as Commit], [moved]);
    unlogged.end([batch[1] as Commit]);
    run(60);
    expect(alarms).toEqual([]);
    expect(unlogged.error()).toBeUndefined();
  });

  test('knows a commit that another process logged before its outcome arrived', () => {
    const batch = [commit('a')];
    unlogged.begin(batch);
    leaf('a');
    unlogged.end(batch, [taken]);
    run(60);
    expect(alarms).toEqual([]);
  });

  test('does not count the time for which the process was suspended', () => {
    make('a');
    nowMs += 3_600_000;
    unlogged.check();
    expect(alarms).toEqual([]);
    leaf('a');
    run(60);
    expect(unlogged.error()).toBeUndefined();
  });

  test('finds the oldest commit of an organization up to a number', () => {
    make('a');
    const { lastNumber } = unlogged;
    make('b');
    expect(unlogged.oldestOf('other', lastNumber)).toBeUndefined();
    expect(unlogged.oldestOf('one', lastNumber)).toMatchObject({ activityId: 'a', isOverdue: false });
    run(5);
    expect(unlogged.oldestOf('one', lastNumber)).toMatchObject({ isOverdue: true });
    leaf('a');
    expect(unlogged.oldestOf('one', lastNumber)).toBeUndefined();
    expect(unlogged.oldestOf('one', unlogged.lastNumber)).toMatchObject({ activityId: 'b' });
  });

  test('suspends when too many commits are not in the log', () => {
    const ids = Array.from({ length: 2 ** 17 }, (_, index) => `${index}`);
    const entry = entryOf('one', 'a');
    const first = commitOf('one');
    const batch = ids.map((activityId) => ({ ...first, logEntry: { ...entry, activityId } }));
    unlogged.begin(batch);
    unlogged.end(
      batch,
      ids.map(() => taken),
    );
    expect(unlogged.error()).toBeInstanceOf(UnloggedError);
    leaf('77');
    expect(unlogged.error()).toBeUndefined();
  });
});
