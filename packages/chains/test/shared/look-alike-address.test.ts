import { expect, test } from 'vitest';
import { comparedEnds, lookAlikesOf, sharedEnds } from '../../src/index.ts';

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

test.each([
  ['Solana', '7xKXtg2CWaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaosgAsU', '7xKXtg2CWbbbbbbbbbbbbbbbbbbbbbbbbbbbbbosgAsU', 9, 6],
  ['Bitcoin', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', `bc1qar0${'x'.repeat(50)}f5mdq`, 7, 5],
])('D1172: two addresses of %s look alike although one is longer', (_, known, alike, head, tail) => {
  expect(alike).not.toHaveLength(known.length);
  for (const [given, other] of [
    [known, alike],
    [alike, known],
  ] as const) {
    expect(sharedEnds(given, other)).toEqual({ head, tail });
    expect(lookAlikesOf([given])(other)).toBe(true);
  }
  expect(sharedEnds(known, `${alike}x`)).toBeUndefined();
  expect(lookAlikesOf([known])(`${alike}x`)).toBe(false);
});

test('D1172: the ends that two addresses share do not overlap in the shorter one', () => {
  expect(sharedEnds('0xabcabc', '0xabcabcabc')).toEqual({ head: 5, tail: 3 });
  expect(sharedEnds('0xabcdabc', '0xabcdabcdabc')).toEqual({ head: 6, tail: 3 });
  expect(comparedEnds('0xabcbc')).toBeUndefined();
  expect(sharedEnds('0xabcbc', '0xabcdefabcbc')).toBeUndefined();
});
