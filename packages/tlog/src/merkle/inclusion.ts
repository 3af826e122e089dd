import { equalBytes } from '../bytes.ts';
import { failed, passed, TlogError, type Verdict } from '../errors.ts';
import { isHash, isHashList, nodeHash } from './hash.ts';
import { isCount, type LeafRange, requireCount, splitPoint } from './place.ts';
import { type HashReader, readRanges } from './reader.ts';

/** What an inclusion proof claims: the tree with this root and size has this leaf hash at this index. */
export interface InclusionClaim {
  readonly index: number;
  readonly size: number;
  readonly leafHash: Uint8Array;
  readonly root: Uint8Array;
}

/** PATH(index, D[size]) of RFC 6962 section 2.1.1. Throws TlogError if the tree has no such leaf. */
export async function inclusionProof(index: number, size: number, reader: HashReader): Promise<readonly Uint8Array[]> {
  requireCount(index, 'the leaf index');
  requireCount(size, 'the tree size');
  if (index >= size) throw new TlogError(`a tree of ${size} leaves has no leaf ${index}`);
  return readRanges(siblings(index, size), reader);
}

/** The sibling subtrees on the path from the leaf to the root, from the leaf up. */
function siblings(index: number, size: number): readonly LeafRange[] {
  const ranges: LeafRange[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
}

/** Checks an inclusion proof (RFC 9162 section 2.1.3.2). Never throws: malformed input fails the check. */
export function verifyInclusion(claim: InclusionClaim, proof: readonly Uint8Array[]): Verdict {
  const { index, size, leafHash, root } = claim;
  if (!isCount(index) || !isCount(size)) return failed('the leaf index or the tree size is not an integer from 0 to 2^53 - 1');
  if (index >= size) return failed('the leaf index is not below the tree size');
  if (!isHash(leafHash) || !isHash(root)) return failed('the leaf hash or the root is not a hash of 32 bytes');
  if (!isHashList(proof)) return failed('the proof is not a list of hashes of 32 bytes');
  // The names are those of the RFC: the place of the node on the way up, and of the last node on the same level.
  let fn = index;
  let sn = size - 1;
  let hash = leafHash;
  for (const sibling of proof) {
    if (sn === 0) return failed('the proof has too many hashes');
    if (fn % 2 === 1 || fn === sn) {
      hash = nodeHash(sibling, hash);
      // A last node without a right neighbour moves up unchanged until it is a right child.
      while (fn % 2 === 0 && fn !== 0) {
        fn /= 2;
        sn = Math.floor(sn / 2);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  if (sn !== 0) return failed('the proof has too few hashes');
  return equalBytes(hash, root) ? passed : failed('the proof leads to another root');
}
