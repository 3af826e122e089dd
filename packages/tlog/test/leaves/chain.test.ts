import { describe, expect, it, test } from 'vitest';
import { type ChainHead, commitmentLeaf, emptyChain, type OpenedLeaf, type OpeningV1, verifyChain } from '../../src/index.ts';
import { chain } from '../support/leaves.ts';
import { flipped, unhex } from '../support/vectors.ts';

const { organizationId, head } = chain;
const leaves: readonly OpenedLeaf[] = chain.leaves.map(({ opening, salt }) => ({ opening, salt: unhex(salt) }));
const check = (list: readonly OpenedLeaf[], claimed: ChainHead = head) => verifyChain(organizationId, list, claimed);
const reason = (list: readonly OpenedLeaf[], claimed: ChainHead = head) => {
  const verdict = check(list, claimed);
  return verdict.ok ? 'passed' : verdict.reason;
};

/** The leaves with one opening changed, and every later link made anew: what a log that rewrites history would show. */
function rewritten(position: number, change: Partial<OpeningV1>): { list: readonly OpenedLeaf[]; end: ChainHead } {
  let end = emptyChain;
  const list = leaves.map(({ opening, salt }, index) => {
    const changed: OpeningV1 = { ...(opening as OpeningV1), ...(index === position ? change : {}), previousLeaf: end.leafHash };
    end = { sequence: changed.sequence, leafHash: commitmentLeaf(changed, salt) };
    return { opening: changed, salt };
  });
  return { list, end };
}

describe('conformance/log/leaves.json', () => {
  it('has a chain that is complete up to its head, and at every head before', () => {
    expect(check(leaves)).toEqual({ ok: true });
    for (const [index, { leafHash }] of chain.leaves.entries()) {
      expect(check(leaves.slice(0, index + 1), { sequence: index + 1, leafHash })).toEqual({ ok: true });
    }
  });
});

test('an organization without leaves has the empty head, and no other', () => {
  expect(check([], emptyChain)).toEqual({ ok: true });
  expect(reason([])).toBe('the chain has 0 leaves, not 5');
  expect(check([], { sequence: 0, leafHash: head.leafHash }).ok).toBe(false);
});

describe('what is not complete is refused', () => {
  it('a leaf left out anywhere', () => {
    for (let index = 0; index < leaves.length; index++) expect(check(leaves.toSpliced(index, 1)).ok).toBe(false);
    expect(reason(leaves.toSpliced(2, 1))).toBe('leaf 3: its sequence is 4, not 3');
    expect(reason(leaves.slice(0, -1))).toBe('the chain has 4 leaves, not 5');
  });

  it('a leaf twice, two leaves swapped, and a leaf after the head', () => {
    for (let index = 0; index < leaves.length; index++) {
      expect(check(leaves.toSpliced(index, 0, leaves[index] as OpenedLeaf)).ok).toBe(false);
    }
    expect(check(leaves.toReversed()).ok).toBe(false);
    const shorter = { sequence: 4, leafHash: chain.leaves[3]?.leafHash ?? '' };
    expect(reason(leaves, shorter)).toBe('the chain has 5 leaves, not 4');
  });

  it('an opening that was rewritten, though all later links fit', () => {
    for (let index = 0; index < leaves.length; index++) {
      const { list, end } = rewritten(index, { status: 'ACTIVITY_STATUS_REWRITTEN' });
      expect(check(list, end)).toEqual({ ok: true });
      expect(reason(list)).toBe('the last leaf is not the one that the head names');
    }
  });

  it('an opening that was rewritten and later links that were not', () => {
    const changed = leaves.with(1, { ...(leaves[1] as OpenedLeaf), salt: flipped(leaves[1]?.salt ?? new Uint8Array(), 0) });
    expect(reason(changed)).toBe('leaf 3: its previousLeaf is not the leaf before it');
  });

  it('a leaf of another organization, and all leaves of another organization', () => {
    const { list, end } = rewritten(2, { organizationId: 'another' });
    expect(reason(list, end)).toBe('leaf 3: it is of another organization');
    expect(verifyChain('another', leaves, head)).toEqual({ ok: false, reason: 'leaf 1: it is of another organization' });
  });

  it('a chain that does not begin at 1', () => {
    expect(reason(leaves.slice(1))).toBe('leaf 1: its sequence is 2, not 1');
  });

  it('openings and salts that are malformed, without an exception', () => {
    const [{ opening, salt }] = leaves as readonly [OpenedLeaf];
    expect(reason([{ opening: null as unknown as OpeningV1, salt }])).toBe('leaf 1: the opening is not an object');
    expect(reason([{ opening, salt: new Uint8Array(31) }])).toBe('leaf 1: a salt has 32 bytes');
    expect(reason([{ opening: { ...opening, timeMs: -1 }, salt }])).toContain('leaf 1: timeMs of the opening must be');
  });
});
