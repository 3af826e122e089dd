import { appendLeaves, emptyFrontier, frontierRoot, leafHash, nodeHash } from '@countersign/tlog';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AuditError } from '../src/audit-error.ts';
import { GrowingRoot } from '../src/proof/growing-root.ts';

const hashOf = (index: number) => leafHash(Uint8Array.of(index >> 8, index & 0xff));

/** The root of the complete subtree over these leaves, by its definition. */
function subtree(start: number, end: number): Uint8Array {
  if (end - start === 1) return hashOf(start);
  const middle = (start + end) / 2;
  return nodeHash(subtree(start, middle), subtree(middle, end));
}

/** The largest complete subtrees between two places, the slow way: try every size. */
function gap(start: number, end: number): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  for (let at = start; at < end; ) {
    const size = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1].find((each) => at % each === 0 && at + each <= end) as number;
    hashes.push(subtree(at, at + size));
    at += size;
  }
  return hashes;
}

function rootOf(size: number): Uint8Array {
  const leaves = Array.from({ length: size }, (_, index) => hashOf(index));
  return frontierRoot(appendLeaves(emptyFrontier, leaves).frontier);
}

describe('the root from some leaves', () => {
  test('any leaves of any tree lead to its root', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), fc.uniqueArray(fc.nat(699), { maxLength: 20 }), (size, places) => {
        const growing = new GrowingRoot();
        for (const place of places.filter((each) => each < size).sort((a, b) => a - b)) {
          growing.skip(place, gap(growing.size, place));
          growing.add(hashOf(place));
        }
        growing.skip(size, gap(growing.size, size));
        expect(growing.root()).toEqual(rootOf(size));
      }),
    );
  });

  test('a hash too few, a hash too many and a step back are refused', () => {
    const growing = new GrowingRoot();
    expect(() => growing.skip(3, [hashOf(0)])).toThrow(AuditError);
    expect(() => new GrowingRoot().skip(2, [hashOf(0), hashOf(1)])).toThrow(AuditError);
    const grown = new GrowingRoot();
    grown.add(hashOf(0));
    grown.add(hashOf(1));
    expect(() => grown.skip(1, [])).toThrow(AuditError);
  });
});
