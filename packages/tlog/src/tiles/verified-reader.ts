import { equalBytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { emptyRoot, HASH_BYTES, isHash, type NodeHash, nodeHash } from '../merkle/hash.ts';
import { isInTree, type Place, placesOf, requireCount } from '../merkle/place.ts';
import { foldRight, type HashReader } from '../merkle/reader.ts';
import { tilePath } from './path.ts';
import { partialTiles, TILE_HEIGHT, TILE_WIDTH, type Tile, tileInTree } from './tile.ts';
import { hashInTile, subtreeInTile } from './tile-bytes.ts';

/** Returns the bytes of these tiles, in their order. They are untrusted. */
export type FetchTiles = (tiles: readonly Tile[]) => Promise<readonly Uint8Array[]>;

/**
 * A reader over untrusted tiles: the root commits to every hash that it returns. It works as the
 * TileHashReader of Go's sumdb does. `read` rejects with a TlogError if a tile is not what the root says.
 *
 * Partial tiles have no hash in the level above. Together they are the right edge of the tree, so the root is the hash over all
 * of them: that verifies them. A full tile is verified by its hash in the tile above, which is verified first.
 *
 * Who reads much can give a faster function for the hash of a node. It must give the same bytes.
 */
export function verifiedTileReader(
  size: number,
  root: Uint8Array,
  fetchTiles: FetchTiles,
  hash: NodeHash = nodeHash,
): HashReader {
  requireCount(size, 'the tree size');
  if (!isHash(root)) throw new TlogError('the root must have 32 bytes');
  let edge: ReadonlyMap<string, Uint8Array> | undefined;

  const readEdge = async () => {
    const tiles = await fetchAll(partialTiles(size), fetchTiles);
    if (!equalBytes(rootOfEdge(size, tiles, hash), root))
      throw new TlogError('the partial tiles do not have the root of the tree');
    return tiles;
  };

  return {
    async read(places) {
      for (const place of places) {
        if (!isInTree(place, size))
          throw new TlogError(`a tree of ${size} leaves has no hash ${place.index} on level ${place.level}`);
      }
      edge ??= await readEdge();
      const tiles = await readVerified(
        places.map((place) => tileOf(place, size)),
        size,
        edge,
        fetchTiles,
        hash,
      );
      return places.map((place) => hashAt(place, size, tiles, hash));
    },
  };
}

/** Fetches the full tiles that are needed and all tiles above them in one call, and verifies them from the top down. */
async function readVerified(
  needed: readonly Tile[],
  size: number,
  edge: ReadonlyMap<string, Uint8Array>,
  fetchTiles: FetchTiles,
  hash: NodeHash,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const full = new Map<string, Tile>();
  for (let tile of needed) {
    while (tile.width === TILE_WIDTH && !full.has(tilePath(tile))) {
      full.set(tilePath(tile), tile);
      tile = parentOf(tile, size);
    }
  }
  const topDown = [...full.values()].sort((left, right) => right.level - left.level);
  const fetched = await fetchAll(topDown, fetchTiles);
  const verified = new Map(edge);
  for (const tile of topDown) {
    const bytes = bytesOf(tile, fetched);
    const expected = hashInTile(bytesOf(parentOf(tile, size), verified), tile.index % TILE_WIDTH);
    if (!equalBytes(subtreeInTile(bytes, TILE_HEIGHT, 0, hash), expected))
      throw new TlogError(`${tilePath(tile)} does not have the hash that the tile above it names`);
    verified.set(tilePath(tile), bytes);
  }
  return verified;
}

/** The tiles by their paths. Throws TlogError unless there is one of the right length for each. */
async function fetchAll(tiles: readonly Tile[], fetchTiles: FetchTiles): Promise<ReadonlyMap<string, Uint8Array>> {
  const contents = tiles.length === 0 ? [] : await fetchTiles(tiles);
  if (contents.length !== tiles.length) throw new TlogError(`${contents.length} tiles were given for ${tiles.length}`);
  return new Map(
    tiles.map((tile, position) => {
      const bytes = contents[position];
      if (!(bytes instanceof Uint8Array) || bytes.length !== tile.width * HASH_BYTES)
        throw new TlogError(`${tilePath(tile)} must have ${tile.width * HASH_BYTES} bytes`);
      // SECURITY: a copy, so that the bytes cannot change between the check and their use.
      return [tilePath(tile), new Uint8Array(bytes)];
    }),
  );
}

/** INVARIANT: every hash of every partial tile goes into the root once, so the root commits to all of them. */
function rootOfEdge(size: number, edge: ReadonlyMap<string, Uint8Array>, hash: NodeHash): Uint8Array {
  if (size === 0) return emptyRoot();
  const subtrees = placesOf({ start: 0, end: size }).map((place) => hashAt(place, size, edge, hash));
  return foldRight(subtrees, hash);
}

/** The tile of a tree of `size` leaves whose hashes give the hash at this place. */
function tileOf({ level, index }: Place, size: number): Tile {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  const perTile = TILE_WIDTH / 2 ** (level % TILE_HEIGHT);
  return existing(tileInTree(tileLevel, Math.floor(index / perTile), size));
}

/** The tile that holds the hash of this full tile. A full tile always has one. */
function parentOf({ level, index }: Tile, size: number): Tile {
  return existing(tileInTree(level + 1, Math.floor(index / TILE_WIDTH), size));
}

function hashAt(place: Place, size: number, tiles: ReadonlyMap<string, Uint8Array>, hash: NodeHash): Uint8Array {
  const height = place.level % TILE_HEIGHT;
  return subtreeInTile(bytesOf(tileOf(place, size), tiles), height, place.index % (TILE_WIDTH / 2 ** height), hash);
}

function bytesOf(tile: Tile, tiles: ReadonlyMap<string, Uint8Array>): Uint8Array {
  return existing(tiles.get(tilePath(tile)));
}

/** INVARIANT: places are checked against the tree before tiles are looked for, so none is absent. */
function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new TlogError('the tree has no such tile');
  return value;
}
