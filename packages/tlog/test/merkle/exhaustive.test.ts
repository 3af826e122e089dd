import { describe, expect, test } from 'vitest';
import {
  appendLeaves,
  consistencyProof,
  emptyFrontier,
  frontierRoot,
  inclusionProof,
  leafHash,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from '../../src/index.ts';
import { largeLog, MemoryLog } from '../support/memory-log.ts';
import { NaiveTree } from '../support/naive.ts';
import { hex, numberedLeaf } from '../support/vectors.ts';

const LARGEST = 130;
const leaves = Array.from({ length: LARGEST }, (_, index) => numberedLeaf(index));
const naive = new NaiveTree(leaves);
const log = new MemoryLog().append(leaves);
const same = (left: readonly Uint8Array[], right: readonly Uint8Array[]) => left.map(hex).join() === right.map(hex).join();
const sizes = Array.from({ length: LARGEST + 1 }, (_, size) => size);

describe(`every tree of 0 to ${LARGEST} leaves, against the definitions of RFC 6962`, () => {
  test('roots, from stored hashes and from the frontier', async () => {
    let frontier = emptyFrontier;
    for (const size of sizes) {
      const expected = hex(naive.root(0, size));
      expect(hex(await treeRoot(size, log))).toBe(expected);
      expect(hex(frontierRoot(frontier))).toBe(expected);
      frontier = appendLeaves(frontier, leaves.slice(size, size + 1).map(leafHash)).frontier;
    }
  });

  test('inclusion proofs of every leaf', async () => {
    let proofs = 0;
    // A list of what went wrong: one assertion for each of thousands of proofs would take most of the time.
    const wrong: unknown[] = [];
    for (const size of sizes) {
      const root = naive.root(0, size);
      for (let index = 0; index < size; index++) {
        const proof = await inclusionProof(index, size, log);
        const claim = { index, size, leafHash: leafHash(leaves[index] as Uint8Array), root };
        if (!same(proof, naive.path(index, 0, size)) || !verifyInclusion(claim, proof).ok) wrong.push({ index, size });
        proofs++;
      }
    }
    expect(wrong).toEqual([]);
    expect(proofs).toBe((LARGEST * (LARGEST + 1)) / 2);
  });

  test('consistency proofs of every two sizes', async () => {
    let proofs = 0;
    const wrong: unknown[] = [];
    for (const newSize of sizes) {
      for (let oldSize = 0; oldSize <= newSize; oldSize++) {
        const proof = await consistencyProof(oldSize, newSize, log);
        const expected = oldSize === 0 ? [] : naive.subproof(oldSize, 0, newSize, true);
        const claim = { oldSize, oldRoot: naive.root(0, oldSize), newSize, newRoot: naive.root(0, newSize) };
        if (!same(proof, expected) || !verifyConsistency(claim, proof).ok) wrong.push({ oldSize, newSize });
        proofs++;
      }
    }
    expect(wrong).toEqual([]);
    expect(proofs).toBe(((LARGEST + 1) * (LARGEST + 2)) / 2);
  });

  test('a proof of one leaf or two sizes is refused for every other leaf and for every other old size', async () => {
    const newSize = 37;
    const newRoot = naive.root(0, newSize);
    for (let one = 1; one < newSize; one++) {
      const path = await inclusionProof(one, newSize, log);
      const proof = await consistencyProof(one, newSize, log);
      for (let other = 1; other < newSize; other++) {
        const hash = leafHash(leaves[other] as Uint8Array);
        expect(verifyInclusion({ index: other, size: newSize, leafHash: hash, root: newRoot }, path).ok).toBe(one === other);
        const claim = { oldSize: other, oldRoot: naive.root(0, other), newSize, newRoot };
        expect(verifyConsistency(claim, proof).ok).toBe(one === other);
      }
    }
  });
});

test('a proof over n leaves reads O(log n) stored hashes', async () => {
  const size = 70_000;
  const large = largeLog();
  const bound = 2 * Math.ceil(Math.log2(size));
  for (const index of [0, 1, 255, 65_535, 65_536, 69_999]) {
    large.reads = 0;
    await inclusionProof(index, size, large);
    expect(large.reads).toBeLessThanOrEqual(bound);
    large.reads = 0;
    await consistencyProof(index + 1, size, large);
    expect(large.reads).toBeLessThanOrEqual(bound);
  }
});
