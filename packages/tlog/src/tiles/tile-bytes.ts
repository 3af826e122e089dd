import { concatBytes } from '@noble/hashes/utils.js';
import { TlogError } from '../errors.ts';
import { HASH_BYTES, isHashList, type NodeHash, nodeHash } from '../merkle/hash.ts';
import type { HashReader } from '../merkle/reader.ts';
import { requireTile, TILE_HEIGHT, TILE_WIDTH, type Tile } from './tile.ts';

/**
 * The bytes of a tile, from stored hashes. A log that grows asks for the tiles of `tilesOfGrowth`, and each reads only its
 * own hashes: at most 256, on levels 0, 8, 16 and so on of the Merkle tree.
 */
export async function makeTile(tile: Tile, reader: HashReader): Promise<Uint8Array> {
  requireTile(tile);
  const { level, index, width } = tile;
  const first = index * TILE_WIDTH;
  const places = Array.from({ length: width }, (_, offset) => ({ level: level * TILE_HEIGHT, index: first + offset }));
  const hashes = await reader.read(places);
  if (hashes.length !== width || !isHashList(hashes)) throw new TlogError(`the reader did not give ${width} hashes of 32 bytes`);
  return concatBytes(...hashes);
}

/** The hash at a position of a tile. INVARIANT: the tile has that many hashes. */
export function hashInTile(bytes: Uint8Array, position: number): Uint8Array {
  return bytes.slice(position * HASH_BYTES, (position + 1) * HASH_BYTES);
}

/**
 * The root of the complete subtree over 2^height hashes of a tile, the `position`th such subtree from the left.
 * INVARIANT: the tile has all these hashes.
 */
export function subtreeInTile(bytes: Uint8Array, height: number, position: number, hash: NodeHash = nodeHash): Uint8Array {
  let row = Array.from({ length: 2 ** height }, (_, offset) => hashInTile(bytes, position * 2 ** height + offset));
  while (row.length > 1) {
    row = Array.from({ length: row.length / 2 }, (_, pair) => hash(row[2 * pair] as Uint8Array, row[2 * pair + 1] as Uint8Array));
  }
  return row[0] as Uint8Array;
}
