import { equalBytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { HASH_BYTES, isHash } from '../merkle/hash.ts';
import { prefixesOf } from './entries.ts';
import { decodeNode, emptyMapNode, type MapNode, mapNodeHash, nibbleAt, type Sha256 } from './node.ts';

/** Nodes of a map by prefix. */
export type MapNodes = ReadonlyMap<string, Uint8Array>;

/** A proof that a map has this value for a key, or has no value for it (undefined). */
export type MapVerdict =
  | { readonly ok: true; readonly value: Uint8Array | undefined }
  | { readonly ok: false; readonly reason: string };

/**
 * The proof for a key: the nodes from the root to its bucket, or to the inner node that has no child for it. `nodes` contains at least
 * those of `prefixesOf(key)` that exist. Throws TlogError if a node is missing. The hashes are not verified: `verifyMapPath` does that.
 */
export function mapPath(key: Uint8Array, nodes: MapNodes): readonly Uint8Array[] {
  const path: Uint8Array[] = [];
  let bytes: Uint8Array | undefined = nodes.get('') ?? emptyMapNode;
  for (const prefix of prefixesOf(key).slice(1)) {
    path.push(bytes);
    const node = decodeNode(bytes);
    if (node.kind === 'bucket' || node.children[nibbleAt(key, prefix.length - 1)] === undefined) return path;
    bytes = nodes.get(prefix);
    if (bytes === undefined) throw new TlogError(`the map has no node ${prefix}`);
  }
  return [...path, bytes];
}

/** Checks that these nodes lead from the root to the place of a key. Never throws: malformed input fails the check. */
export function verifyMapPath(root: Uint8Array, key: Uint8Array, nodes: readonly Uint8Array[], hash?: Sha256): MapVerdict {
  if (!isHash(root) || !isHash(key) || !Array.isArray(nodes)) return refused('a root, a key and a list of nodes are needed');
  let expected: Uint8Array | undefined = root;
  for (const [depth, bytes] of nodes.entries()) {
    if (expected === undefined) return refused('the proof has nodes after its end');
    const node = readNode(bytes, expected, depth, hash);
    if (typeof node === 'string') return refused(node);
    if (node.kind === 'bucket') {
      if (depth + 1 !== nodes.length) return refused('the proof has nodes after its end');
      return { ok: true, value: node.entries.find((entry) => equalBytes(entry.key, key))?.value };
    }
    expected = node.children[nibbleAt(key, depth)];
  }
  return nodes.length > 0 && expected === undefined ? { ok: true, value: undefined } : refused('the proof lacks nodes');
}

function refused(reason: string): MapVerdict {
  return { ok: false, reason };
}

/** The node with this hash, or the reason why these bytes are not that node. */
function readNode(bytes: unknown, expected: Uint8Array, depth: number, hash: Sha256 | undefined): MapNode | string {
  if (!(bytes instanceof Uint8Array)) return 'a node of the proof is not bytes';
  // Every inner node consumes half a byte of the key.
  if (depth > 2 * HASH_BYTES) return 'the proof is longer than a key';
  if (!equalBytes(mapNodeHash(bytes, hash), expected)) return 'a node of the proof is not the one that the node above it names';
  try {
    return decodeNode(bytes);
  } catch (error) {
    if (error instanceof TlogError) return error.message;
    throw error;
  }
}
