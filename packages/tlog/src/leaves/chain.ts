import { failed, passed, TlogError, type Verdict } from '../errors.ts';
import { commitmentLeaf } from './commitment.ts';
import type { Opening } from './opening.ts';

/** The end of an organization's chain: the number of its last leaf, and that leaf's hash in lower-case hex. */
export interface ChainHead {
  readonly sequence: number;
  readonly leafHash: string;
}

/** An opening and its salt, as the organization receives them. */
export interface OpenedLeaf {
  readonly opening: Opening;
  readonly salt: Uint8Array;
}

/** The head of an organization that has no leaf yet. */
export const emptyChain: ChainHead = Object.freeze({ sequence: 0, leafHash: '' });

/**
 * Checks that these are all leaves of one organization, in order: numbers 1 to n without a gap, each linked to the one before, and
 * the last one equal to the head that the caller trusts. Never throws: malformed input fails the check.
 *
 * It does not check that the leaves are in a log: an inclusion proof does. Without a head from a verified place, leaves could be
 * left out at the end.
 */
export function verifyChain(organizationId: string, leaves: readonly OpenedLeaf[], claimed: ChainHead): Verdict {
  let head = emptyChain;
  for (const [position, leaf] of leaves.entries()) {
    const next = follow(organizationId, head, leaf);
    if (typeof next === 'string') return failed(`leaf ${position + 1}: ${next}`);
    head = next;
  }
  if (head.sequence !== claimed.sequence) return failed(`the chain has ${head.sequence} leaves, not ${claimed.sequence}`);
  return head.leafHash === claimed.leafHash ? passed : failed('the last leaf is not the one that the head names');
}

/** The head after this leaf, or why the leaf does not follow. */
function follow(organizationId: string, head: ChainHead, { opening, salt }: OpenedLeaf): ChainHead | string {
  let leafHash: string;
  try {
    leafHash = commitmentLeaf(opening, salt);
  } catch (error) {
    // The opening breaks a rule, or the salt has another length. Anything else is a bug.
    if (error instanceof TlogError) return error.message;
    throw error;
  }
  if (opening.organizationId !== organizationId) return 'it is of another organization';
  if (opening.sequence !== head.sequence + 1) return `its sequence is ${opening.sequence}, not ${head.sequence + 1}`;
  if (opening.previousLeaf !== head.leafHash) return 'its previousLeaf is not the leaf before it';
  return { sequence: opening.sequence, leafHash };
}
