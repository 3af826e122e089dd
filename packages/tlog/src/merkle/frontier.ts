import { TlogError } from '../errors.ts';
import { emptyRoot, isHash, isHashList, type NodeHash, nodeHash } from './hash.ts';
import { isCount, type Place, placesOf } from './place.ts';
import { foldRight } from './reader.ts';

/** What a log must remember to append: its size, and the hashes of the complete subtrees it is made of, largest first. */
export interface Frontier {
  readonly size: number;
  readonly hashes: readonly Uint8Array[];
}

/** A hash that an append completed, to be stored at its place. */
export interface StoredHash extends Place {
  readonly hash: Uint8Array;
}

/** A frontier, and the hashes that were completed on the way to it, in the order in which they were completed. */
export interface Appended {
  readonly frontier: Frontier;
  readonly completed: readonly StoredHash[];
}

export const emptyFrontier: Frontier = Object.freeze({ size: 0, hashes: Object.freeze([]) });

/** The frontier after these leaves, given by their leaf hashes. Costs two hashes for each leaf at most, on average one.
 * `hashNode` is for a platform with a faster SHA-256: it must be what RFC 6962 defines. */
export function appendLeaves(frontier: Frontier, leafHashes: readonly Uint8Array[], hashNode: NodeHash = nodeHash): Appended {
  requireFrontier(frontier);
  if (!isCount(frontier.size + leafHashes.length)) throw new TlogError('the tree would have more than 2^53 - 1 leaves');
  const hashes = [...frontier.hashes];
  const completed: StoredHash[] = [];
  let size = frontier.size;
  for (const leaf of leafHashes) {
    if (!isHash(leaf)) throw new TlogError('a leaf hash must have 32 bytes');
    let hash = leaf;
    let index = size;
    completed.push({ level: 0, index, hash });
    // Each one bit at the end of the size is a subtree that the new leaf completes to one of twice its size.
    for (let level = 1; index % 2 === 1; level++) {
      hash = hashNode(hashes.pop() as Uint8Array, hash);
      index = (index - 1) / 2;
      completed.push({ level, index, hash });
    }
    hashes.push(hash);
    size += 1;
  }
  return { frontier: { size, hashes }, completed };
}

/** The root of the tree with this frontier. */
export function frontierRoot(frontier: Frontier): Uint8Array {
  requireFrontier(frontier);
  return frontier.size === 0 ? emptyRoot() : foldRight(frontier.hashes);
}

/** INVARIANT: a frontier has one hash for each one bit of its size. */
function requireFrontier({ size, hashes }: Frontier): void {
  if (!isCount(size) || hashes.length !== placesOf({ start: 0, end: size }).length || !isHashList(hashes))
    throw new TlogError('the frontier does not have the hashes that its size calls for');
}
