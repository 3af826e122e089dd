import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type EntryBundle, formatEntryBundle, TILE_WIDTH, type Tile, TlogError, tilePath } from '@countersign/tlog';
import { replaceFile } from '../store/durable-file.ts';

const HASH_BYTES = 32;

/**
 * Tiles of a log in files, one for each index, which grows until it is full. A file may have more than the signed tree: the rest is of an
 * append that was interrupted, and is written again.
 */
export class TileFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The first hashes of a tile. Throws TlogError if the file is missing or shorter. */
  async hashes({ level, index, width }: Tile): Promise<Uint8Array> {
    const bytes = await this.#read({ level, index, width: TILE_WIDTH });
    if (bytes.length < width * HASH_BYTES) throw new TlogError(`tile ${index} of level ${level} is too short`);
    return bytes.subarray(0, width * HASH_BYTES);
  }

  /** The first entries of a bundle. Throws TlogError if the file is missing or shorter. */
  async entries(index: number, width: number): Promise<readonly Uint8Array[]> {
    const bytes = await this.#read({ level: 'entries', index, width: TILE_WIDTH });
    const entries: Uint8Array[] = [];
    for (let at = 0; entries.length < width; ) {
      const start = at + 2;
      const end = start <= bytes.length ? start + bytes.readUInt16BE(at) : Number.POSITIVE_INFINITY;
      if (end > bytes.length) throw new TlogError(`bundle ${index} of entries is too short`);
      entries.push(bytes.subarray(start, end));
      at = end;
    }
    return entries;
  }

  writeHashes(level: number, index: number, hashes: Uint8Array): Promise<void> {
    return this.#write({ level, index, width: TILE_WIDTH }, hashes);
  }

  writeEntries(index: number, entries: readonly Uint8Array[]): Promise<void> {
    return this.#write({ level: 'entries', index, width: TILE_WIDTH }, formatEntryBundle(entries));
  }

  async #read(tile: Tile | EntryBundle): Promise<Buffer> {
    const path = join(this.#directory, tilePath(tile));
    return readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new TlogError(`${path} is missing`);
      throw error;
    });
  }

  async #write(tile: Tile | EntryBundle, bytes: Uint8Array): Promise<void> {
    const path = join(this.#directory, tilePath(tile));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, bytes);
  }
}
