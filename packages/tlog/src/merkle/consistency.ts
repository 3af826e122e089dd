import { equalBytes } from '../bytes.ts';
import { failed, passed, TlogError, type Verdict } from '../errors.ts';
import { emptyRoot, isHash, isHashList, nodeHash } from './hash.ts';
import { isCount, type LeafRange, requireCount, splitPoint } from './place.ts';
import { type HashReader, readRanges } from './reader.ts';

/** What a consistency proof claims: the new tree begins with all leaves of the old one, in the same order. */
export interface ConsistencyClaim {
  readonly oldSize: number;
  readonly oldRoot: Uint8Array;
  readonly newSize: number;
  readonly newRoot: Uint8Array;
}

/**
 * PROOF(oldSize, D[newSize]) of RFC 6962 section 2.1.2. It is empty if the sizes are equal, and if the old tree is empty, a case
 * that the RFC leaves open. Throws TlogError if the new tree is the smaller one.
 */
export async function consistencyProof(oldSize: number, newSize: number, reader: HashReader): Promise<readonly Uint8Array[]> {
  requireCount(oldSize, 'the old tree size');
  requireCount(newSize, 'the new tree size');
  if (oldSize > newSize) throw new TlogError('the new tree is smaller than the old one');
  return readRanges(oldSize === 0 ? [] : proofRanges(oldSize, newSize), reader);
}

/** SUBPROOF of RFC 6962 section 2.1.2 as subtrees, from the bottom up. */
function proofRanges(oldSize: number, newSize: number): readonly LeafRange[] {
  const ranges: LeafRange[] = [];
  let start = 0;
  let end = newSize;
  while (oldSize !== end) {
    const middle = start + splitPoint(end - start);
    if (oldSize <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // A subtree from the first leaf on is the old tree itself, whose root the verifier has.
  if (start > 0) ranges.push({ start, end });
  return ranges.reverse();
}

/** Checks a consistency proof (RFC 9162 section 2.1.4.2). Never throws: malformed input fails the check. */
export function verifyConsistency(claim: ConsistencyClaim, proof: readonly Uint8Array[]): Verdict {
  const { oldSize, oldRoot, newSize, newRoot } = claim;
  if (!isCount(oldSize) || !isCount(newSize)) return failed('a tree size is not an integer from 0 to 2^53 - 1');
  if (!isHash(oldRoot) || !isHash(newRoot)) return failed('a root is not a hash of 32 bytes');
  if (!isHashList(proof)) return failed('the proof is not a list of hashes of 32 bytes');
  if (oldSize > newSize) return failed('the new tree is smaller than the old one');
  if (oldSize === 0 && !equalBytes(oldRoot, emptyRoot())) return failed('the old root is not that of the empty tree');
  if (oldSize === newSize && !equalBytes(oldRoot, newRoot)) return failed('two trees of one size have different roots');
  if (oldSize === 0 || oldSize === newSize) return proof.length === 0 ? passed : failed('the proof has too many hashes');
  return climb(claim, proof);
}

function climb({ oldSize, oldRoot, newSize, newRoot }: ConsistencyClaim, proof: readonly Uint8Array[]): Verdict {
  // The names are those of the RFC: the last leaf of either tree, moved up past complete subtrees of the old tree.
  let fn = oldSize - 1;
  let sn = newSize - 1;
  while (fn % 2 === 1) {
    fn = (fn - 1) / 2;
    sn = Math.floor(sn / 2);
  }
  // An old tree that is one complete subtree is not in the proof, because the verifier has its root.
  const [first, ...rest] = fn === 0 ? [oldRoot, ...proof] : proof;
  if (first === undefined) return failed('the proof has too few hashes');
  let fr = first;
  let sr = first;
  for (const hash of rest) {
    if (sn === 0) return failed('the proof has too many hashes');
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeHash(hash, fr);
      sr = nodeHash(hash, sr);
      while (fn % 2 === 0 && fn !== 0) {
        fn /= 2;
        sn = Math.floor(sn / 2);
      }
    } else {
      sr = nodeHash(sr, hash);
    }
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  if (sn !== 0) return failed('the proof has too few hashes');
  if (!equalBytes(fr, oldRoot)) return failed('the proof leads to another old root');
  return equalBytes(sr, newRoot) ? passed : failed('the proof leads to another new root');
}
