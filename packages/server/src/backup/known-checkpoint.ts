import { appendLeaves, frontierRoot, TlogError } from '@countersign/tlog';
import { toLeaves } from '../log/append.ts';
import { emptyPosition, type Position } from '../log/append-position.ts';
import { openOwnCheckpoint } from '../log/checkpoint.ts';
import { currentHeads } from '../log/current-heads.ts';
import { type ReadEntry, readLogEntry } from '../log/entry.ts';
import { createLocalTreeState } from '../log/local-tree-state.ts';
import { LogError } from '../log/log-error.ts';
import type { Tree } from '../log/tree.ts';
import type { QueuedLogEntry } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { BackupError } from './backup-error.ts';

/** A checkpoint of this log that a client or a witness has seen. */
export interface KnownCheckpoint extends Tree {
  /** Who saw it, for a message: `this data directory`. */
  readonly from: string;
}

/** Comparison of a log with a known checkpoint. */
export type Comparison =
  | { readonly verdict: 'COMPLETE' }
  | { readonly verdict: 'SHORTER'; readonly missing: number }
  | { readonly verdict: 'ANOTHER_HISTORY' };

/** Opens a checkpoint from the operator. Throws BackupError unless this installation signed it. */
export function openGivenCheckpoint(logKey: Uint8Array, note: string, from: string): KnownCheckpoint {
  try {
    const { size, root } = openOwnCheckpoint(logKey, note);
    return { size, root, from };
  } catch (cause) {
    if (!(cause instanceof TlogError)) throw cause;
    throw new BackupError(
      `${from} is not a checkpoint that this installation signed.`,
      'Pass the text of /log/checkpoint, unchanged.',
      { cause },
    );
  }
}

/**
 * Compares the stored log with a checkpoint. Queued entries count, in order: if they lead to the checkpoint, nothing is missing.
 */
export async function compareWith(store: Store['log'], integrity: Integrity, known: Tree): Promise<Comparison> {
  const position = await createLocalTreeState(store, integrity).refresh();
  if (known.size <= position.size) {
    try {
      await createLocalTreeState(store, integrity, { ...known, atMs: 0 }).refresh();
      return { verdict: 'COMPLETE' };
    } catch (error) {
      if (error instanceof LogError) return { verdict: 'ANOTHER_HISTORY' };
      throw error;
    }
  }
  const waiting = await store.queued(known.size - position.size);
  const missing = known.size - position.size - waiting.length;
  if (missing > 0) return { verdict: 'SHORTER', missing };
  const root = await rootAfter(store, integrity, position, waiting);
  return Buffer.compare(root, known.root) === 0 ? { verdict: 'COMPLETE' } : { verdict: 'ANOTHER_HISTORY' };
}

async function rootAfter(
  store: Store['log'],
  integrity: Integrity,
  position: Position,
  waiting: readonly QueuedLogEntry[],
): Promise<Uint8Array> {
  const entries = waiting.flatMap((row): ReadEntry[] => {
    const content = readLogEntry(integrity, row);
    return content === undefined ? [] : [{ row, content }];
  });
  const ids = [...new Set(entries.map(({ row }) => row.organizationId))];
  const heads = await currentHeads({ store, integrity, seen: () => emptyPosition }, ids);
  const { hashes } = toLeaves(integrity, position.size, heads, entries);
  return frontierRoot(appendLeaves(position.frontier, hashes).frontier);
}
