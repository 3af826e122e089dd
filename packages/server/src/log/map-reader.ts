import {
  type MapNodes,
  mapPath,
  type OrganizationHead,
  organizationKey,
  organizationValue,
  prefixesOf,
  TlogError,
  verifyMapPath,
} from '@countersign/tlog';
import type { LogHeadRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { sha256 } from '../vault/integrity/keyed-hash.ts';

export type MapStore = Pick<Store['log'], 'mapNodes' | 'heads'>;

/** Prefixes up to this length are read first. Maps of up to some ten thousand entries have no deeper nodes. */
const SHALLOW = 3;
const INNER = 0x01;
const HASH_BYTES = 32;

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The key of an organization in the head map. */
export const headKey = (organizationId: string) => organizationKey(organizationId, sha256);

/** The entry of an organization in the head map. */
export function toOrganizationHead(row: LogHeadRow): OrganizationHead {
  const { organizationId, sequence, leafHash, headVersion, headDigest } = row;
  return { organizationId, sequence, leafHash: hex(leafHash), headVersion, headDigest: hex(headDigest) };
}

/** The readable row of an entry. */
export function toHeadRow({ organizationId, sequence, leafHash, headVersion, headDigest }: OrganizationHead): LogHeadRow {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
  return { organizationId, sequence, leafHash: bytes(leafHash), headVersion, headDigest: bytes(headDigest) };
}

/** Whether the nodes contain the whole path of a key. */
function isReached(key: Uint8Array, nodes: MapNodes): boolean {
  const prefixes = prefixesOf(key);
  for (const [depth, prefix] of prefixes.entries()) {
    const bytes = nodes.get(prefix);
    if (bytes === undefined) return false;
    if (bytes[0] !== INNER) return true;
    const byte = key[depth >> 1] as number;
    const nibble = depth % 2 === 0 ? byte >> 4 : byte & 0x0f;
    const child = bytes.subarray(1 + nibble * HASH_BYTES, 1 + (nibble + 1) * HASH_BYTES);
    if (child.every((each) => each === 0)) return true;
  }
  return true;
}

/** Adds the stored nodes on the paths of keys to `nodes`. They are not verified. */
export async function readNodes(
  store: Pick<MapStore, 'mapNodes'>,
  keys: readonly Uint8Array[],
  nodes: Map<string, Uint8Array>,
): Promise<void> {
  let missing = keys.filter((key) => !isReached(key, nodes));
  for (const [from, to] of [
    [0, SHALLOW],
    [SHALLOW + 1, Number.MAX_SAFE_INTEGER],
  ] as const) {
    if (missing.length === 0) return;
    const wanted = new Set(missing.flatMap((key) => prefixesOf(key).filter(({ length }) => length >= from && length <= to)));
    for (const { prefix, node } of await store.mapNodes([...wanted])) nodes.set(prefix, node);
    missing = missing.filter((key) => !isReached(key, nodes));
  }
}

/** The value of a key, undefined if the map has none. Throws TlogError unless the nodes lead from the root to the place of the key. */
export function mapValue(root: Uint8Array, key: Uint8Array, nodes: MapNodes): Uint8Array | undefined {
  const verdict = verifyMapPath(root, key, mapPath(key, nodes), sha256);
  if (!verdict.ok) throw new TlogError(`the head map was altered: ${verdict.reason}`);
  return verdict.value;
}

/**
 * The entries of organizations in the head map. Organizations without an entry are left out. Throws TlogError if the rows or the nodes do
 * not match the root: they were altered, or another process has extended the log since the root was read.
 */
export async function readHeads(
  store: MapStore,
  root: Uint8Array,
  organizationIds: readonly string[],
  nodes: Map<string, Uint8Array> = new Map(),
): Promise<ReadonlyMap<string, OrganizationHead>> {
  const rows = new Map((await store.heads(organizationIds)).map((row) => [row.organizationId, row]));
  await readNodes(store, organizationIds.map(headKey), nodes);
  const heads = new Map<string, OrganizationHead>();
  for (const organizationId of organizationIds) {
    const head = matchingHead(root, organizationId, rows.get(organizationId), nodes);
    if (head !== undefined) heads.set(organizationId, head);
  }
  return heads;
}

function matchingHead(
  root: Uint8Array,
  organizationId: string,
  row: LogHeadRow | undefined,
  nodes: MapNodes,
): OrganizationHead | undefined {
  const value = mapValue(root, headKey(organizationId), nodes);
  const head = row && toOrganizationHead(row);
  const stored = head && organizationValue(head, sha256);
  if (value === undefined && stored === undefined) return undefined;
  if (value === undefined || stored === undefined || Buffer.compare(value, stored) !== 0)
    throw new TlogError(`the last leaf or head of ${organizationId} is not the one in the head map`);
  return head;
}
