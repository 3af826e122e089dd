import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { toActivityRecord } from '../organizations/activities/activity-record.ts';
import { markFits } from '../organizations/activities/archived.ts';
import { type FileHighWaterMark, renameAside } from '../store/high-water-mark.ts';
import type { Commit, CommitOutcome, Store } from '../store/store.ts';
import { sha256 } from '../vault/integrity/keyed-hash.ts';
import type { Integrity } from '../vault/vault.ts';
import { commitLost, type LogError } from './log-error.ts';

/** An activity that the database committed. */
export interface LastCommit {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
}

/** The newest commits of the processes of a data directory. Each process raises its own. */
type LastCommits = FileHighWaterMark<readonly LastCommit[], LastCommit>;

/** Processes share the file, and each has a slot. */
const SLOTS = 64;
const SLOT_BYTES = 256;
const SLOT = /^([0-9a-f]{16}) ((\d+) (\S+) (\S+)) *\n$/;

const CHECK_BYTES = 8;

const checkOf = (text: string) => sha256(Buffer.from(text, 'latin1')).toString('hex', 0, CHECK_BYTES);

/** The file with the newest commit of each process, for reading. Slots that are empty, damaged or half written are skipped. */
export function lastCommitFile(path: string): Pick<LastCommits, 'read' | 'setAside'> {
  return {
    read: () => readSlots(path),
    setAside: async (nowMs) => ((await readSlots(path)).length === 0 ? undefined : renameAside(path, nowMs)),
  };
}

async function readSlots(path: string): Promise<readonly LastCommit[]> {
  const text = await readFile(path, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const commits: LastCommit[] = [];
  for (let at = 0; at < text.length; at += SLOT_BYTES) {
    const [, check, content = '', revision, organizationId = '', activityId = ''] =
      SLOT.exec(text.slice(at, at + SLOT_BYTES)) ?? [];
    if (check === checkOf(content)) commits.push({ organizationId, activityId, revision: Number(revision) });
  }
  return commits;
}

/**
 * Opens the file for writing. `raise` writes before it returns.
 * INVARIANT: a commit is recorded after it is durable and before any caller learns of it, so the file never names more than was
 * committed. The write is not flushed: the kernel keeps it if the process is killed, and the checkpoint of the log, which is flushed,
 * covers a machine that stops. If the file cannot be written, `onError` is called once and the service continues.
 */
export function openLastCommitFile(
  path: string,
  onError: (error: unknown) => void,
  place = process.pid,
): LastCommits & { close(): void } {
  let file: number | undefined;
  const at = (place % SLOTS) * SLOT_BYTES;
  const slot = Buffer.alloc(SLOT_BYTES, '\n');
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      onError(error);
      close();
    }
  };
  guarded(() => {
    closeSync(openSync(path, 'a', 0o600));
    file = openSync(path, 'r+');
  });
  return {
    ...lastCommitFile(path),
    async raise(commit) {
      const text = `${commit.revision} ${commit.organizationId} ${commit.activityId}`;
      slot.write(`${checkOf(text)} ${text}`.padEnd(SLOT_BYTES - 1), 'latin1');
      if (file !== undefined) guarded(() => writeSync(file as number, slot, 0, SLOT_BYTES, at));
      return commit;
    },
    close,
  };
}

/** Records the last activity of a batch that was committed. */
export async function recordLastCommit(
  file: Pick<LastCommits, 'raise'>,
  batch: readonly Commit[],
  outcomes: readonly CommitOutcome[],
): Promise<void> {
  const last = batch.findLast(({ activity }, index) => activity !== undefined && outcomes[index]?.taken === true)?.activity;
  if (last === undefined) return;
  await file.raise({ organizationId: last.organizationId, activityId: last.id, revision: last.revision });
}

/**
 * The error about a recorded commit that the database lacks. Undefined if it has all.
 * SECURITY: D230: a write-ahead log that was deleted with its index, or a standby that took over slightly behind, leaves a consistent
 * database that lacks only commits that no checkpoint of the log names yet.
 */
export async function findLostCommit(
  path: string,
  { activities, archive }: Pick<Store, 'activities' | 'archive'>,
  integrity: Integrity,
): Promise<LogError | undefined> {
  for (const commit of await readSlots(path)) {
    const { organizationId, activityId, revision } = commit;
    const row = await activities.get(organizationId, activityId);
    const isStored = row !== undefined && row.revision >= revision && toActivityRecord(integrity, row) !== undefined;
    if (isStored) continue;
    const mark = row === undefined ? await archive.get(organizationId, activityId) : undefined;
    if (mark === undefined || !markFits(integrity, mark)) return commitLost(commit);
  }
  return undefined;
}
