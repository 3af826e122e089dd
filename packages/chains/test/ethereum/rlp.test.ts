import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { Rlp } from 'ox';
import { describe, expect, test } from 'vitest';
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/ethereum/rlp.ts';
import { refusal } from './support.ts';

const { tree } = fc.letrec<{ tree: RlpItem; list: RlpItem[]; bytes: Uint8Array }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4, depthSize: 'small' }, tie('bytes'), tie('list')),
  list: fc.array(tie('tree'), { maxLength: 5 }),
  bytes: fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.uint8Array({ minLength: 50, maxLength: 300 })),
}));

describe('RLP', () => {
  test.each([
    ['83646f67', '646f67'],
    ['80', ''],
    ['00', '00'],
    ['0f', '0f'],
    ['820400', '0400'],
    [`b838${'61'.repeat(56)}`, '61'.repeat(56)],
  ])('the byte string %s is read and written', (encoded, value) => {
    expect(decodeRlp(hexToBytes(encoded))).toEqual(hexToBytes(value));
    expect(bytesToHex(encodeRlp(hexToBytes(value)))).toBe(encoded);
  });

  test('the set-theoretical three is read and written', () => {
    const three = hexToBytes('c7c0c1c0c3c0c1c0');
    expect(decodeRlp(three)).toEqual([[], [[]], [[], [[]]]]);
    expect(encodeRlp([[], [[]], [[], [[]]]])).toEqual(three);
  });

  test('what ox encodes is read back, and our encoding is the same', () => {
    fc.assert(
      fc.property(tree, (item) => {
        const encoded = Rlp.fromBytes(item as never, { as: 'Bytes' });
        expect(encodeRlp(item)).toEqual(encoded);
        expect(decodeRlp(encoded)).toEqual(item);
      }),
    );
  });

  test.each([
    ['', 'ends before it is complete'],
    ['8100', 'a byte below 0x80 has a length prefix'],
    ['817f', 'a byte below 0x80 has a length prefix'],
    ['b801ff', 'a short length is written in the long form'],
    [`b837${'ff'.repeat(55)}`, 'a short length is written in the long form'],
    [`b90038${'ff'.repeat(56)}`, 'a length has leading zeros'],
    ['f800', 'a length has leading zeros'],
    ['f801c0', 'a short length is written in the long form'],
    ['83646f', 'ends outside of the value that holds it'],
    ['c283646f67', 'ends outside of the value that holds it'],
    ['b8', 'ends before it is complete'],
    ['bf7fffffffffffffff', 'an RLP length is larger than the input'],
    ['ffffffffffffffffff', 'an RLP length is larger than the input'],
    ['fbffffffff', 'ends outside of the value that holds it'],
    ['c0c0', '1 bytes follow the end'],
    ['8080', '1 bytes follow the end'],
    ['c7c6c5c4c3c2c1c0', 'nested more than 6 deep'],
  ])('D35: %s is refused', (encoded, reason) => {
    expect(refusal(() => decodeRlp(hexToBytes(encoded)))).toContain(reason);
  });

  test('D35: whatever bytes are accepted encode to themselves', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        let item: RlpItem;
        try {
          item = decodeRlp(bytes);
        } catch {
          return;
        }
        expect(encodeRlp(item)).toEqual(bytes);
      }),
      { numRuns: 1_000 },
    );
  });
});
