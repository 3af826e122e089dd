import { type ChainHead, mapPath, parseCheckpoint, parseNote, readHeadsExtension, TlogError } from '@countersign/tlog';
import { headKey, type MapStore, readHeads } from './map-reader.ts';
import type { SignedTree } from './witness/witness-client.ts';

/** A proof that a leaf is the newest of its organization, for anyone who knows the key of the log. */
export interface NewestProof {
  /** The signed checkpoint that commits to the head map. */
  readonly checkpoint: string;
  /** The nodes of the head map from its root to the organization. */
  readonly nodes: readonly Uint8Array[];
  readonly headVersion: number;
  readonly headDigest: string;
}

/**
 * Proves that no leaf of the organization follows `last` in a signed tree. Undefined if one does, or if the log grew since the tree was
 * signed: nodes are replaced in place, so only the newest map can be proven. `NO_MAP` before the log has a head map.
 */
export async function proveNewest(
  store: MapStore,
  { checkpoint }: SignedTree,
  organizationId: string,
  last: ChainHead,
): Promise<NewestProof | 'NO_MAP' | undefined> {
  const root = readHeadsExtension(parseCheckpoint(parseNote(checkpoint).text));
  if (root === undefined) return 'NO_MAP';
  const nodes = new Map<string, Uint8Array>();
  const head = await currentHead(store, root, organizationId, nodes);
  if (head === undefined || head.sequence !== last.sequence || head.leafHash !== last.leafHash) return undefined;
  const { headVersion, headDigest } = head;
  return { checkpoint, nodes: mapPath(headKey(organizationId), nodes), headVersion, headDigest };
}

async function currentHead(store: MapStore, root: Uint8Array, organizationId: string, nodes: Map<string, Uint8Array>) {
  try {
    return (await readHeads(store, root, [organizationId], nodes)).get(organizationId);
  } catch (error) {
    if (error instanceof TlogError) return undefined;
    throw error;
  }
}
