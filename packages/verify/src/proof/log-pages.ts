import { type FetchTiles, parseEntryBundle, TILE_WIDTH, tilePath } from '@countersign/tlog';

/** Fetches a page of a log, such as `tile/0/000`, below the address of its pages. */
export type FetchPage = (name: string) => Promise<Uint8Array>;

/** Fetches tiles as pages. */
export const tilesOf =
  (fetchPage: FetchPage): FetchTiles =>
  (tiles) =>
    Promise.all(tiles.map((tile) => fetchPage(tilePath(tile))));

/** A bundle of entries of a tree of this size. It proves nothing by itself. Throws TlogError for a malformed one. */
export async function readBundle(index: number, size: number, fetchPage: FetchPage): Promise<readonly Uint8Array[]> {
  const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
  return parseEntryBundle(await fetchPage(tilePath({ level: 'entries', index, width })), width);
}
