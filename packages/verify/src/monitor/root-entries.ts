import { leafHash, parseShardEntry, type ShardEntry, TILE_WIDTH, TlogError, verifiedTileReader } from '@countersign/tlog';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type FetchPage, readBundle, tilesOf } from '../proof/log-pages.ts';
import type { SizedTree } from './compare-trees.ts';

/** An entry of the root log with its place. */
export interface PlacedEntry extends Pick<ShardEntry, 'shard' | 'key'> {
  readonly index: number;
  readonly tree: SizedTree;
}

/** The entries of a tree from an index on. Throws TlogError if a page is not the one that the root commits to. */
export async function* entriesFrom(start: number, { size, root }: SizedTree, fetchPage: FetchPage): AsyncGenerator<PlacedEntry> {
  const reader = verifiedTileReader(size, root, tilesOf(fetchPage));
  for (let bundle = Math.floor(start / TILE_WIDTH); bundle * TILE_WIDTH < size; bundle++) {
    const first = bundle * TILE_WIDTH;
    const entries = await readBundle(bundle, size, fetchPage);
    const hashes = await reader.read(entries.map((_, at) => ({ level: 0, index: first + at })));
    for (const [at, bytes] of entries.entries()) {
      // SECURITY: the bundle itself proves nothing.
      if (bytesToHex(leafHash(bytes)) !== bytesToHex(hashes[at] as Uint8Array))
        throw new TlogError(`entry ${first + at} is not the one in the tree`);
      if (first + at < start) continue;
      const { shard, key, tree } = parseShardEntry(bytes);
      yield { index: first + at, shard, key, tree };
    }
  }
}
