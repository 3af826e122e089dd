import { describe, expect, test } from 'vitest';
import {
  appendLeaves,
  consistencyProof,
  emptyFrontier,
  emptyRoot,
  inclusionProof,
  leafHash,
  nodeHash,
  TlogError,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from '../../src/index.ts';
import { MemoryLog } from '../support/memory-log.ts';
import { flipped, numberedLeaf } from '../support/vectors.ts';

const leaves = Array.from({ length: 130 }, (_, index) => numberedLeaf(index));
const log = new MemoryLog().append(leaves);
const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33, 130];
const bytes = Array.from({ length: 32 }, (_, byte) => byte);
const tooFew = { ok: false, reason: 'the proof has too few hashes' };
const tooMany = { ok: false, reason: 'the proof has too many hashes' };
const hashOf = (index: number) => leafHash(leaves[index] as Uint8Array);

/** Every list that differs from the proof in one bit of one byte, one for each byte. */
function* damaged(proof: readonly Uint8Array[]): Generator<readonly Uint8Array[]> {
  for (const [position, hash] of proof.entries()) {
    for (let byte = 0; byte < hash.length; byte++) yield proof.with(position, flipped(hash, byte));
  }
}

// These tests collect what is wrongly accepted: an assertion for each of thousands of checks would take most of the time.
describe('a changed bit in any byte is refused', () => {
  test('of an inclusion proof, its leaf hash and its root', async () => {
    const accepted: unknown[] = [];
    let checks = 0;
    for (const size of sizes) {
      const root = await treeRoot(size, log);
      for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
        const claim = { index, size, leafHash: hashOf(index), root };
        const proof = await inclusionProof(index, size, log);
        const claims = bytes.flatMap((byte) => [
          { ...claim, leafHash: flipped(claim.leafHash, byte) },
          { ...claim, root: flipped(root, byte) },
        ]);
        const verdicts = [
          ...[...damaged(proof)].map((wrong) => verifyInclusion(claim, wrong)),
          ...claims.map((each) => verifyInclusion(each, proof)),
        ];
        checks += verdicts.length;
        if (verdicts.some(({ ok }) => ok)) accepted.push({ index, size });
      }
    }
    expect(accepted).toEqual([]);
    expect(checks).toBeGreaterThan(5_000);
  });

  test('of a consistency proof and its roots', async () => {
    const accepted: unknown[] = [];
    let checks = 0;
    for (const newSize of sizes.slice(1)) {
      const newRoot = await treeRoot(newSize, log);
      for (const oldSize of new Set([1, Math.ceil(newSize / 2), newSize - 1])) {
        const claim = { oldSize, oldRoot: await treeRoot(oldSize, log), newSize, newRoot };
        const proof = await consistencyProof(oldSize, newSize, log);
        const claims = bytes.flatMap((byte) => [
          { ...claim, oldRoot: flipped(claim.oldRoot, byte) },
          { ...claim, newRoot: flipped(newRoot, byte) },
        ]);
        const verdicts = [
          ...[...damaged(proof)].map((wrong) => verifyConsistency(claim, wrong)),
          ...claims.map((each) => verifyConsistency(each, proof)),
        ];
        checks += verdicts.length;
        if (verdicts.some(({ ok }) => ok)) accepted.push({ oldSize, newSize });
      }
    }
    expect(accepted).toEqual([]);
    expect(checks).toBeGreaterThan(5_000);
  });
});

test('a hash too few or too many at either end of a proof is refused', async () => {
  const accepted: unknown[] = [];
  for (const size of sizes) {
    const root = await treeRoot(size, log);
    for (let index = 0; index < size; index++) {
      const path = await inclusionProof(index, size, log);
      const claim = { index, size, leafHash: hashOf(index), root };
      const proof = await consistencyProof(index, size, log);
      const relation = { oldSize: index, oldRoot: await treeRoot(index, log), newSize: size, newRoot: root };
      const isAccepted =
        resized(path).some((wrong) => verifyInclusion(claim, wrong).ok) ||
        resized(proof).some((wrong) => verifyConsistency(relation, wrong).ok);
      if (isAccepted) accepted.push({ index, size });
    }
  }
  expect(accepted).toEqual([]);
});

function resized(proof: readonly Uint8Array[]): (readonly Uint8Array[])[] {
  const extra = emptyRoot();
  const longer = [
    [...proof, extra],
    [extra, ...proof],
  ];
  return proof.length === 0 ? longer : [...longer, proof.slice(1), proof.slice(0, -1)];
}

describe('a proof of another length is refused, although it leads to the root that the claim names', () => {
  const [a, b, c, d] = [0, 1, 2, 3].map(hashOf) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];

  test('inclusion', () => {
    expect(verifyInclusion({ index: 0, size: 1, leafHash: a, root: nodeHash(b, a) }, [b])).toEqual(tooMany);
    expect(verifyInclusion({ index: 0, size: 2, leafHash: a, root: nodeHash(c, nodeHash(a, b)) }, [b, c])).toEqual(tooMany);
    expect(verifyInclusion({ index: 0, size: 4, leafHash: a, root: nodeHash(a, b) }, [b])).toEqual(tooFew);
    expect(verifyInclusion({ index: 0, size: 4, leafHash: a, root: a }, [])).toEqual(tooFew);
  });

  test('consistency', () => {
    const oldRoot = nodeHash(c, a);
    const newRoot = nodeHash(c, nodeHash(a, b));
    const sizes = { oldSize: 3, newSize: 4 };
    expect(verifyConsistency({ ...sizes, oldRoot, newRoot }, [a, b, c]).ok).toBe(true);
    const longer = { ...sizes, oldRoot: nodeHash(d, oldRoot), newRoot: nodeHash(d, newRoot) };
    expect(verifyConsistency(longer, [a, b, c, d])).toEqual(tooMany);
    expect(verifyConsistency({ oldSize: 1, newSize: 4, oldRoot: a, newRoot: nodeHash(a, b) }, [b])).toEqual(tooFew);
    expect(verifyConsistency({ oldSize: 3, newSize: 4, oldRoot: a, newRoot: a }, [])).toEqual(tooFew);
  });
});

describe('malformed input is a failed check, not an exception', () => {
  const root = emptyRoot();
  const claim = { index: 0, size: 2, leafHash: root, root };
  const relation = { oldSize: 1, oldRoot: root, newSize: 2, newRoot: root };
  const malformed: unknown[] = [
    undefined,
    null,
    'ab',
    {},
    [undefined],
    new Array(1),
    [new Uint8Array(31)],
    [new Uint8Array(33)],
    [[1]],
  ];
  const numbers: unknown[] = [-1, -0, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '1', 1n, undefined, null];

  test.each(malformed.map((proof) => ({ proof })))('the proof $proof', ({ proof }) => {
    expect(verifyInclusion(claim, proof as Uint8Array[]).ok).toBe(false);
    expect(verifyConsistency(relation, proof as Uint8Array[]).ok).toBe(false);
  });

  test.each(numbers.map((number) => ({ number })))('the number $number', async ({ number }) => {
    const value = number as number;
    expect(verifyInclusion({ ...claim, index: value }, [root]).ok).toBe(false);
    expect(verifyInclusion({ ...claim, size: value }, [root]).ok).toBe(false);
    expect(verifyConsistency({ ...relation, oldSize: value }, [root]).ok).toBe(false);
    expect(verifyConsistency({ ...relation, newSize: value }, [root]).ok).toBe(false);
    await expect(treeRoot(value, log)).rejects.toThrow(TlogError);
    await expect(inclusionProof(value, 3, log)).rejects.toThrow(TlogError);
    await expect(consistencyProof(value, 3, log)).rejects.toThrow(TlogError);
  });

  test('the largest tree: the checks end', () => {
    const size = Number.MAX_SAFE_INTEGER;
    const proof = Array.from({ length: 53 }, () => root);
    expect(verifyInclusion({ index: size - 1, size, leafHash: root, root }, proof).ok).toBe(false);
    expect(verifyConsistency({ oldSize: size - 1, oldRoot: root, newSize: size, newRoot: root }, proof).ok).toBe(false);
  });
});

test('what cannot be proved is refused: a leaf outside the tree, a tree that shrinks, hashes that are not there', async () => {
  await expect(inclusionProof(3, 3, log)).rejects.toThrow('a tree of 3 leaves has no leaf 3');
  await expect(consistencyProof(4, 3, log)).rejects.toThrow('smaller');
  await expect(inclusionProof(0, 3, { read: async () => [] })).rejects.toThrow('did not give 2 hashes');
  await expect(inclusionProof(0, 2, { read: async () => [new Uint8Array(31)] })).rejects.toThrow('did not give 1 hashes');
});

test('a frontier that does not fit its size, and a leaf hash of another length, are refused', () => {
  expect(() => appendLeaves({ size: 3, hashes: [emptyRoot()] }, [])).toThrow(TlogError);
  expect(() => appendLeaves({ size: 0, hashes: [emptyRoot()] }, [])).toThrow(TlogError);
  expect(() => appendLeaves(emptyFrontier, [new Uint8Array(31)])).toThrow(TlogError);
  const full = { size: Number.MAX_SAFE_INTEGER, hashes: Array.from({ length: 53 }, emptyRoot) };
  expect(() => appendLeaves(full, [emptyRoot()])).toThrow('more than 2^53 - 1 leaves');
});
