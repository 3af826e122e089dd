import { type FetchTiles, type HashReader, type NodeHash, TlogError, verifiedTileReader } from '@countersign/tlog';
import type { Store } from '../store/store.ts';

/** A tree of the log: how many leaves it has, and the root over them. */
export interface Tree {
  readonly size: number;
  readonly root: Uint8Array;
}

/** A tree, and the root of the head map after its last leaf. */
export interface MappedTree extends Tree {
  /** Empty before the log has a head map. */
  readonly mapRoot: Uint8Array;
}

const HASH_BYTES = 32;

/** The key of a tile in maps. */
export const tileKey = (level: number, index: number) => `${level}/${index}`;

/** Reads tiles from the store. A tile that has grown starts with its earlier content. */
export function storedTiles(store: Pick<Store['log'], 'tiles'>): FetchTiles {
  return async (tiles) => {
    const rows = await store.tiles(tiles.map(({ level, index }) => ({ level, tileIndex: index })));
    const stored = new Map(rows.map(({ level, tileIndex, hashes }) => [tileKey(level, tileIndex), hashes]));
    return tiles.map(({ level, index, width }) => {
      const hashes = stored.get(tileKey(level, index));
      if (hashes === undefined || hashes.length < width * HASH_BYTES)
        throw new TlogError(`tile ${index} of level ${level} is missing or too short`);
      return hashes.slice(0, width * HASH_BYTES);
    });
  };
}

/** A reader of the tree's hashes. It returns only verified hashes, and rejects with a TlogError otherwise. */
export function treeReader(store: Pick<Store['log'], 'tiles'>, { size, root }: Tree, hash?: NodeHash): HashReader {
  return verifiedTileReader(size, root, storedTiles(store), hash);
}
