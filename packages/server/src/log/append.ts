import {
  appendLeaves,
  frontierRoot,
  type MapEntry,
  type MapNodes,
  type Opening,
  type OrganizationHead,
  openingText,
  organizationValue,
  type StoredHash,
  TILE_WIDTH,
  tilesOfGrowth,
  updateMap,
} from '@countersign/tlog';
import type { LogStep } from '../store/log-store.ts';
import type { LogLeafRow, LogTileRow } from '../store/rows.ts';
import { sha256 } from '../vault/integrity/keyed-hash.ts';
import type { Integrity } from '../vault/vault.ts';
import { type Position, toStateRow } from './append-position.ts';
import type { ReadEntry } from './entry.ts';
import { countedValue } from './head-transitions.ts';
import { headKey, toHeadRow } from './map-reader.ts';
import { nativeCommitment, nativeLeafHash, nativeNodeHash } from './native-hashes.ts';
import { tileKey } from './tree.ts';

const HASH_BYTES = 32;
/** Levels of the tree that one level of tiles spans. */
const TILE_HEIGHT = 8;

/** The heads that entries build on: those of all organizations that they name and that have one. */
export type Heads = ReadonlyMap<string, OrganizationHead>;

/** The rows and the position after an append. Nothing is stored yet. */
export interface Appending {
  readonly step: Omit<LogStep, 'expected' | 'taken'>;
  readonly position: Position;
  readonly heads: Heads;
  readonly usage: ReadonlyMap<string, Uint8Array>;
  readonly nodes: MapNodes;
}

/** Leaves of entries, with their hashes, and the heads after them. */
export interface NewLeaves {
  readonly leaves: readonly LogLeafRow[];
  readonly hashes: readonly Uint8Array[];
  readonly heads: Heads;
}

/**
 * Creates leaves for entries, in order, and moves the head map if the log has one. `nodes` contains the nodes on the paths of everything
 * that changes.
 * INVARIANT: pure except for the vault's MACs, so the same entries at the same position always produce the same leaves.
 */
export function append(
  integrity: Integrity,
  position: Position,
  known: Heads,
  entries: readonly ReadEntry[],
  nodes: MapNodes = new Map(),
): Appending {
  const { leaves, hashes, heads } = toLeaves(integrity, position.size, known, entries);
  const usage = new Map<string, Uint8Array>();
  for (const { content } of entries)
    if (content.version === 2) for (const counted of content.usage ?? []) usage.set(counted[0], countedValue(counted));
  const map = moveMap(position.mapRoot, nodes, heads, usage);
  const { frontier, completed } = appendLeaves(position.frontier, hashes, nativeNodeHash);
  const tree = { size: frontier.size, root: frontierRoot(frontier), mapRoot: map.root, frontier };
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
      heads: [...heads.values()].map(toHeadRow),
      map: [...map.nodes].map(([prefix, node]) => ({ prefix, node })),
    },
    position: { ...tree, edge: new Map([...kept, ...opened]) },
    heads,
    usage,
    nodes: map.nodes,
  };
}

/** Creates leaves for entries, in order, after the first `size` leaves. */
export function toLeaves(integrity: Integrity, size: number, known: Heads, entries: readonly ReadEntry[]): NewLeaves {
  const heads = new Map<string, OrganizationHead>();
  const hashes: Uint8Array[] = [];
  const leaves = entries.map(({ row, content }, at): LogLeafRow => {
    const { organizationId, activityId, revision } = row;
    if (content.version === 2)
      for (const head of content.created ?? []) heads.set(head.organizationId, { ...head, sequence: 0, leafHash: '' });
    const before = heads.get(organizationId) ?? known.get(organizationId) ?? noHead(organizationId);
    const sequence = before.sequence + 1;
    const text = openingText(toOpening({ row, content }, sequence, before.leafHash));
    const data = nativeCommitment(text, integrity.leafSalt(organizationId, sequence));
    const leaf = nativeLeafHash(data);
    hashes.push(leaf);
    const { headVersion, headDigest } = content.version === 2 ? content : before;
    heads.set(organizationId, { organizationId, sequence, leafHash: leaf.toString('hex'), headVersion, headDigest });
    return { organizationId, activityId, revision, leafIndex: size + at, sequence, opening: text, commitment: data };
  });
  return { leaves, hashes, heads };
}

/** The entry of an organization before its first leaf. */
export function noHead(organizationId: string): OrganizationHead {
  return { organizationId, sequence: 0, leafHash: '', headVersion: 0, headDigest: '' };
}

function toOpening({ row, content }: ReadEntry, sequence: number, previousLeaf: string): Opening {
  const { organizationId, activityId, revision } = row;
  if (content.version !== 2) return { organizationId, sequence, previousLeaf, activityId, ...content };
  const { epoch: _epoch, usage: _usage, ...shown } = content;
  return { ...shown, shard: 0, organizationId, sequence, previousLeaf, activityId, revision };
}

/** A log without a head map keeps none. */
function moveMap(root: Uint8Array, nodes: MapNodes, heads: Heads, usage: ReadonlyMap<string, Uint8Array>) {
  if (root.length === 0) return { root, nodes: new Map<string, Uint8Array>() };
  const changes = [...heads.values()].map(
    (head): MapEntry => ({ key: headKey(head.organizationId), value: organizationValue(head, sha256) }),
  );
  for (const [key, value] of usage) changes.push({ key: Buffer.from(key, 'hex'), value });
  return updateMap(root, nodes, changes, sha256);
}

/** The tiles that change, with their previous content and the completed hashes. */
export function growTiles(
  { size, edge }: Pick<Position, 'size' | 'edge'>,
  newSize: number,
  completed: readonly StoredHash[],
): readonly LogTileRow[] {
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
