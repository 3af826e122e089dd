import { TlogError } from '../errors.ts';
import { isCount, requireCount } from '../merkle/place.ts';

/** Hashes in a full tile. A tile is a subtree of height 8 (C2SP tlog-tiles, "Merkle Tree"). */
export const TILE_WIDTH = 256;

/** Levels of the Merkle tree that one level of tiles spans: 2^8 = 256. */
export const TILE_HEIGHT = 8;

/** The specification allows levels to 63. Trees of at most 2^53 - 1 leaves need levels 0 to 6. */
export const MAX_TILE_LEVEL = 63;

/** A tile of hashes: its level, its index within the level, and how many hashes it has, 1 to 256. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

/** A bundle of entries: the data of the leaves whose hashes are in the tile of level 0 with the same index and width. */
export interface EntryBundle {
  readonly level: 'entries';
  readonly index: number;
  readonly width: number;
}

/** How many hashes of this level a tree of `size` leaves has: floor(size / 256^level). */
export function hashesAtLevel(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The tile with this level and index in a tree of `size` leaves, as wide as it is there, or undefined if it has no hash there. */
export function tileInTree(level: number, index: number, size: number): Tile | undefined {
  const width = Math.min(TILE_WIDTH, hashesAtLevel(level, size) - index * TILE_WIDTH);
  return width > 0 ? { level, index, width } : undefined;
}

/** The tiles of a tree of `size` leaves that are not full, from level 0 up. They are the right edge of the tree. */
export function partialTiles(size: number): readonly Tile[] {
  requireCount(size, 'the tree size');
  const tiles: Tile[] = [];
  for (let level = 0; hashesAtLevel(level, size) > 0; level++) {
    const width = hashesAtLevel(level, size) % TILE_WIDTH;
    if (width > 0) tiles.push({ level, index: Math.floor(hashesAtLevel(level, size) / TILE_WIDTH), width });
  }
  return tiles;
}

/** Every tile of a tree of `size` leaves, from level 0 up: full tiles by index, then the partial one if there is one. */
export function tilesOfTree(size: number): Generator<Tile> {
  return tilesOfGrowth(0, size);
}

/**
 * The tiles that a log writes when it grows from `oldSize` to `newSize` leaves: every tile of the new tree that the old tree does
 * not have in the same width. A generator, because a large tree has many tiles.
 */
export function* tilesOfGrowth(oldSize: number, newSize: number): Generator<Tile> {
  requireCount(oldSize, 'the old tree size');
  requireCount(newSize, 'the new tree size');
  if (oldSize > newSize) throw new TlogError('the new tree is smaller than the old one');
  for (let level = 0; hashesAtLevel(level, newSize) > 0; level++) {
    const oldHashes = hashesAtLevel(level, oldSize);
    const newHashes = hashesAtLevel(level, newSize);
    if (oldHashes === newHashes) continue;
    for (let index = Math.floor(oldHashes / TILE_WIDTH); index * TILE_WIDTH < newHashes; index++) {
      yield { level, index, width: Math.min(TILE_WIDTH, newHashes - index * TILE_WIDTH) };
    }
  }
}

/** Throws TlogError for a tile that no path can name. */
export function requireTile({ level, index, width }: Tile | EntryBundle): void {
  const isLevel = level === 'entries' || (isCount(level) && level <= MAX_TILE_LEVEL);
  if (!isLevel) throw new TlogError(`the level of a tile must be an integer from 0 to ${MAX_TILE_LEVEL}`);
  requireCount(index, 'the index of a tile');
  if (!isCount(width) || width < 1 || width > TILE_WIDTH) throw new TlogError(`the width of a tile must be 1 to ${TILE_WIDTH}`);
}
