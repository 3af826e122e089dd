import type { VerifiedLeaf } from '../../log/leaves.ts';

/** A leaf as both dialects show it. SECURITY: only the leaf's organization gets the salt. */
export function showLeaf({ row, salt }: VerifiedLeaf): { leafIndex: string; opening: string; salt: string } {
  return { leafIndex: `${row.leafIndex}`, opening: row.opening, salt: Buffer.from(salt).toString('hex') };
}
