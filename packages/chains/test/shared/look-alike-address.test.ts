import { expect, test } from 'vitest';
import { lookAlikesOf, sharedEnds } from '../../src/index.ts';

const heads = ['0x', '0X', 'bc1q', 'BC1Q', 'bc1p', 'tb1', 'T', 't', '', '1'];
const middles = ['abc', 'ABC', 'abd', 'abcdef', 'abcxef', 'q1', ''];
const tails = ['xyz', 'XYZ', 'xyw', 'z', ''];
const addresses = heads.flatMap((head) => middles.flatMap((middle) => tails.map((tail) => `${head}${middle}${tail}`)));

test('finds the same look-alikes as the comparison of two addresses', () => {
  const pairs = addresses.flatMap((given) => addresses.map((other) => ({ given, other })));
  const similar = pairs.filter(({ given, other }) => sharedEnds(given, other) !== undefined);
  expect(similar.length).toBeGreaterThan(100);
  expect(pairs.filter(({ given, other }) => lookAlikesOf([given])(other))).toEqual(similar);
});

test('finds the look-alike of one among several, also if another one is the same address', () => {
  const isSimilar = lookAlikesOf(['0xabc1def', '0xabc2def', '0x1234567']);
  expect(['0xabc1def', '0xABC3DEF', '0x1234567', '0x1239567', '0x9934567'].map(isSimilar)).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

test('D1040: reads its addresses once, however many others are compared with them', () => {
  let reads = 0;
  function* counted() {
    for (let at = 0; at < 200; at += 1) {
      reads += 1;
      yield `0xabc${String(at).padStart(34, '0')}def`;
    }
  }
  const isSimilar = lookAlikesOf(counted());
  const others = Array.from({ length: 1_000 }, (_, at) => `0xabc${String(at).padStart(34, '1')}def`);
  expect(others.every(isSimilar)).toBe(true);
  expect(reads).toBe(200);
});
