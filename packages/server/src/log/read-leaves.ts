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
