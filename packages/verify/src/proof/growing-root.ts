import { emptyRoot, nodeHash } from '@countersign/tlog';
import { AuditError, must } from '../audit-error.ts';

/**
 * Computes the root of a tree from left to right, from some of its leaves and the complete subtrees between them. Holds one hash for
 * each level, however many leaves there are.
 * INVARIANT: where a gap is cut into subtrees follows from its ends alone. So no hash could be understood as that of another subtree.
 */
export class GrowingRoot {
  #size = 0;
  /** Complete subtrees, the largest and leftmost first. */
  readonly #parts: { readonly level: number; readonly hash: Uint8Array }[] = [];

  /** How many leaves the tree has so far. */
  get size(): number {
    return this.#size;
  }

  /** Fills the leaves up to, not including, `end` with the roots of the complete subtrees that they make. */
  skip(end: number, hashes: readonly Uint8Array[]): void {
    must(Number.isSafeInteger(end) && end >= this.#size, 'a leaf does not come after the one before it in the log');
    let taken = 0;
    while (this.#size < end) {
      const level = levelOf(this.#size, end);
      const hash = hashes[taken++];
      if (hash === undefined) throw new AuditError('hashes of the log between two leaves are missing');
      this.#add(level, hash);
    }
    must(taken === hashes.length, 'there are more hashes between two leaves than the log has subtrees there');
  }

  /** Adds a leaf by its leaf hash. */
  add(leafHash: Uint8Array): void {
    this.#add(0, leafHash);
  }

  /** The root over all leaves so far (RFC 6962 section 2.1). */
  root(): Uint8Array {
    const hashes = this.#parts.map(({ hash }) => hash);
    return hashes.length === 0 ? emptyRoot() : hashes.reduceRight((right, left) => nodeHash(left, right));
  }

  #add(level: number, hash: Uint8Array): void {
    let part = { level, hash };
    for (let last = this.#parts.at(-1); last?.level === part.level; last = this.#parts.at(-1)) {
      this.#parts.pop();
      part = { level: part.level + 1, hash: nodeHash(last.hash, part.hash) };
    }
    this.#parts.push(part);
    this.#size += 2 ** level;
  }
}

/** The level of the largest complete subtree that begins at a leaf and does not reach beyond `end`. */
function levelOf(start: number, end: number): number {
  let level = 0;
  while (start % 2 ** (level + 1) === 0 && start + 2 ** (level + 1) <= end) level += 1;
  return level;
}
