import { type ChainHead, emptyChain, leafHash } from '@countersign/tlog';
import { leavesFrom } from '../log/read-leaves.ts';
import type { Tree } from '../log/tree.ts';
import { spanFits } from '../organizations/activities/archived.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';

/**
 * Reads the whole log and follows the chain of every organization through it. Returns the organizations whose last leaf is not the one
 * that the database names, or whose chain has a gap.
 * SECURITY: D541: the leaves that a chain lacks must be as many as its spans in archive files have. So no other leaf can be missing.
 */
export async function brokenChains(
  { log: store, archive }: Pick<Store, 'log' | 'archive'>,
  integrity: Integrity,
  tree: Tree,
  onLeaves: (count: number) => void,
): Promise<readonly string[]> {
  const chains = new Map<string, ChainHead>();
  const missing = new Map<string, number>();
  const broken = new Set<string>();
  for await (const leaves of leavesFrom(store, integrity, tree, 0, 'STORED')) {
    for (const { row, opening } of leaves) {
      const before = chains.get(row.organizationId) ?? emptyChain;
      const gap = opening.sequence - before.sequence - 1;
      if (gap < 0 || (gap === 0 && opening.previousLeaf !== before.leafHash)) broken.add(row.organizationId);
      if (gap > 0) missing.set(row.organizationId, (missing.get(row.organizationId) ?? 0) + gap);
      chains.set(row.organizationId, {
        sequence: opening.sequence,
        leafHash: Buffer.from(leafHash(row.commitment)).toString('hex'),
      });
    }
    onLeaves(leaves.length);
  }
  for (const organizationId of chains.keys())
    if ((missing.get(organizationId) ?? 0) !== (await archivedLeaves(archive, integrity, organizationId)))
      broken.add(organizationId);
  const heads = new Map((await store.heads([...chains.keys()])).map((head) => [head.organizationId, head]));
  for (const [organizationId, { sequence, leafHash: hash }] of chains) {
    const head = heads.get(organizationId);
    const fits = head !== undefined && head.sequence === sequence && Buffer.from(head.leafHash).toString('hex') === hash;
    if (!fits) broken.add(organizationId);
  }
  return [...broken];
}

const SPANS_AT_ONCE = 1_000;

/** Number of leaves of an organization that are in archive files, according to spans that this installation wrote. */
async function archivedLeaves(archive: Store['archive'], integrity: Integrity, organizationId: string): Promise<number> {
  let leaves = 0;
  for (let after = ''; ; ) {
    const spans = await archive.spans(organizationId, after, SPANS_AT_ONCE);
    for (const span of spans) if (spanFits(integrity, span)) leaves += span.leaves;
    if (spans.length < SPANS_AT_ONCE) return leaves;
    after = spans.at(-1)?.lastId as string;
  }
}
