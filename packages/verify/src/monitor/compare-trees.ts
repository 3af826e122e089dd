import { consistencyProof, TlogError, verifiedTileReader, verifyConsistency } from '@countersign/tlog';
import { type FetchPage, tilesOf } from '../proof/log-pages.ts';

/** A tree that a log signed, or that an entry of the root log has. */
export interface SizedTree {
  readonly size: number;
  readonly root: Uint8Array;
}

/**
 * Whether one tree begins with the leaves of another one. Throws TlogError if the pages of the log are not those of the larger tree, so
 * that nothing can be said.
 */
export async function isPrefix(smaller: SizedTree, larger: SizedTree, fetchPage: FetchPage): Promise<boolean> {
  const claim = { oldSize: smaller.size, oldRoot: smaller.root, newSize: larger.size, newRoot: larger.root };
  if (smaller.size === larger.size) return verifyConsistency(claim, []).ok;
  const reader = verifiedTileReader(larger.size, larger.root, tilesOf(fetchPage));
  return verifyConsistency(claim, await consistencyProof(smaller.size, larger.size, reader)).ok;
}

/** What a log shows now, compared with what it showed before. */
export type Change = 'SAME_OR_GROWN' | 'SMALLER' | 'FORK';

/**
 * Compares two trees of one log. A smaller tree is a fork if the pages prove that. If the log has no pages of the larger tree any more, it
 * is only smaller. Throws TlogError if a larger tree cannot be compared.
 */
export async function compareTrees(before: SizedTree | undefined, now: SizedTree, fetchPage: FetchPage): Promise<Change> {
  if (before === undefined) return 'SAME_OR_GROWN';
  if (now.size >= before.size) return (await isPrefix(before, now, fetchPage)) ? 'SAME_OR_GROWN' : 'FORK';
  try {
    return (await isPrefix(now, before, fetchPage)) ? 'SMALLER' : 'FORK';
  } catch (error) {
    if (error instanceof TlogError || error instanceof PageError) return 'SMALLER';
    throw error;
  }
}

/** A page of a log cannot be read. The message is the part of a sentence that says why. */
export class PageError extends Error {
  override readonly name = 'PageError';
}
