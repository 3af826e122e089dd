import {
  emptyFrontier,
  type Frontier,
  frontierRoot,
  partialTiles,
  TlogError,
  treeRoot,
  verifiedTileReader,
} from '@countersign/tlog';
import type { LogStateRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { logAltered } from './log-error.ts';
import { type MappedTree, storedTiles, tileKey } from './tree.ts';

/** Everything that is needed to append to a tree. */
export interface Position extends MappedTree {
  readonly frontier: Frontier;
  /** The bytes of the tiles that are not full. */
  readonly edge: ReadonlyMap<string, Uint8Array>;
}

const HASH_BYTES = 32;

/** The position before the first leaf. */
export const emptyPosition: Position = Object.freeze({
  size: 0,
  root: frontierRoot(emptyFrontier),
  frontier: emptyFrontier,
  edge: new Map(),
  mapRoot: new Uint8Array(),
});

/** The row of a state, with its MAC. */
export function toStateRow(integrity: Integrity, { size, root, mapRoot, frontier }: Omit<Position, 'edge'>): LogStateRow {
  const state = { size, root, frontier: Buffer.concat(frontier.hashes), mapRoot };
  return { name: 'log', ...state, mac: integrity.logState(state) };
}

/** The tree that a row names, and its frontier. Throws LogError unless this installation wrote the row. */
export function readStateRow(integrity: Integrity, row: LogStateRow): Omit<Position, 'edge'> {
  if (!macsEqual(integrity.logState(row), row.mac)) throw logAltered('its state was changed outside the service');
  const { size, root, mapRoot } = row;
  const count = row.frontier.length / HASH_BYTES;
  const hashes = Array.from({ length: count }, (_, at) => row.frontier.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES));
  const frontier = { size, hashes };
  if (Buffer.compare(frontierRoot(frontier), root) !== 0) throw new TlogError('the root is not that of the frontier');
  return { size, root, mapRoot, frontier };
}

/** Adds the tiles that are not full. Rejects with a TlogError unless they have the root of the tree. */
export async function withEdge(store: Pick<Store['log'], 'tiles'>, tree: Omit<Position, 'edge'>): Promise<Position> {
  const tiles = partialTiles(tree.size);
  const contents = tiles.length === 0 ? [] : await storedTiles(store)(tiles);
  const edge = new Map(tiles.map(({ level, index }, at) => [tileKey(level, index), contents[at] as Uint8Array]));
  const reader = verifiedTileReader(tree.size, tree.root, async (wanted) =>
    wanted.map(({ level, index }) => edge.get(tileKey(level, index)) as Uint8Array),
  );
  await treeRoot(tree.size, reader);
  return { ...tree, edge };
}

/** Whether another process has extended the log since this position was read. */
export async function hasMoved(store: Pick<Store['log'], 'state'>, position: Pick<Position, 'size' | 'root'>): Promise<boolean> {
  const state = await store.state();
  return (state?.size ?? 0) !== position.size || (state !== undefined && Buffer.compare(state.root, position.root) !== 0);
}
