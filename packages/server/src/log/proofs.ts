import { type ChainHead, emptyChain, inclusionProof } from '@countersign/tlog';
import type { LogLeafRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { currentHeads } from './current-heads.ts';
import type { InstallationLog } from './installation-log.ts';
import { leafVerifier, type VerifiedLeaf } from './leaves.ts';
import { LogError, logAltered, orAltered } from './log-error.ts';
import { treeReader } from './tree.ts';

/** A proof that the log contains an activity, for anyone who knows the key of the log. */
export interface LogProof {
  /** The signed checkpoint that the proof leads to. */
  readonly checkpoint: string;
  readonly leaf: VerifiedLeaf;
  /** The audit path from the leaf to the root (RFC 6962 section 2.1.1). */
  readonly hashes: readonly Uint8Array[];
}

/** Some leaves of one organization in order, and its last leaf, which shows whether any are missing at the end. */
export interface LogExcerpt {
  readonly checkpoint: string;
  readonly leaves: readonly VerifiedLeaf[];
  readonly head: ChainHead;
}

/** Log queries of organizations. INVARIANT: the organization's id comes first, and no response has a leaf of another one. */
export interface LogProofs {
  /** Undefined if the log has nothing on this revision of the activity, by default its newest. */
  proofOf(organizationId: string, activityId: string, revision?: number): Promise<LogProof | undefined>;
  excerptOf(organizationId: string, fromSequence: number, limit: number): Promise<LogExcerpt>;
}

/** No invalid proof is returned: if the stored log does not verify, the error of `tampered` is thrown. */
export function createLogProofs(
  store: Store['log'],
  integrity: Integrity,
  log: Pick<InstallationLog, 'catchUp' | 'catchUpWith' | 'published'>,
  tampered: (organizationId: string, what: string) => Error,
): LogProofs {
  async function orTampered<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await orAltered(work);
    } catch (error) {
      if (error instanceof LogError) throw tampered(organizationId, error.message);
      throw error;
    }
  }

  /** A commit becomes a leaf shortly after. Earlier callers need not wait for the next pass. */
  async function findLeaf(organizationId: string, activityId: string, revision?: number): Promise<LogLeafRow | undefined> {
    const find = () => store.leafOf(organizationId, activityId, revision);
    const found = await find();
    if (found !== undefined && found.leafIndex < log.published().size) return found;
    await log.catchUp();
    return find();
  }

  return {
    proofOf: (organizationId, activityId, revision) =>
      orTampered(organizationId, async () => {
        const row = await findLeaf(organizationId, activityId, revision);
        const tree = log.published();
        if (row === undefined || row.leafIndex >= tree.size) return undefined;
        const [leaf] = await leafVerifier(store, integrity, tree, organizationId)([row]);
        const hashes = await inclusionProof(row.leafIndex, tree.size, treeReader(store, tree));
        return leaf && { checkpoint: tree.checkpoint, leaf, hashes };
      }),
    excerptOf: (organizationId, fromSequence, limit) =>
      orTampered(organizationId, async () => {
        await log.catchUpWith(organizationId);
        const head = await headOf(store, integrity, log, organizationId);
        // Another process may have moved the head since. INVARIANT: the checkpoint covers every leaf up to the head.
        await log.catchUp();
        const tree = log.published();
        const count = Math.min(limit, Math.max(0, head.sequence - fromSequence + 1));
        const rows = count === 0 ? [] : await store.leavesOf(organizationId, fromSequence, count);
        if (rows.length !== count || rows.some(({ sequence }, at) => sequence !== fromSequence + at))
          throw logAltered(`leaves of ${organizationId} are missing`);
        return { checkpoint: tree.checkpoint, leaves: await leafVerifier(store, integrity, tree, organizationId)(rows), head };
      }),
  };
}

/** The last leaf of an organization. Throws LogError unless it is the one in the head map. */
export async function headOf(
  store: Store['log'],
  integrity: Integrity,
  log: Pick<InstallationLog, 'published'>,
  organizationId: string,
): Promise<ChainHead> {
  const heads = await currentHeads({ store, integrity, seen: () => log.published() }, [organizationId]);
  const { sequence, leafHash } = heads.get(organizationId) ?? emptyChain;
  return { sequence, leafHash };
}
