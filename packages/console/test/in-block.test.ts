import fc from 'fast-check';
import { expect, test } from 'vitest';
import { showIpAddress } from '../../server/src/network/ip-address.ts';
import { compileBlocks, type IpBlock, parseCidr, showIpBlock } from '../../server/src/network/ip-blocks.ts';
import { isInBlock } from '../src/data/in-block.ts';

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
