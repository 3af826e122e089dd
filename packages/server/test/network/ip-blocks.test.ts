import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type IpAddress, parseIpAddress, showIpAddress, widths } from '../../src/network/ip-address.ts';
import { CidrError, compileBlocks, type IpBlock, parseCidr, showIpBlock } from '../../src/network/ip-blocks.ts';

describe('a block', () => {
  test.each([
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['192.0.2.1/32', '192.0.2.1/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0::/32', '2001:db8::/32'],
    ['::1/128', '::1/128'],
    ['::/0', '::/0'],
  ])('%s is written %s', (text, expected) => {
    expect(showIpBlock(parseCidr(text))).toBe(expected);
  });

  test.each([
    ['10.1.2.3/8', 'has bits set beyond its prefix: write 10.0.0.0/8'],
    ['192.0.2.1/0', 'has bits set beyond its prefix: write 0.0.0.0/0'],
    ['2001:db8::1/32', 'has bits set beyond its prefix: write 2001:db8::/32'],
    ['192.0.2.1', 'needs a prefix length: write 192.0.2.1/32 for this one address'],
    ['2001:DB8::1', 'needs a prefix length: write 2001:db8::1/128 for this one address'],
    ['::ffff:192.0.2.1', 'needs a prefix length: write 192.0.2.1/32 for this one address'],
    ['::ffff:192.0.2.0/120', 'is an IPv4 block in IPv6 notation: write 192.0.2.0/24'],
    ['::ffff:192.0.2.9/120', 'is an IPv4 block in IPv6 notation: write 192.0.2.0/24'],
    ['::ffff:0:0/96', 'is an IPv4 block in IPv6 notation: write 0.0.0.0/0'],
    ['::ffff:0:0/95', 'mixes IPv4 and IPv6: write a rule for each'],
  ])('%s is refused with a suggestion', (text, message) => {
    expect(() => parseCidr(text)).toThrow(new CidrError(message));
  });

  test.each([
    '',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/+8',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    ' 10.0.0.0/8',
    '10.0.0.0/8 ',
    '10.0.0/8',
    '010.0.0.0/8',
    '::/129',
    '[::1]/128',
    'fe80::%eth0/64',
    'example.com/24',
    '*',
  ])('%j is not a block', (text) => {
    expect(() => parseCidr(text)).toThrow(/^must be a block of addresses/);
  });
});

const bitsOf = { 4: fc.bigInt(0n, (1n << 32n) - 1n), 6: fc.bigInt(0n, (1n << 128n) - 1n) } as const;
/** Mostly in a few networks, so that blocks and addresses overlap. */
const near = (family: 4 | 6) =>
  fc.oneof(
    bitsOf[family],
    fc.tuple(fc.constantFrom(0x0an, 0xc0n, 0x20n), fc.nat(0xffff)).map(([first, last]) => {
      return (first << BigInt(widths[family] - 8)) | BigInt(last);
    }),
  );
const address = fc
  .constantFrom<4 | 6>(4, 6)
  .chain((family) => near(family).map((bits): IpAddress => ({ family, bits })))
  // IPv4 in IPv6 notation is IPv4, so it does not count as IPv6.
  .filter(({ family, bits }) => family === 4 || bits >> 32n !== 0xffffn);
const block = address.chain(({ family, bits }) =>
  fc.nat(widths[family]).map((prefix): IpBlock => {
    const host = BigInt(widths[family] - prefix);
    return { family, bits: (bits >> host) << host, prefix };
  }),
);

test('blocks contain the same addresses as in an independent implementation', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), fc.array(address, { minLength: 1, maxLength: 8 }), (blocks, addresses) => {
      const oracle = { 4: new BlockList(), 6: new BlockList() };
      const names = { 4: 'ipv4', 6: 'ipv6' } as const;
      for (const { family, bits, prefix } of blocks) {
        if (prefix > 0) oracle[family].addSubnet(showIpAddress({ family, bits }), prefix, names[family]);
      }
      const compiled = compileBlocks(blocks);
      for (const { family, bits } of addresses) {
        const all = blocks.some((one) => one.family === family && one.prefix === 0);
        expect(compiled.has({ family, bits })).toBe(all || oracle[family].check(showIpAddress({ family, bits }), names[family]));
      }
    }),
    { numRuns: 300 },
  );
});

test('writing and reading a block gives the same block', () => {
  fc.assert(
    fc.property(block, (one) => {
      expect(parseCidr(showIpBlock(one))).toEqual(one);
    }),
  );
});

test('an IPv6 rule never matches IPv4, in any form of the address', () => {
  const everything = compileBlocks([parseCidr('::/0')]);
  const mapped = parseIpAddress('::ffff:192.0.2.1');
  if (mapped === undefined) throw new Error('it is an address');
  expect(everything.has(mapped)).toBe(false);
  expect(compileBlocks([parseCidr('192.0.2.0/24')]).has(mapped)).toBe(true);
});
