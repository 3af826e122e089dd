import fc from 'fast-check';
import { expect, test } from 'vitest';
import { showIpAddress } from '../../server/src/network/ip-address.ts';
import { compileBlocks, type IpBlock, parseCidr, showIpBlock } from '../../server/src/network/ip-blocks.ts';
import { isInBlock, isPrivate } from '../src/data/in-block.ts';

const width = { 4: 32, 6: 128 } as const;
/** Some bits are zero, so that addresses with `::` are common. */
const addresses = fc
  .constantFrom<4 | 6>(4, 6)
  .chain((family) =>
    fc
      .tuple(fc.bigInt(0n, 2n ** BigInt(width[family]) - 1n), fc.integer({ min: 0, max: width[family] }))
      .map(([bits, zeros]) => ({ family, bits: (bits >> BigInt(zeros)) << BigInt(zeros) })),
  );

test('an address is in a block exactly if the service says so', () => {
  const pairs = addresses.chain((address) =>
    fc.tuple(fc.constant(address), fc.oneof(addresses, fc.constant(address)), fc.integer({ min: 0, max: width[address.family] })),
  );
  fc.assert(
    fc.property(pairs, ([address, other, length]) => {
      const prefix = Math.min(length, width[other.family]);
      const rest = BigInt(width[other.family] - prefix);
      const block: IpBlock = { family: other.family, bits: (other.bits >> rest) << rest, prefix };
      const text = showIpBlock(block);
      expect(isInBlock(showIpAddress(address), text)).toBe(compileBlocks([parseCidr(text)]).has(address));
    }),
  );
});

test('D1177: an address that only one network knows is private', () => {
  const inside = [
    '127.0.0.1',
    '10.255.0.7',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.0.1',
    '100.64.0.1',
    '::1',
    'fd00::1',
    'fe80::1',
  ];
  const outside = ['203.0.113.7', '172.32.0.1', '100.128.0.1', '11.0.0.1', '2001:db8::1', '::2', 'fec0::1'];
  expect(inside.filter((address) => !isPrivate(address))).toEqual([]);
  expect(outside.filter(isPrivate)).toEqual([]);
});
