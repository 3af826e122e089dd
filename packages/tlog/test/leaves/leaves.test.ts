import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  commitment,
  commitmentLeaf,
  type Opening,
  openingBytes,
  parseOpening,
  TlogError,
  verifyOpening,
} from '../../src/index.ts';
import { anyOpening, chain, type LeafVector, unusual } from '../support/leaves.ts';
import { flipped, hex, unhex } from '../support/vectors.ts';

const [first] = chain.leaves as readonly [LeafVector];
const { opening } = first;
const salt = unhex(first.salt);
const leaf = unhex(first.leaf);

describe('conformance/log/leaves.json', () => {
  it.each([...chain.leaves, ...unusual])('has the leaf $leafHash', (vector) => {
    expect(Buffer.from(openingBytes(vector.opening)).toString()).toBe(vector.bytes);
    expect(hex(commitment(vector.opening, unhex(vector.salt)))).toBe(vector.leaf);
    expect(commitmentLeaf(vector.opening, unhex(vector.salt))).toBe(vector.leafHash);
    expect(verifyOpening(unhex(vector.leaf), vector.opening, unhex(vector.salt))).toEqual({ ok: true });
    expect(parseOpening(Buffer.from(vector.bytes))).toEqual(vector.opening);
  });
});

test('a leaf has 33 bytes and begins with its version', () => {
  expect(leaf).toHaveLength(33);
  expect(leaf[0]).toBe(1);
});

test('a leaf of another version is refused with a reason of its own', () => {
  expect(verifyOpening(leaf.with(0, 2), opening, salt)).toEqual({ ok: false, reason: 'the version of the leaf is 2, not 1' });
});

test('the order of members in the object does not matter, and unknown members are left out', () => {
  const reversed = Object.fromEntries(Object.entries(opening).toReversed()) as unknown as Opening;
  expect(openingBytes(reversed)).toEqual(openingBytes(opening));
  expect(openingBytes({ ...opening, more: 1 } as Opening)).toEqual(openingBytes(opening));
});

test('openings are read back, and different openings have different leaves', () => {
  fc.assert(
    fc.property(anyOpening, anyOpening, (one, other) => {
      expect(parseOpening(openingBytes(one))).toEqual(one);
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(hex(commitment(one, salt)) === hex(commitment(other, salt))).toBe(isSame);
    }),
  );
});

describe('a leaf stands for one opening and one salt', () => {
  it('refuses another value of any member', () => {
    for (const [name, value] of Object.entries(chain.leaves[1]?.opening ?? {})) {
      if (name === 'sequence' || name === 'previousLeaf' || name === 'organizationId' || name === 'type') continue;
      expect(verifyOpening(leaf, { ...opening, [name]: value }, salt)).toMatchObject({ ok: false });
    }
    expect(verifyOpening(leaf, { ...opening, organizationId: 'another' }, salt).ok).toBe(false);
    expect(verifyOpening(leaf, { ...opening, type: 'another' }, salt).ok).toBe(false);
    expect(verifyOpening(leaf, { ...opening, sequence: 2, previousLeaf: first.leafHash }, salt).ok).toBe(false);
  });

  it('refuses a changed bit in any byte of the leaf and of the salt', () => {
    for (let byte = 0; byte < 33; byte++) expect(verifyOpening(flipped(leaf, byte), opening, salt).ok).toBe(false);
    for (let byte = 0; byte < 32; byte++) expect(verifyOpening(leaf, opening, flipped(salt, byte)).ok).toBe(false);
  });

  it('refuses malformed input without an exception', () => {
    for (const wrong of [null, undefined, 'x', 7, {}, [], { ...opening, timeMs: 1n }]) {
      expect(verifyOpening(leaf, wrong as Opening, salt).ok).toBe(false);
    }
    for (const wrong of [new Uint8Array(31), new Uint8Array(33), 'x', null]) {
      expect(verifyOpening(leaf, opening, wrong as Uint8Array).ok).toBe(false);
      if (!(wrong instanceof Uint8Array)) expect(verifyOpening(wrong as unknown as Uint8Array, opening, salt).ok).toBe(false);
    }
    expect(verifyOpening(leaf.slice(1), opening, salt).ok).toBe(false);
    expect(verifyOpening(Uint8Array.of(...leaf, 0), opening, salt).ok).toBe(false);
  });
});

const HASH = 'ab'.repeat(32);

test.each<Partial<Record<keyof Opening, unknown>>>([
  { organizationId: '' },
  { organizationId: 'x'.repeat(513) },
  { organizationId: '\ud800' },
  { organizationId: 7 },
  { organizationId: ['o'] },
  { sequence: 0, previousLeaf: '' },
  { sequence: 1.5 },
  { sequence: '1' },
  { sequence: 2 },
  { previousLeaf: HASH },
  { sequence: 2, previousLeaf: HASH.toUpperCase() },
  { sequence: 2, previousLeaf: HASH.slice(2) },
  { sequence: 2, previousLeaf: `${HASH}\n` },
  { activityId: undefined },
  { fingerprint: '' },
  { type: null },
  { status: '' },
  { decisionDigest: 'sha256' },
  { resultDigest: undefined },
  { timeMs: -1 },
  { timeMs: -0 },
  { timeMs: Number.NaN },
  { timeMs: 2 ** 53 },
])('an opening with %j is refused', (wrong) => {
  expect(() => openingBytes({ ...opening, ...wrong } as Opening)).toThrow(TlogError);
});

test('only canonical bytes are read', () => {
  const text = first.bytes;
  const others = [
    ` ${text}`,
    `${text}\n`,
    `\ufeff${text}`,
    text.replace(',', ', '),
    text.replace('"sequence":1,', '"sequence":1.0,'),
    text.replace('"sequence":1,', '"sequence":1,"sequence":1,'),
    text.replace('"sequence":1,', '"sequence":2,"sequence":1,'),
    text.replace('"sequence":1,', '"sequence":1,"more":1,'),
    text.replace('"sequence":1,', '"__proto__":{},"sequence":1,'),
    text.replace('activity-1', '\\u0061ctivity-1'),
    text.replace(/\{("organizationId":"[^"]*"),("sequence":1),/, '{$2,$1,'),
    text.replace('"sequence":1,', ''),
    '',
    'null',
    '[]',
    '7',
    '{}',
    text.slice(0, -1),
  ];
  expect(others.filter((other) => other === text)).toEqual([]);
  for (const other of others) expect(() => parseOpening(Buffer.from(other))).toThrow(TlogError);
  expect(() => parseOpening(Uint8Array.of(0xff))).toThrow('not valid UTF-8');
});

test('bytes that are accepted are what their opening is written as; anything else is a TlogError', () => {
  const bytes = Uint8Array.from(Buffer.from(first.bytes));
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
      const changed = bytes.with(at, value);
      let read: Opening;
      try {
        read = parseOpening(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(TlogError);
        return;
      }
      expect(openingBytes(read)).toEqual(changed);
    }),
    { numRuns: 500 },
  );
});
