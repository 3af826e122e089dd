import { type Opening, parseOpeningText, TlogError } from '@countersign/tlog';
import { createSlices, OWN_WORK } from '../admission/index.ts';
import { spanFits } from '../organizations/activities/archived.ts';
import type { LogLeafRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { orAltered } from './log-error.ts';
import { nativeCommitment, nativeLeafHash, nativeNodeHash } from './native-hashes.ts';
import { type Tree, treeReader } from './tree.ts';

/** A verified leaf and its content. */
export interface VerifiedLeaf {
  readonly row: LogLeafRow;
  readonly opening: Opening;
  readonly salt: Uint8Array;
}

/** Verifies rows of one tree. Rejects if a row does not match the tree. */
export type VerifyLeaves = (rows: readonly LogLeafRow[]) => Promise<readonly VerifiedLeaf[]>;

/** Verifies leaves in slices. The tiles are read once for all of them. `owner` is the organization that requested the work. */
export function leafVerifier(store: Store['log'], integrity: Integrity, tree: Tree, owner = OWN_WORK): VerifyLeaves {
  const reader = treeReader(store, tree, nativeNodeHash);
  const endSlice = createSlices(owner);

  function verify(row: LogLeafRow, hash: Uint8Array): VerifiedLeaf {
    const opening = parseOpeningText(row.opening);
    const salt = integrity.leafSalt(opening.organizationId, opening.sequence);
    const data = nativeCommitment(row.opening, salt);
    const isLeaf = Buffer.compare(nativeLeafHash(data), hash) === 0;
    const { organizationId, activityId, sequence, revision } = row;
    const isOfRow =
      opening.organizationId === organizationId &&
      opening.activityId === activityId &&
      opening.sequence === sequence &&
      // Openings of version 1 do not contain the revision.
      (opening.version !== 2 || opening.revision === revision);
    if (!isLeaf || !isOfRow || Buffer.compare(data, row.commitment) !== 0)
      throw new TlogError(`leaf ${row.leafIndex} does not match the tree`);
    return { row, opening, salt };
  }

  return async (rows) => {
    const verified: VerifiedLeaf[] = [];
    if (rows.length === 0) return verified;
    const hashes = await reader.read(rows.map(({ leafIndex }) => ({ level: 0, index: leafIndex })));
    for (const [at, row] of rows.entries()) {
      await endSlice();
      verified.push(verify(row, hashes[at] as Uint8Array));
    }
    return verified;
  };
}

/** The leaves from `start` up to, not including, `end`. Throws LogError if one is missing or does not match the tree. */
export function verifiedLeaves(
  store: Pick<Store['log'], 'leaves'>,
  verify: VerifyLeaves,
  start: number,
  end: number,
): Promise<readonly VerifiedLeaf[]> {
  return orAltered(async () => {
    const rows = await store.leaves(start, end);
    if (rows.length !== end - start || rows.some(({ leafIndex }, at) => leafIndex !== start + at)) throw missing(start, end);
    return verify(rows);
  });
}

/**
 * The same without the leaves that are in archive files.
 * SECURITY: D541: a leaf counts as archived only if a span with a MAC contains its index. Spans contain no leaf of the last two days.
 */
export function storedLeaves(
  store: Pick<Store['log'], 'leaves' | 'spansBetween'>,
  integrity: Integrity,
  verify: VerifyLeaves,
  start: number,
  end: number,
): Promise<readonly VerifiedLeaf[]> {
  return orAltered(async () => {
    const rows = await store.leaves(start, end);
    if (rows.length === end - start) return verify(rows);
    const spans = (await store.spansBetween(start, end)).filter((span) => spanFits(integrity, span));
    const stored = new Set(rows.map(({ leafIndex }) => leafIndex));
    for (let index = start; index < end; index++)
      if (!stored.has(index) && !spans.some(({ firstLeaf, lastLeaf }) => firstLeaf <= index && index <= lastLeaf))
        throw missing(start, end);
    return verify(rows);
  });
}

function missing(start: number, end: number): TlogError {
  return new TlogError(`some of the leaves from ${start} to ${end - 1} are missing`);
}
