import type { ListedActivity } from '@countersign/client';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

type Vote = Pick<ListedActivity['votes'][number], 'message' | 'selection'>;

const selections: Readonly<Record<Vote['selection'], string>> = {
  VOTE_SELECTION_APPROVED: 'ACTIVITY_TYPE_APPROVE_ACTIVITY',
  VOTE_SELECTION_REJECTED: 'ACTIVITY_TYPE_REJECT_ACTIVITY',
};

/**
 * Whether the stamped message of a vote is the request itself, or a vote on it with the stated selection.
 * SECURITY: D1113: every request and query of a person is stamped. A stamp of another message, or of the opposite vote, is no such vote.
 */
export function isVoteOn(
  { fingerprint, organizationId }: Pick<ListedActivity, 'fingerprint' | 'organizationId'>,
  { message, selection }: Vote,
): boolean {
  if (`sha256:${bytesToHex(sha256(utf8ToBytes(message)))}` === fingerprint) return selection === 'VOTE_SELECTION_APPROVED';
  try {
    const vote = JSON.parse(message) as {
      readonly type?: unknown;
      readonly organizationId?: unknown;
      readonly parameters?: { readonly fingerprint?: unknown };
    } | null;
    return (
      vote?.type === selections[selection] &&
      vote.organizationId === organizationId &&
      vote.parameters?.fingerprint === fingerprint
    );
  } catch {
    // Not JSON, so it is not a vote.
    return false;
  }
}
