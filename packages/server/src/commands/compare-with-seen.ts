import type { Config } from '../config/settings.ts';
import { checkpointFile, checkpointPaths, type SeenCheckpoint } from '../log/checkpoint-file.ts';
import { findLostCommit } from '../log/find-lost-commit.ts';
import { leafVerifier, verifiedLeaves } from '../log/leaves.ts';
import { createLocalTreeState } from '../log/local-tree-state.ts';
import { LogError } from '../log/log-error.ts';
import type { Tree } from '../log/tree.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';

/** Comparison of the stored log with the log that this server saw last. */
export type LogVerdict =
  /** It extends the seen log. */
  | 'SOUND'
  /** It is smaller than the seen log. */
  | 'SHORTER'
  /** It is at least as long, but has another history. */
  | 'ANOTHER_HISTORY'
  /** The file in the data directory is not a checkpoint that this installation signed. */
  | 'UNREADABLE';

/** The part of a report that compares the database with this data directory. */
export interface SeenReport {
  readonly verdict: LogVerdict;
  /** The size that this server saw. Null if it has seen no log, or its file cannot be read. */
  readonly seen: { readonly entries: number; readonly atMs: number } | null;
  /** The size of the stored log. */
  readonly stored: { readonly entries: number; readonly newestAtMs: number | null };
  /** Entries that were seen but are not stored. With another history, at least one. */
  readonly missing: number;
  /** Describes an activity that this server committed and the database lacks. Null if it has all recorded ones. */
  readonly commitFault: string | null;
}

/** The comparison of a database with the files of this data directory. */
export interface ComparedWithSeen {
  readonly report: SeenReport;
  /** The checkpoint of the largest loss, otherwise the one in the data directory. */
  readonly checkpoint: SeenCheckpoint | 'UNREADABLE' | undefined;
  /** The files whose checkpoint does not match the database. */
  readonly unsound: readonly ReturnType<typeof checkpointFile>[];
}

/** Compares the database with the checkpoints and commits that this data directory has recorded. */
export async function compareWithSeen(config: Config, store: Store, { integrity, service }: Vault): Promise<ComparedWithSeen> {
  const { log } = store;
  const { size, root } = await createLocalTreeState(log, integrity).refresh();
  const lost = await findLostCommit(config, store, integrity);
  const [newest] = size === 0 ? [] : await verifiedLeaves(log, leafVerifier(log, integrity, { size, root }), size - 1, size);
  const compared = await Promise.all(
    checkpointPaths(config).map(async (path) => {
      const file = checkpointFile(path, service.logKey);
      const checkpoint = await readOrUnreadable(file.read);
      return {
        file,
        checkpoint,
        verdict: checkpoint === 'UNREADABLE' ? checkpoint : await compare(log, integrity, { size, root }, checkpoint),
      };
    }),
  );
  const unsound = compared.filter(({ verdict }) => verdict !== 'SOUND').sort((left, right) => sizeOf(right) - sizeOf(left));
  // The file with the largest loss, otherwise the one in the data directory.
  const { checkpoint, verdict } = (unsound[0] ?? compared[0]) as (typeof compared)[number];
  const seen =
    checkpoint === 'UNREADABLE' || checkpoint === undefined ? null : { entries: checkpoint.size, atMs: checkpoint.atMs };
  return {
    report: {
      verdict,
      commitFault: lost?.message ?? null,
      seen,
      stored: { entries: size, newestAtMs: newest?.opening.timeMs ?? null },
      missing: Math.max(0, (seen?.entries ?? 0) - size),
    },
    checkpoint,
    unsound: unsound.map(({ file }) => file),
  };
}

const sizeOf = ({ checkpoint }: { readonly checkpoint: SeenCheckpoint | 'UNREADABLE' | undefined }) =>
  checkpoint === undefined || checkpoint === 'UNREADABLE' ? 0 : checkpoint.size;

async function readOrUnreadable(
  read: () => Promise<SeenCheckpoint | undefined>,
): Promise<SeenCheckpoint | 'UNREADABLE' | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof LogError) return 'UNREADABLE';
    throw error;
  }
}

async function compare(
  log: Store['log'],
  integrity: Vault['integrity'],
  { size }: Tree,
  checkpoint: SeenCheckpoint | undefined,
): Promise<LogVerdict> {
  if (checkpoint === undefined) return 'SOUND';
  if (size < checkpoint.size) return 'SHORTER';
  try {
    await createLocalTreeState(log, integrity, checkpoint).refresh();
    return 'SOUND';
  } catch (error) {
    if (error instanceof LogError) return 'ANOTHER_HISTORY';
    throw error;
  }
}
