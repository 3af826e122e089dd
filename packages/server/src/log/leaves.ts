import { type Opening, parseOpeningText, TlogFault } from '@countersign/tlog';
import { inSlices } from '../fairness/slices.ts';
import type { LogLeafRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { orAltered } from './log-fault.ts';
import { nativeCommitment, nativeLeafHash, nativeNodeHash } from './native-hashes.ts';
import { type Tree, treeReader } from './tree.ts';

/** A leaf that the tree commits to, and what it says. */
export interface VerifiedLeaf {
  readonly row: LogLeafRow;
  readonly opening: Opening;
  readonly salt: Uint8Array;
}

/**
 * The leaves from `start` up to, not including, `end`. Throws LogFault unless each is there and is what the tree commits to.
 * One call verifies the tiles that it reads, so read many leaves at once.
 */
export function verifiedLeaves(
  store: Store['log'],
  integrity: Integrity,
  tree: Tree,
  start: number,
  end: number,
): Promise<readonly VerifiedLeaf[]> {
  return orAltered(async () => {
    const rows = await store.leaves(start, end);
    if (rows.length !== end - start || rows.some(({ leafIndex }, at) => leafIndex !== start + at))
      throw new TlogFault(`the leaves from ${start} to ${end - 1} are not all there`);
    return verifyRows(store, integrity, tree, rows);
  });
}

/** The same for rows that were found in another way. */
export async function verifyRows(
  store: Store['log'],
  integrity: Integrity,
  tree: Tree,
  rows: readonly LogLeafRow[],
): Promise<readonly VerifiedLeaf[]> {
  const places = rows.map(({ leafIndex }) => ({ level: 0, index: leafIndex }));
  const hashes = places.length === 0 ? [] : await treeReader(store, tree, nativeNodeHash).read(places);
  const nextSlice = inSlices();
  const verified: VerifiedLeaf[] = [];
  for (const [at, row] of rows.entries()) {
    await nextSlice();
    const opening = parseOpeningText(row.opening);
    const salt = integrity.leafSalt(opening.organizationId, opening.sequence);
    const data = nativeCommitment(row.opening, salt);
    const isLeaf = Buffer.compare(nativeLeafHash(data), hashes[at] as Uint8Array) === 0;
    const { organizationId, activityId, sequence } = row;
    const isOfRow =
      opening.organizationId === organizationId && opening.activityId === activityId && opening.sequence === sequence;
    if (!isLeaf || !isOfRow || Buffer.compare(data, row.commitment) !== 0)
      throw new TlogFault(`leaf ${row.leafIndex} is not what the tree commits to`);
    verified.push({ row, opening, salt });
  }
  return verified;
}
