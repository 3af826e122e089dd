import { type ChainHead, emptyChain, leafHash } from '@countersign/tlog';
import { leavesFrom } from '../log/read-leaves.ts';
import type { Tree } from '../log/tree.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';

/**
 * Reads the whole log and follows the chain of every organization through it. Returns the organizations whose last leaf is not the one
 * that the database names, or whose chain has a gap.
 */
export async function brokenChains(
  store: Store['log'],
  integrity: Integrity,
  tree: Tree,
  onLeaves: (count: number) => void,
): Promise<readonly string[]> {
  const chains = new Map<string, ChainHead>();
  const broken = new Set<string>();
  for await (const leaves of leavesFrom(store, integrity, tree, 0)) {
    for (const { row, opening } of leaves) {
      const before = chains.get(row.organizationId) ?? emptyChain;
      if (opening.sequence !== before.sequence + 1 || opening.previousLeaf !== before.leafHash) broken.add(row.organizationId);
      chains.set(row.organizationId, {
        sequence: opening.sequence,
        leafHash: Buffer.from(leafHash(row.commitment)).toString('hex'),
      });
    }
    onLeaves(leaves.length);
  }
  const heads = new Map((await store.heads([...chains.keys()])).map((head) => [head.organizationId, head]));
  for (const [organizationId, { sequence, leafHash: hash }] of chains) {
    const head = heads.get(organizationId);
    const fits = head !== undefined && head.sequence === sequence && Buffer.from(head.leafHash).toString('hex') === hash;
    if (!fits) broken.add(organizationId);
  }
  return [...broken];
}
