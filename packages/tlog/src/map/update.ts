import { equalBytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { isHash } from '../merkle/hash.ts';
import {
  BUCKET_ENTRIES,
  compareKeys,
  decodeNode,
  emptyMapNode,
  encodeNode,
  FAN_OUT,
  type MapEntry,
  type MapNode,
  mapNodeHash,
  nibbleAt,
  type Sha256,
} from './node.ts';
import type { MapNodes } from './path.ts';

/** The map after an update: its root, and the nodes that are new or changed, by prefix. */
export interface UpdatedMap {
  readonly root: Uint8Array;
  readonly nodes: MapNodes;
}

/**
 * Sets values of the map. If `changes` has a key twice, the later value counts. `nodes` contains at least the stored nodes of
 * `prefixesOf` each changed key. Throws TlogError if a node is missing or does not lead from `root`.
 * INVARIANT: the root depends on the entries alone, not on the order in which they were set.
 */
export function updateMap(root: Uint8Array, nodes: MapNodes, changes: readonly MapEntry[], hash?: Sha256): UpdatedMap {
  if (!changes.every(({ key, value }) => isHash(key) && isHash(value)))
    throw new TlogError('keys and values of the map have 32 bytes');
  const changed = new Map<string, Uint8Array>();

  function read(prefix: string, expected: Uint8Array): MapNode {
    const bytes = nodes.get(prefix) ?? (prefix === '' ? emptyMapNode : undefined);
    if (bytes === undefined) throw new TlogError(`the map has no node ${prefix}`);
    if (!equalBytes(mapNodeHash(bytes, hash), expected))
      throw new TlogError(`node ${prefix || 'at the root'} of the map was altered`);
    return decodeNode(bytes);
  }

  function write(prefix: string, node: MapNode): Uint8Array {
    const bytes = encodeNode(node);
    changed.set(prefix, bytes);
    return mapNodeHash(bytes, hash);
  }

  /** Writes the subtree with these entries and returns its hash. */
  function build(prefix: string, entries: readonly MapEntry[]): Uint8Array {
    if (entries.length <= BUCKET_ENTRIES) return write(prefix, { kind: 'bucket', entries });
    const children = Array.from({ length: FAN_OUT }, (): Uint8Array | undefined => undefined);
    for (const [nibble, below] of byNibble(entries, prefix.length)) children[nibble] = build(prefix + nibble.toString(16), below);
    return write(prefix, { kind: 'inner', children });
  }

  /** Applies sorted changes to the subtree with this hash, undefined if it is empty, and returns its new hash. */
  function apply(prefix: string, before: Uint8Array | undefined, sorted: readonly MapEntry[]): Uint8Array {
    if (before === undefined) return build(prefix, sorted);
    const node = read(prefix, before);
    if (node.kind === 'bucket') return build(prefix, merge(node.entries, sorted));
    const children = [...node.children];
    for (const [nibble, below] of byNibble(sorted, prefix.length))
      children[nibble] = apply(prefix + nibble.toString(16), children[nibble], below);
    return write(prefix, { kind: 'inner', children });
  }

  const sorted = merge(
    [],
    changes.toSorted((left, right) => compareKeys(left.key, right.key)),
  );
  // Without changes the stored root is still verified.
  if (sorted.length === 0) read('', root);
  return { root: sorted.length === 0 ? root : apply('', root, sorted), nodes: changed };
}

/** Both lists in ascending order. Of entries with the same key the last one of `later` remains. */
function merge(entries: readonly MapEntry[], later: readonly MapEntry[]): readonly MapEntry[] {
  const merged: MapEntry[] = [];
  let at = 0;
  for (const entry of later) {
    while (at < entries.length && compareKeys((entries[at] as MapEntry).key, entry.key) < 0)
      merged.push(entries[at++] as MapEntry);
    if (at < entries.length && compareKeys((entries[at] as MapEntry).key, entry.key) === 0) at++;
    const last = merged.at(-1);
    if (last !== undefined && compareKeys(last.key, entry.key) === 0) merged.pop();
    merged.push(entry);
  }
  return [...merged, ...entries.slice(at)];
}

/** Runs of sorted entries that share the half byte at this depth. */
function* byNibble(entries: readonly MapEntry[], depth: number): Generator<readonly [number, readonly MapEntry[]]> {
  for (let start = 0; start < entries.length; ) {
    const nibble = nibbleAt((entries[start] as MapEntry).key, depth);
    let end = start + 1;
    while (end < entries.length && nibbleAt((entries[end] as MapEntry).key, depth) === nibble) end++;
    yield [nibble, entries.slice(start, end)];
    start = end;
  }
}
