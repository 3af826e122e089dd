import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { toActivityRecord } from '../organizations/activity-record.ts';
import { markFits } from '../organizations/archived.ts';
import type { Commit, CommitOutcome, Store } from '../store/store.ts';
import { renameDurably } from '../vault/providers/durable-file.ts';
import { sha256 } from '../vault/sha256.ts';
import type { Integrity } from '../vault/vault.ts';
import { commitLost, type LogFault } from './log-error.ts';

/** An activity that the database had taken. */
export interface CommitNote {
  readonly organizationId: string;
  readonly activityId: string;
  readonly revision: number;
}

/** Processes share the file, and each has a place of its own there. */
const SLOTS = 64;
const SLOT_BYTES = 256;
const SLOT = /^([0-9a-f]{16}) ((\d+) (\S+) (\S+)) *\n$/;

const CHECK_BYTES = 8;

const checkOf = (text: string) => sha256(Buffer.from(text, 'latin1')).toString('hex', 0, CHECK_BYTES);

/** The newest commit of this process, noted in a file beside the database, where whoever writes the database does not reach. */
export interface CommitNotes {
  /** Notes the last of a batch that was taken. */
  note(batch: readonly Commit[], outcomes: readonly CommitOutcome[]): void;
  close(): void;
}

/**
 * Opens the file for notes. INVARIANT: a note is written after its commit is durable and before anybody hears of it, so it never names
 * more than was taken. It is not forced to the disk: a killed process leaves it to the kernel, and the log's checkpoint, which is forced,
 * covers a machine that stops. Where it cannot be written, `onFault` hears of that once, and the service goes on.
 */
export function openCommitNotes(path: string, onFault: (error: unknown) => void, place = process.pid): CommitNotes {
  let file: number | undefined;
  const at = (place % SLOTS) * SLOT_BYTES;
  const slot = Buffer.alloc(SLOT_BYTES, '\n');
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      onFault(error);
      close();
    }
  };
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  guarded(() => {
    closeSync(openSync(path, 'a', 0o600));
    file = openSync(path, 'r+');
  });
  return {
    note(batch, outcomes) {
      if (file === undefined) return;
      const last = batch.findLast(({ activity }, index) => activity !== undefined && outcomes[index]?.taken === true)?.activity;
      if (last === undefined) return;
      const text = `${last.revision} ${last.organizationId} ${last.id}`;
      slot.write(`${checkOf(text)} ${text}`.padEnd(SLOT_BYTES - 1), 'latin1');
      guarded(() => writeSync(file as number, slot, 0, SLOT_BYTES, at));
    },
    close,
  };
}

/** What the processes of this data directory noted. A place that was never used, or only half written, says nothing. */
export function readCommitNotes(path: string): readonly CommitNote[] {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const notes: CommitNote[] = [];
  for (let at = 0; at < text.length; at += SLOT_BYTES) {
    const [, check, noted = '', revision, organizationId = '', activityId = ''] =
      SLOT.exec(text.slice(at, at + SLOT_BYTES)) ?? [];
    if (check === checkOf(noted)) notes.push({ organizationId, activityId, revision: Number(revision) });
  }
  return notes;
}

/**
 * Says what the database lacks of what was noted. Undefined if nothing.
 * SECURITY: D230: a write-ahead log that was deleted with its index, or a standby that took over and was less than a moment behind, leaves
 * a database that is whole, and lacks only what the checkpoint of the log does not name yet.
 */
export async function findLostCommit(
  path: string,
  { activities, archive }: Pick<Store, 'activities' | 'archive'>,
  integrity: Integrity,
): Promise<LogFault | undefined> {
  for (const note of readCommitNotes(path)) {
    const { organizationId, activityId, revision } = note;
    const row = await activities.get(organizationId, activityId);
    const isStored = row !== undefined && row.revision >= revision && toActivityRecord(integrity, row) !== undefined;
    if (isStored) continue;
    const mark = row === undefined ? await archive.get(organizationId, activityId) : undefined;
    if (mark === undefined || !markFits(integrity, mark)) return commitLost(note);
  }
  return undefined;
}

/** Gives the notes another name, which nobody reads. They stay as evidence. */
export async function setCommitNotesAside(path: string, nowMs: number): Promise<void> {
  if (readCommitNotes(path).length === 0) return;
  await renameDurably(path, `${path}.lost-${new Date(nowMs).toISOString().replaceAll(':', '')}`);
}
