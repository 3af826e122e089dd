import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { leafVerifier, type VerifiedLeaf, verifiedLeaves } from './leaves.ts';
import type { Tree } from './tree.ts';

/** Leaves per read: the width of a tile, so that none is verified twice, and few enough not to delay other requests. */
const CHUNK = 256;

/** The verified leaves from `start` on, in order, in parts. */
export async function* leavesFrom(
  store: Store['log'],
  integrity: Integrity,
  tree: Tree,
  start: number,
): AsyncGenerator<readonly VerifiedLeaf[]> {
  const verify = leafVerifier(store, integrity, tree);
  for (let at = start; at < tree.size; ) {
    const end = Math.min(tree.size, (Math.floor(at / CHUNK) + 1) * CHUNK);
    yield await verifiedLeaves(store, verify, at, end);
    at = end;
  }
}

/**
 * The verified leaves at the end of the log that are younger than a time, in parts, the newest part first: at most `atMost` leaves,
 * rounded up to whole parts. Leaves are nearly in the order of their times, so a part without a young leaf ends the search.
 */
export async function* leavesSince(
  store: Store['log'],
  integrity: Integrity,
  tree: Tree,
  sinceMs: number,
  atMost: number,
): AsyncGenerator<readonly VerifiedLeaf[]> {
  const verify = leafVerifier(store, integrity, tree);
  for (let end = tree.size; end > 0 && tree.size - end < atMost; ) {
    const start = Math.floor((end - 1) / CHUNK) * CHUNK;
    const leaves = await verifiedLeaves(store, verify, start, end);
    const young = leaves.filter(({ opening }) => opening.timeMs >= sinceMs);
    if (young.length === 0) return;
    yield young;
    end = start;
  }
}
