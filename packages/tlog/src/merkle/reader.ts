import { TlogError } from '../errors.ts';
import { emptyRoot, isHashList, type NodeHash, nodeHash } from './hash.ts';
import { type LeafRange, type Place, placesOf, requireCount } from './place.ts';

/** Gives stored hashes of one tree. A proof over n leaves asks for O(log n) of them, all in one call. */
export interface HashReader {
  /** The hashes at these places, in their order. Rejects if one of them is not there. */
  read(places: readonly Place[]): Promise<readonly Uint8Array[]>;
}

/** The hashes of these subtrees, in their order. Each is folded from the complete subtrees that it is made of. */
export async function readRanges(ranges: readonly LeafRange[], reader: HashReader): Promise<readonly Uint8Array[]> {
  const parts = ranges.map(placesOf);
  const places = parts.flat();
  const hashes = places.length === 0 ? [] : await reader.read(places);
  if (hashes.length !== places.length || !isHashList(hashes))
    throw new TlogError(`the reader did not give ${places.length} hashes of 32 bytes`);
  let at = 0;
  return parts.map(({ length }) => {
    const start = at;
    at += length;
    return foldRight(hashes.slice(start, at));
  });
}

/** The root of the first `size` leaves. Throws TlogError for a size that is not a count. */
export async function treeRoot(size: number, reader: HashReader): Promise<Uint8Array> {
  requireCount(size, 'the tree size');
  const [root = emptyRoot()] = size === 0 ? [] : await readRanges([{ start: 0, end: size }], reader);
  return root;
}

/** The hash over neighbouring complete subtrees that get smaller from left to right. There is at least one. */
export function foldRight(hashes: readonly Uint8Array[], hash: NodeHash = nodeHash): Uint8Array {
  return hashes.reduceRight((right, left) => hash(left, right));
}
