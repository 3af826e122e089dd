import type { VerifiedLeaf } from '../../log/leaves.ts';

/** A leaf as both dialects show it. SECURITY: the salt goes to the leaf's organization alone. */
export function showLeaf({ row, salt }: VerifiedLeaf): { leafIndex: string; opening: string; salt: string } {
  return { leafIndex: `${row.leafIndex}`, opening: row.opening, salt: Buffer.from(salt).toString('hex') };
}
