import { describe, expect, it, test } from 'vitest';
import {
  type ChainHead,
  commitment,
  commitmentLeaf,
  type Opening,
  type OpeningV2,
  openingBytes,
  parseOpeningText,
  TlogError,
  verifyChain,
  verifyOpening,
} from '../../src/index.ts';
import { chain as firstVersion, type LeafVector } from '../support/leaves.ts';
import { hex, readVectors, unhex } from '../support/vectors.ts';

type SecondVector = Omit<LeafVector, 'opening'> & { readonly opening: OpeningV2 };
const { chain } = readVectors<{
  chain: { organizationId: string; leaves: readonly SecondVector[]; head: ChainHead };
}>('leaves-2');
const [first, , third, fourth] = chain.leaves as readonly [SecondVector, SecondVector, SecondVector, SecondVector];

describe('conformance/log/leaves-2.json', () => {
  it.each(chain.leaves)('has the leaf $leafHash', (vector) => {
    const salt = unhex(vector.salt);
    expect(Buffer.from(openingBytes(vector.opening)).toString()).toBe(vector.bytes);
    expect(hex(commitment(vector.opening, salt))).toBe(vector.leaf);
    expect(commitmentLeaf(vector.opening, salt)).toBe(vector.leafHash);
    expect(verifyOpening(unhex(vector.leaf), vector.opening, salt)).toEqual({ ok: true });
    expect(parseOpeningText(vector.bytes)).toEqual(vector.opening);
  });

  it('is one chain', () => {
    const leaves = chain.leaves.map(({ opening, salt }) => ({ opening, salt: unhex(salt) }));
    expect(verifyChain(chain.organizationId, leaves, chain.head)).toEqual({ ok: true });
  });
});

test('the version byte and the member version must agree', () => {
  const salt = unhex(first.salt);
  expect(verifyOpening(unhex(first.leaf).with(0, 1), first.opening, salt)).toMatchObject({ ok: false });
  const [before] = firstVersion.leaves as readonly [LeafVector];
  expect(verifyOpening(unhex(before.leaf).with(0, 2), before.opening, unhex(before.salt))).toMatchObject({ ok: false });
});

const HASH = 'ab'.repeat(32);
const created = { organizationId: 'c', headVersion: 1, headDigest: HASH };

test.each<Partial<Record<keyof OpeningV2, unknown>>>([
  { version: 1 },
  { version: 3 },
  { version: '2' },
  { shard: -1 },
  { revision: undefined },
  { revision: '1' },
  { judgedBy: '' },
  { judgedBy: null },
  { judgedBy: third.opening.organizationId },
  { credentialKind: 'api_key' },
  { credentialKind: '' },
  { credentialKind: 'NONE' },
  { authorizationDigest: '' },
  { headVersion: 0 },
  { headDigest: '' },
  { headVersion: 1.5 },
  { created: [] },
  { created: null },
  { created: [{ ...created, more: 1 }] },
  { created: [{ headVersion: 1, organizationId: 'c', headDigest: HASH }] },
  { created: [{ ...created, headDigest: '' }] },
  { created: [{ ...created, headVersion: 0 }] },
  { created: [created, created] },
])('an opening of version 2 with %j is rejected', (wrong) => {
  expect(() => openingBytes({ ...third.opening, ...wrong } as Opening)).toThrow(TlogError);
});

test('only the canonical text of version 2 is read', () => {
  const text = fourth.bytes;
  const others = [
    text.replace('"version":2,', ''),
    text.replace('"version":2,', '"version":1,'),
    text.replace('{"version":2,"shard":0,', '{"shard":0,"version":2,'),
    text.replace('"revision":1,', ''),
    text.replace('"created":[{', '"created":[{ '),
    text.replace(/,"created":.*\}$/, ',"created":[]}'),
    text.replace(/"credentialKind"/, '"judgedBy":null,"credentialKind"'),
  ];
  for (const other of others) {
    expect(other).not.toBe(text);
    expect(() => parseOpeningText(other)).toThrow(TlogError);
  }
});
