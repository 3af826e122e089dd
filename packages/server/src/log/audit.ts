import { ServiceError } from '@countersign/contract';
import { type ChainHead, emptyChain, type Place } from '@countersign/tlog';
import type { LogLeafRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import type { InstallationLog } from './installation-log.ts';
import { leafVerifier, type VerifiedLeaf } from './leaves.ts';
import { LogError, logAltered, orAltered } from './log-error.ts';
import { nativeLeafHash } from './native-hashes.ts';
import { type NewestProof, proveNewest } from './newest-leaf.ts';
import { headOf } from './proofs.ts';
import { treeReader } from './tree.ts';

/** A leaf, and the complete subtrees between the leaf before it and itself. */
export interface AuditLeaf extends VerifiedLeaf {
  readonly gap: readonly Uint8Array[];
}

/** Some leaves of one organization, enough to compute the root of the tree once all are read. */
export interface AuditPage {
  readonly leaves: readonly AuditLeaf[];
  /** Present if these are the last leaves. */
  readonly end?: AuditEnd;
}

/** The signed tree that all leaves lead to, and the subtrees after the last leaf. */
export interface AuditEnd {
  readonly checkpoint: string;
  readonly gap: readonly Uint8Array[];
  /** The proof that no leaf of the organization follows. Absent before the log has a head map. */
  readonly head?: NewestProof;
  /** Whether the last leaf itself names the head of the organization. */
  readonly isHeadNamed: boolean;
}

/** Attempts to read the leaves and the head map between two steps. */
const MAX_READS = 8;

/** A leaf of another organization that comes before those of this one: the activity that created it. */
export interface OriginLeaf {
  readonly organizationId: string;
  readonly activityId: string;
}

export interface LogAudit {
  /**
   * The organization's leaves from a number on. If another organization's activity created this one, the first page starts with `origin`.
   * INVARIANT: except for that one, no response has a leaf of another organization.
   */
  pageOf(organizationId: string, from: number, limit: number, origin?: OriginLeaf): Promise<AuditPage>;
}

export function createLogAudit(
  store: Store['log'],
  integrity: Integrity,
  log: Pick<InstallationLog, 'catchUp' | 'catchUpWith' | 'published'>,
  tampered: (organizationId: string, what: string) => Error,
): LogAudit {
  async function page(organizationId: string, from: number, limit: number, origin?: OriginLeaf): Promise<AuditPage | 'GREW'> {
    await log.catchUpWith(organizationId);
    const head = await headOf(store, integrity, log, organizationId);
    // Another process may have moved the head since. INVARIANT: the checkpoint covers every leaf up to the head.
    await log.catchUp();
    const tree = log.published();
    const isFirst = from === 1;
    // The leaf before the page is the start of its first gap.
    const rows = await store.leavesOf(organizationId, isFirst ? 1 : from - 1, limit + (isFirst ? 0 : 1));
    const covered = rows.filter(({ leafIndex }) => leafIndex < tree.size);
    if (covered.some(({ sequence }, at) => sequence !== (isFirst ? 1 : from - 1) + at))
      throw logAltered(`leaves of ${organizationId} are missing`);
    const before = isFirst ? undefined : covered[0];
    if (!isFirst && before === undefined) {
      if (from - 1 <= head.sequence) throw logAltered(`leaves of ${organizationId} are missing`);
      return { leaves: [] };
    }
    const own = isFirst ? covered : covered.slice(1);
    const created = isFirst && origin ? await store.leafOf(origin.organizationId, origin.activityId) : undefined;
    const listed = created === undefined ? own : [created, ...own];
    const lastSequence = own.at(-1)?.sequence ?? from - 1;
    const isLast = own.length < limit || lastSequence >= head.sequence;
    // SECURITY: D130: without the last leaves of an organization the tree still verifies, and a file would prove that there are none.
    if (isLast && lastSequence < head.sequence) throw logAltered(`leaves of ${organizationId} are missing`);
    const starts = [before, ...listed].map(after);
    const ends = [...listed.map(({ leafIndex }) => leafIndex), ...(isLast ? [tree.size] : [])];
    const gaps = ends.map((end, at) => subtreesBetween(starts[at] as number, end));
    const hashes = await read(gaps.flat());
    const given = cut(hashes, gaps);
    const verified = await leafVerifier(store, integrity, tree, organizationId)(listed);
    const leaves = verified.map((leaf, at) => ({ ...leaf, gap: given[at] ?? [] }));
    if (!isLast) return { leaves };
    const isHeadNamed = (listed.at(-1) ?? before)?.opening.startsWith('{"version":2,') === true;
    const end = { checkpoint: tree.checkpoint, gap: given.at(-1) ?? [], isHeadNamed };
    const newest = await proveNewest(store, log.published(), organizationId, chainHead(own.at(-1) ?? before));
    if (newest === undefined) return 'GREW';
    return { leaves, end: newest === 'NO_MAP' ? end : { ...end, head: newest } };

    async function read(places: readonly Place[]): Promise<readonly Uint8Array[]> {
      return places.length === 0 ? [] : treeReader(store, tree).read(places);
    }
  }

  /** The leaves and the proof of the newest one must belong together, so a page is read again if the log grows during the read. */
  async function settledPage(...about: Parameters<LogAudit['pageOf']>): Promise<AuditPage> {
    for (let reads = 0; reads < MAX_READS; reads++) {
      const read = await page(...about);
      if (read !== 'GREW') return read;
    }
    throw new ServiceError(
      'UNAVAILABLE',
      'The log grows faster than its newest leaf can be proven. Send the same request again.',
    );
  }

  return {
    async pageOf(organizationId, from, limit, origin) {
      try {
        return await orAltered(() => settledPage(organizationId, from, limit, origin));
      } catch (error) {
        if (error instanceof LogError) throw tampered(organizationId, error.message);
        throw error;
      }
    },
  };
}

/** Splits the hashes by the gaps that they belong to. */
function cut(hashes: readonly Uint8Array[], gaps: readonly (readonly Place[])[]): readonly (readonly Uint8Array[])[] {
  let at = 0;
  return gaps.map(({ length }) => {
    at += length;
    return hashes.slice(at - length, at);
  });
}

function chainHead(row: LogLeafRow | undefined): ChainHead {
  if (row === undefined) return emptyChain;
  return { sequence: row.sequence, leafHash: nativeLeafHash(row.commitment).toString('hex') };
}

/** The index after a leaf. The log begins at 0. */
function after(row: LogLeafRow | undefined): number {
  return row === undefined ? 0 : row.leafIndex + 1;
}

/** The largest complete subtrees that fill the leaves from `start` up to, not including, `end`, from left to right. */
export function subtreesBetween(start: number, end: number): readonly Place[] {
  const places: Place[] = [];
  for (let at = start; at < end; ) {
    let level = 0;
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level += 1;
    places.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return places;
}
