import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  appendLeaves,
  consistencyProof,
  ed25519Verifier,
  emptyFrontier,
  type Frontier,
  formatCheckpoint,
  formatNote,
  frontierRoot,
  leafHash,
  openCheckpoint,
  partialTiles,
  placesOf,
  type SignerKey,
  signNote,
  TILE_WIDTH,
  TlogError,
  verifiedTileReader,
  verifierKeyOf,
} from '@countersign/tlog';
import { growTiles } from '../log/append.ts';
import { type Tree, tileKey } from '../log/tree.ts';
import type { SignedTree } from '../log/witness/witness-client.ts';
import { replaceFile } from '../store/durable-file.ts';
import { WitnessError } from '../witness/witness-key.ts';
import { TileFiles } from './tile-files.ts';

/** Everything that is needed to append. */
interface Position {
  readonly frontier: Frontier;
  /** The bytes of the tiles that are not full. */
  readonly edge: ReadonlyMap<string, Uint8Array>;
  /** The entries of the bundle that is not full. */
  readonly open: readonly Uint8Array[];
}

const HASH_BYTES = 32;

/**
 * A log in a directory: tiles, and the signed checkpoint that says which part of them counts.
 * INVARIANT: a checkpoint is stored after its tiles are durable, and before it is published. So a killed process continues from the last
 * stored checkpoint, and every published tree is a part of all later ones.
 */
export class RootTree {
  readonly files: TileFiles;
  readonly #path: string;
  readonly #key: SignerKey;
  #position: Position;
  #published: SignedTree;

  private constructor(path: string, files: TileFiles, key: SignerKey, position: Position, published: SignedTree) {
    this.#path = path;
    this.files = files;
    this.#key = key;
    this.#position = position;
    this.#published = published;
  }

  /** Opens the log, or creates an empty one. Throws WitnessError if the files are not those of the checkpoint. */
  static async open(directory: string, key: SignerKey): Promise<RootTree> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, 'checkpoint');
    const files = new TileFiles(directory);
    try {
      if (existsSync(path)) {
        const published = openSigned(await readFile(path, 'utf8'), key);
        return new RootTree(path, files, key, await readPosition(files, published), published);
      }
      if (existsSync(join(directory, 'tile'))) throw new TlogError('the checkpoint is missing');
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      throw new WitnessError(
        `The root log in ${directory} does not verify: ${error.message}.`,
        'Restore the directory from the newest copy. If there is none, start a new root log with another --data-dir and --name.',
        { cause: error },
      );
    }
    const published = sign({ size: 0, root: frontierRoot(emptyFrontier) }, key);
    await replaceFile(path, Buffer.from(published.checkpoint));
    return new RootTree(path, files, key, { frontier: emptyFrontier, edge: new Map(), open: [] }, published);
  }

  get published(): SignedTree {
    return this.#published;
  }

  /** Appends entries and signs the tree. The caller waits for one append before it begins another. */
  async append(entries: readonly Uint8Array[]): Promise<void> {
    const { frontier, edge, open } = this.#position;
    const appended = appendLeaves(
      frontier,
      entries.map((entry) => leafHash(entry)),
    );
    const { size } = appended.frontier;
    const first = Math.floor(frontier.size / TILE_WIDTH);
    const all = [...open, ...entries];
    for (let at = 0; at < all.length; at += TILE_WIDTH)
      await this.files.writeEntries(first + at / TILE_WIDTH, all.slice(at, at + TILE_WIDTH));
    const tiles = growTiles({ size: frontier.size, edge }, size, appended.completed);
    for (const { level, tileIndex, hashes } of tiles) await this.files.writeHashes(level, tileIndex, hashes);
    const published = sign({ size, root: frontierRoot(appended.frontier) }, this.#key);
    await replaceFile(this.#path, Buffer.from(published.checkpoint));
    const grown = new Map(tiles.map(({ level, tileIndex, hashes }) => [tileKey(level, tileIndex), hashes]));
    const isOpen = (hashes: Uint8Array) => hashes.length < TILE_WIDTH * HASH_BYTES;
    this.#position = {
      frontier: appended.frontier,
      edge: new Map([...edge, ...grown].filter(([key, hashes]) => isOpen(grown.get(key) ?? hashes))),
      open: all.slice(all.length - (size % TILE_WIDTH)),
    };
    this.#published = published;
  }

  consistencyProof(oldSize: number, tree: Tree): Promise<readonly Uint8Array[]> {
    return consistencyProof(oldSize, tree.size, readerOf(this.files, tree));
  }
}

const readerOf = (files: TileFiles, { size, root }: Tree) =>
  verifiedTileReader(size, root, (tiles) => Promise.all(tiles.map((tile) => files.hashes(tile))));

function openSigned(checkpoint: string, key: SignerKey): SignedTree {
  const { size, root } = openCheckpoint(checkpoint, key.name, [ed25519Verifier(verifierKeyOf(key))]);
  return { size, root, checkpoint };
}

function sign({ size, root }: Tree, key: SignerKey): SignedTree {
  const text = formatCheckpoint({ origin: key.name, size, root, extensions: [] });
  return openSigned(formatNote({ text, signatures: [signNote(text, key)] }), key);
}

/** Reads the right edge of the tree. Throws TlogError unless it has the root of the tree. */
async function readPosition(files: TileFiles, tree: Tree): Promise<Position> {
  const { size } = tree;
  const hashes = await readerOf(files, tree).read(placesOf({ start: 0, end: size }));
  const edge = await Promise.all(
    partialTiles(size).map(async (tile) => [tileKey(tile.level, tile.index), await files.hashes(tile)] as const),
  );
  const width = size % TILE_WIDTH;
  const open = width === 0 ? [] : await files.entries(Math.floor(size / TILE_WIDTH), width);
  const leaves = width === 0 ? [] : await files.hashes({ level: 0, index: Math.floor(size / TILE_WIDTH), width });
  const isEntry = (entry: Uint8Array, at: number) =>
    Buffer.compare(leafHash(entry), Buffer.from(leaves).subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)) === 0;
  if (!open.every(isEntry)) throw new TlogError('an entry is not the one in the tree');
  return { frontier: { size, hashes }, edge: new Map(edge), open };
}
