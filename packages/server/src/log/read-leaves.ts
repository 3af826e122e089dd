import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { leafVerifier, storedLeaves, type VerifiedLeaf, verifiedLeaves } from './leaves.ts';
import type { Tree } from './tree.ts';

/** Leaves per read: the width of a tile, so that none is verified twice, and few enough not to delay other requests. */
const CHUNK = 256;

/** The verified leaves from `start` on, in order, in parts. All of them, or those that are not in archive files. */
export async function* leavesFrom(
  store: Store['log'],
  integrity: Integrity,
  tree: Tree,
  start: number,
  which: 'ALL' | 'STORED' = 'ALL',
): AsyncGenerator<readonly VerifiedLeaf[]> {
  const verify = leafVerifier(store, integrity, tree);
  for (let at = start; at < tree.size; ) {
    const end = Math.min(tree.size, (Math.floor(at / CHUNK) + 1) * CHUNK);
    yield await (which === 'ALL' ? verifiedLeaves(store, verify, at, end) : storedLeaves(store, integrity, verify, at, end));
    at = end;
  }
}
