import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { toActivityRecord } from '../organizations/activities/activity-record.ts';
import { markFits, spanAround } from '../organizations/activities/archived.ts';
import type { LogLeafRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import type { CommitNotes } from './commit-notes.ts';
import { readLogEntry } from './entry.ts';
import type { InstallationLog } from './installation-log.ts';
import { leafVerifier } from './leaves.ts';
import { createLocalTreeState } from './local-tree-state.ts';
import { commitLost, commitUnlogged, LogError, logAltered, orAltered } from './log-error.ts';
import { type LoggedCommit, notedCommits } from './note-files.ts';
import { keyOf } from './unlogged-commits.ts';

type Stores = Pick<Store, 'activities' | 'archive' | 'log'>;

/** Lookups that run concurrently. */
const CHUNK = 32;
/** Queued entries to read. A server stops executing long before the queue reaches this length. */
const MAX_QUEUED = 2 ** 18;
/** How often to look again for an entry that another process may be integrating, and the pause in between. */
const ATTEMPTS = 50;
const PAUSE_MS = 100;

/**
 * The error about a recorded commit that the database or its log lacks. Undefined if it has all.
 * SECURITY: D230: a write-ahead log that was deleted with its index, or a standby that took over slightly behind, leaves a consistent
 * database that lacks only commits that no checkpoint of the log names yet.
 * SECURITY: D258: the same holds for activities whose log entries were deleted before they became leaves.
 */
export async function findLostCommit(config: Config, stores: Stores, integrity: Integrity): Promise<LogError | undefined> {
  try {
    return (await checkCommits(await notedCommits(config), stores, integrity)).error;
  } catch (error) {
    if (error instanceof LogError) return error;
    throw error;
  }
}

/**
 * Checks the recorded commits at startup, after the log was opened, and throws the error about one that the database or its log lacks.
 * Then it removes the notes of processes that ended: a recorded checkpoint covers their commits.
 */
export async function settleNotes(
  config: Config,
  notes: CommitNotes,
  log: Pick<InstallationLog, 'catchUp'>,
  stores: Stores,
  integrity: Integrity,
): Promise<void> {
  const ended = notes.lockEnded();
  try {
    const commits = await notedCommits(config);
    for (let attempt = 1; ; attempt++) {
      const { error, queued } = await checkCommits(commits, stores, integrity);
      if (error !== undefined) throw error;
      if (queued === 0) break;
      if (attempt === ATTEMPTS) throw logAltered(`${queued} entries of executed activities do not become leaves`);
      await sleep(PAUSE_MS);
      await log.catchUp();
    }
    // The checkpoint that covers the leaves is recorded now, if another process added some of them.
    await log.catchUp();
    notes.clear();
    ended.remove();
    await rm(paths.lastCommits(config), { force: true });
  } finally {
    await ended.release();
  }
}

/** Looks up commits. `queued` is the number of those that are not in the log yet. */
async function checkCommits(
  commits: readonly LoggedCommit[],
  { activities, archive, log }: Stores,
  integrity: Integrity,
): Promise<{ readonly error?: LogError; readonly queued: number }> {
  const newest = new Map<string, LoggedCommit>();
  for (const commit of commits) {
    const key = `${commit.organizationId}/${commit.activityId}`;
    if (commit.revision >= (newest.get(key)?.revision ?? 0)) newest.set(key, commit);
  }
  const archived = new Set<string>();
  const lost = await inChunks([...newest.values()], async (commit) => ((await isStored(commit)) ? [] : [commit]));
  if (lost[0] !== undefined) return { error: commitLost(lost[0]), queued: 0 };

  const leaves = await leavesOf(commits);
  const withoutLeaf = commits.filter((commit) => !leaves.has(keyOf(commit)) && !archived.has(commit.activityId));
  const queue = withoutLeaf.length === 0 ? new Set<string>() : await queuedAmong(withoutLeaf);
  // A queued entry may have become a leaf since.
  const unlogged = withoutLeaf.filter((commit) => !queue.has(keyOf(commit)));
  for (const [key, leaf] of await leavesOf(unlogged)) leaves.set(key, leaf);
  const missing = unlogged.find((commit) => !leaves.has(keyOf(commit)));
  if (missing !== undefined) return { error: commitUnlogged(missing), queued: 0 };
  await requireInTree([...leaves.values()]);
  return { queued: queue.size };

  async function isStored({ organizationId, activityId, revision }: LoggedCommit): Promise<boolean> {
    if (activityId.startsWith(SYSTEM)) return true;
    const row = await activities.get(organizationId, activityId);
    if (row !== undefined) return row.revision >= revision && toActivityRecord(integrity, row) !== undefined;
    const mark = await archive.get(organizationId, activityId);
    if (mark !== undefined && markFits(integrity, mark)) return true;
    if ((await spanAround(log, integrity, organizationId, activityId)) === undefined) return false;
    // Its leaves are in the same file.
    archived.add(activityId);
    return true;
  }

  async function leavesOf(wanted: readonly LoggedCommit[]): Promise<Map<string, LogLeafRow>> {
    const rows = await inChunks(wanted, async ({ organizationId, activityId, revision }) => {
      const row = await log.leafOf(organizationId, activityId, revision);
      return row === undefined ? [] : [row];
    });
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  async function queuedAmong(wanted: readonly LoggedCommit[]): Promise<ReadonlySet<string>> {
    const keys = new Set(wanted.map(keyOf));
    const entries = (await log.queued(MAX_QUEUED)).filter((entry) => keys.has(keyOf(entry)));
    return new Set(entries.filter((entry) => readLogEntry(integrity, entry) !== undefined).map(keyOf));
  }

  /** SECURITY: a row that the tree does not contain is no leaf. */
  async function requireInTree(rows: readonly LogLeafRow[]): Promise<void> {
    const tree = await createLocalTreeState(log, integrity).refresh();
    const beyond = rows.find(({ leafIndex }) => leafIndex >= tree.size);
    if (beyond !== undefined) throw logAltered(`it has ${tree.size} entries, and a leaf ${beyond.leafIndex}`);
    await orAltered(() => leafVerifier(log, integrity, tree)(rows));
  }
}

/** Changes by the service itself have no activity. */
const SYSTEM = 'system:';

async function inChunks<T, R>(items: readonly T[], work: (item: T) => Promise<readonly R[]>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += CHUNK)
    results.push(...(await Promise.all(items.slice(at, at + CHUNK).map(work))).flat());
  return results;
}
