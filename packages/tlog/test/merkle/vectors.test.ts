import { describe, expect, it, test } from 'vitest';
import {
  consistencyProof,
  emptyRoot,
  inclusionProof,
  leafHash,
  nodeHash,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from '../../src/index.ts';
import { largeLog, MemoryLog } from '../support/memory-log.ts';
import { hex, readVectors, unhex } from '../support/vectors.ts';

interface InclusionCase {
  readonly name?: string;
  readonly index: number;
  readonly size: number;
  readonly leafHash: string;
  readonly root: string;
  readonly proof: readonly string[];
}

interface ConsistencyCase {
  readonly name?: string;
  readonly oldSize: number;
  readonly oldRoot: string;
  readonly newSize: number;
  readonly newRoot: string;
  readonly proof: readonly string[];
}

const inclusion = readVectors<{
  leaves: string[];
  roots: { size: number; root: string }[];
  proofs: InclusionCase[];
  numbered: InclusionCase[];
  refused: InclusionCase[];
}>('inclusion');

const consistency = readVectors<{ proofs: ConsistencyCase[]; numbered: ConsistencyCase[]; refused: ConsistencyCase[] }>(
  'consistency',
);

const known = new MemoryLog().append(inclusion.leaves.map(unhex));
const numbered = largeLog();

const checkInclusion = ({ index, size, leafHash, root, proof }: InclusionCase) =>
  verifyInclusion({ index, size, leafHash: unhex(leafHash), root: unhex(root) }, proof.map(unhex));

const checkConsistency = ({ oldSize, oldRoot, newSize, newRoot, proof }: ConsistencyCase) =>
  verifyConsistency({ oldSize, oldRoot: unhex(oldRoot), newSize, newRoot: unhex(newRoot) }, proof.map(unhex));

describe('hashes of RFC 6962', () => {
  test('the empty tree, the empty leaf and a node', () => {
    expect(hex(emptyRoot())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(hex(leafHash(new Uint8Array()))).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
    expect(hex(leafHash(Buffer.from('L123456')))).toBe('395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56');
    expect(hex(nodeHash(Buffer.from('N123'), Buffer.from('N456')))).toBe(
      'aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb',
    );
  });

  test('the roots that the tests of Certificate Transparency expect', async () => {
    const roots = [
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ];
    expect(inclusion.roots).toEqual(roots.map((root, size) => ({ size, root })));
    for (const [size, root] of roots.entries()) expect(hex(await treeRoot(size, known))).toBe(root);
  });
});

describe('conformance/log/inclusion.json', () => {
  it.each([
    { name: 'proofs', log: known, count: 36 },
    { name: 'numbered', log: numbered, count: 24 },
  ] as const)('$name: makes and accepts every proof', async ({ name, log, count }) => {
    expect(inclusion[name]).toHaveLength(count);
    for (const vector of inclusion[name]) {
      expect((await inclusionProof(vector.index, vector.size, log)).map(hex)).toEqual(vector.proof);
      expect(checkInclusion(vector)).toEqual({ ok: true });
    }
  });

  it.each(inclusion.refused)('refuses $name', (vector) => {
    expect(checkInclusion(vector)).toMatchObject({ ok: false });
  });
});

describe('conformance/log/consistency.json', () => {
  it.each([
    { name: 'proofs', log: known, count: 36 },
    { name: 'numbered', log: numbered, count: 30 },
  ] as const)('$name: makes and accepts every proof', async ({ name, log, count }) => {
    expect(consistency[name]).toHaveLength(count);
    for (const vector of consistency[name]) {
      expect((await consistencyProof(vector.oldSize, vector.newSize, log)).map(hex)).toEqual(vector.proof);
      expect(checkConsistency(vector)).toEqual({ ok: true });
    }
  });

  it.each(consistency.refused)('refuses $name', (vector) => {
    expect(checkConsistency(vector)).toMatchObject({ ok: false });
  });
});
