import { consistencyProof, verifyConsistency } from '@countersign/tlog';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { emptyPosition, type Position, readStateRow, withEdge } from './append-position.ts';
import { logAltered, logForked, logPutBack, orAltered } from './log-error.ts';
import { type MappedTree, type Tree, treeReader } from './tree.ts';

/** The log as this process knows it. It only grows. */
export interface LocalTreeState {
  /** The tree that was seen last. */
  readonly seen: MappedTree;
  /**
   * Reads the stored log. Throws LogError if this installation did not write its state, or if it does not extend the known log.
   */
  refresh(): Promise<Position>;
  /** Records a position that this process created from the last one. */
  advance(position: Position): void;
}

/**
 * Throws LogError if a stored tree does not extend one that this server has seen.
 * SECURITY: a tree is signed, served, extended or used for proofs only after that.
 */
export async function requireExtension(
  store: Pick<Store['log'], 'tiles'>,
  seen: Tree & { readonly atMs?: number | undefined },
  tree: Tree,
): Promise<void> {
  if (tree.size < seen.size) throw logPutBack(seen.size, seen.atMs, tree.size);
  const proof = await consistencyProof(seen.size, tree.size, treeReader(store, tree));
  const claim = { oldSize: seen.size, oldRoot: seen.root, newSize: tree.size, newRoot: tree.root };
  if (!verifyConsistency(claim, proof).ok) throw logForked(seen.size, seen.atMs, tree.size);
}

/** `known` is the last tree that was seen before this process started, if any. */
export function createLocalTreeState(
  store: Store['log'],
  integrity: Integrity,
  known?: Tree & { readonly atMs: number },
): LocalTreeState {
  let seen: MappedTree = { ...emptyPosition, ...known };
  let seenAtMs = known?.atMs;
  let position: Position | undefined;

  async function stored(): Promise<Omit<Position, 'edge'>> {
    const before = await store.state();
    const hasLeaves = before === undefined && (await store.leaves(0, 1)).length > 0;
    // Another process may have started the log between the two reads.
    const row = hasLeaves ? await store.state() : before;
    if (row !== undefined) return readStateRow(integrity, row);
    if (hasLeaves) throw logAltered('its state is missing, although it has leaves');
    return emptyPosition;
  }

  function note(next: Position): void {
    position = next;
    seen = { size: next.size, root: next.root, mapRoot: next.mapRoot };
    seenAtMs = undefined;
    store.noteSize(next.size);
  }

  return {
    get seen() {
      return seen;
    },
    refresh: () =>
      orAltered(async () => {
        const tree = await stored();
        if (position?.size === tree.size && Buffer.compare(position.root, tree.root) === 0) return position;
        await requireExtension(store, { ...seen, atMs: seenAtMs }, tree);
        const next = await withEdge(store, tree);
        note(next);
        return next;
      }),
    advance: note,
  };
}
