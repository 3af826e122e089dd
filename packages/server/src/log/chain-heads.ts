import { type OrganizationHead, TlogError } from '@countersign/tlog';
import type { LogHeadRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { leafVerifier, type VerifyLeaves } from './leaves.ts';
import { toOrganizationHead } from './map-reader.ts';
import { nativeLeafHash } from './native-hashes.ts';
import type { Tree } from './tree.ts';

/**
 * The last leaves of organizations in a log without a head map, as earlier releases left it. Throws TlogError if a row does not name the
 * last stored leaf of its organization, or that leaf is not in the tree.
 */
export async function readChainHeads(
  store: Store['log'],
  integrity: Integrity,
  tree: Tree,
  organizationIds: readonly string[],
): Promise<Map<string, OrganizationHead>> {
  return verifyChainHeads(store, integrity, tree, await store.heads(organizationIds));
}

/** The same for rows that were read already. */
export async function verifyChainHeads(
  store: Store['log'],
  integrity: Integrity,
  tree: Tree,
  rows: readonly LogHeadRow[],
): Promise<Map<string, OrganizationHead>> {
  const verify = leafVerifier(store, integrity, tree);
  const heads = new Map<string, OrganizationHead>();
  for (const row of rows) {
    await requireLastLeaf(store, verify, row);
    heads.set(row.organizationId, toOrganizationHead(row));
  }
  return heads;
}

async function requireLastLeaf(store: Store['log'], verify: VerifyLeaves, row: LogHeadRow): Promise<void> {
  const { organizationId, sequence, leafHash } = row;
  const [last, next] = await store.leavesOf(organizationId, sequence, 2);
  // An organization that was created and has no leaf yet.
  if (sequence === 0 && leafHash.length === 0 && last === undefined) return;
  const isLast = last?.sequence === sequence && next === undefined;
  if (!isLast || Buffer.compare(nativeLeafHash(last.commitment), leafHash) !== 0)
    throw new TlogError(`leaves of ${organizationId} are missing, or its last leaf was changed outside the service`);
  await verify([last]);
}
