import {
  appendLeaves,
  type ChainHead,
  emptyChain,
  frontierRoot,
  type Opening,
  openingText,
  type StoredHash,
  TILE_WIDTH,
  tilesOfGrowth,
} from '@countersign/tlog';
import type { LogStep } from '../store/log-store.ts';
import type { LogEntryRow, LogHeadRow, LogLeafRow, LogTileRow } from '../store/rows.ts';
import type { Integrity } from '../vault/vault.ts';
import { type Position, toStateRow } from './append-position.ts';
import type { LogContent } from './entry.ts';
import { nativeCommitment, nativeLeafHash, nativeNodeHash } from './native-hashes.ts';
import { tileKey } from './tree.ts';

const HASH_BYTES = 32;
/** Levels of the tree that one level of tiles spans. */
const TILE_HEIGHT = 8;

/** An entry that this installation wrote. */
export interface ReadEntry {
  readonly row: Pick<LogEntryRow, 'organizationId' | 'activityId' | 'revision'>;
  readonly content: LogContent;
}

/** The rows and the position after an append. Nothing is stored yet. */
export interface Appending {
  readonly step: Omit<LogStep, 'expected' | 'taken'>;
  readonly position: Position;
  readonly heads: ReadonlyMap<string, ChainHead>;
}

/**
 * Creates leaves for entries, in order. `heads` contains the last leaf of each organization that has one.
 * INVARIANT: pure except for the vault's MACs, so the same entries at the same position always produce the same leaves.
 */
export function append(
  integrity: Integrity,
  position: Position,
  heads: ReadonlyMap<string, ChainHead>,
  entries: readonly ReadEntry[],
): Appending {
  const next = new Map<string, ChainHead>();
  const hashes: Uint8Array[] = [];
  const leaves = entries.map(({ row, content }, at): LogLeafRow => {
    const { organizationId, activityId, revision } = row;
    const before = next.get(organizationId) ?? heads.get(organizationId) ?? emptyChain;
    const sequence = before.sequence + 1;
    const opening: Opening = { organizationId, sequence, previousLeaf: before.leafHash, activityId, ...content };
    const text = openingText(opening);
    const data = nativeCommitment(text, integrity.leafSalt(organizationId, sequence));
    const leaf = nativeLeafHash(data);
    hashes.push(leaf);
    next.set(organizationId, { sequence, leafHash: leaf.toString('hex') });
    const leafIndex = position.size + at;
    return { organizationId, activityId, revision, leafIndex, sequence, opening: text, commitment: data };
  });
  const { frontier, completed } = appendLeaves(position.frontier, hashes, nativeNodeHash);
  const tree = { size: frontier.size, root: frontierRoot(frontier), frontier };
  const tiles = growTiles(position, tree.size, completed);
  const isOpen = ({ hashes }: LogTileRow) => hashes.length < TILE_WIDTH * HASH_BYTES;
  const grown = new Map(tiles.map((tile) => [tileKey(tile.level, tile.tileIndex), tile]));
  const kept = [...position.edge].filter(([key]) => !grown.has(key));
  const opened = [...grown].filter(([, tile]) => isOpen(tile)).map(([key, tile]): [string, Uint8Array] => [key, tile.hashes]);
  return {
    step: {
      state: toStateRow(integrity, tree),
      leaves,
      tiles,
      map: [],
      heads: [...next].map((head) => toHeadRow(integrity, head)),
    },
    position: { ...tree, edge: new Map([...kept, ...opened]) },
    heads: next,
  };
}

/** The tiles that change, with their previous content and the completed hashes. */
function growTiles({ size, edge }: Position, newSize: number, completed: readonly StoredHash[]): readonly LogTileRow[] {
  const made = new Map<string, Uint8Array>();
  for (const { level, index, hash } of completed)
    if (level % TILE_HEIGHT === 0) made.set(tileKey(level / TILE_HEIGHT, index), hash);
  return [...tilesOfGrowth(size, newSize)].map(({ level, index, width }) => {
    const hashes = new Uint8Array(width * HASH_BYTES);
    const before = edge.get(tileKey(level, index)) ?? new Uint8Array();
    hashes.set(before);
    for (let at = before.length / HASH_BYTES; at < width; at++)
      hashes.set(made.get(tileKey(level, index * TILE_WIDTH + at)) as Uint8Array, at * HASH_BYTES);
    return { level, tileIndex: index, hashes };
  });
}

function toHeadRow(integrity: Integrity, [organizationId, { sequence, leafHash: hex }]: [string, ChainHead]): LogHeadRow {
  const head = { organizationId, sequence, leafHash: new Uint8Array(Buffer.from(hex, 'hex')) };
  return { ...head, headVersion: 0, headDigest: new Uint8Array(), mac: integrity.logHead(head) };
}
