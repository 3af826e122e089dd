import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CredentialError } from '../../../src/auth/credential-error.ts';
import { readCborItem, readCborMap } from '../../../src/auth/webauthn/cbor.ts';
import { toCbor, type Writable } from '../cbor-writer.ts';

const read = (hex: string) => readCborItem(Buffer.from(hex, 'hex'), 0).value;

describe('CBOR', () => {
  const leaf = fc.oneof(
    fc.integer({ min: -0x1_0000_0000, max: 0xffff_ffff }),
    fc.string({ unit: 'binary' }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );
  const { item } = fc.letrec<{ item: Writable }>((tie) => ({
    item: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('item'), { maxLength: 4 }),
      fc
        .array(fc.tuple(fc.oneof(fc.integer({ min: -300, max: 300 }), fc.string()), tie('item')), { maxLength: 4 })
        .map((entries) => new Map(entries)),
    ),
  }));

  test('canonical CTAP encoding is read back, and its end is found', () => {
    fc.assert(
      fc.property(item, fc.uint8Array({ maxLength: 3 }), (value, after) => {
        const bytes = toCbor(value);
        expect(readCborItem(Buffer.concat([Buffer.of(0), bytes, after]), 1)).toEqual({ value, end: bytes.length + 1 });
      }),
    );
  });

  test('accepted bytes are the only encoding of their value', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 24 }), (bytes) => {
        try {
          const { value, end } = readCborItem(bytes, 0);
          expect(toCbor(value)).toEqual(Buffer.from(bytes.subarray(0, end)));
        } catch (error) {
          expect(error).toBeInstanceOf(CredentialError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['a map of indefinite length', 'bf0102ff', 'indefinite'],
    ['an array of indefinite length', '9f01ff', 'indefinite'],
    ['bytes of indefinite length', '5f4101ff', 'indefinite'],
    ['a text of indefinite length', '7f6161ff', 'indefinite'],
    ['a reserved head', '1c', 'indefinite'],
    ['a repeated name', 'a201020103', 'twice'],
    ['a repeated text name', 'a2616101616102', 'twice'],
    ['a number in two bytes that fits into one', '1817', 'shortest'],
    ['a number in three bytes that fits into two', '1900ff', 'shortest'],
    ['a number in five bytes that fits into three', '1a0000ffff', 'shortest'],
    ['a number in nine bytes that fits into five', '1b00000000ffffffff', 'shortest'],
    ['a length that is not in its shortest form', '580101', 'shortest'],
    ['a number beyond 2^53', '1b0020000000000001', 'too large'],
    ['a tag', 'c000', 'tags'],
    ['half a float', 'f90000', 'simple'],
    ['a double', 'fb0000000000000000', 'simple'],
    ['undefined', 'f7', 'simple'],
    ['a break alone', 'ff', 'simple'],
    ['a map as a name', 'a1a000', 'neither a number nor a text'],
    ['a text that is not UTF-8', '61ff', 'UTF-8'],
    ['nothing', '', 'too early'],
    ['bytes cut off', '4201', 'too early'],
    ['an array of four thousand million', '9affffffff', 'too early'],
    ['a map cut off', 'a101', 'too early'],
    ['nine arrays within each other', `${'81'.repeat(9)}00`, 'nested'],
  ])('%s is refused', (_, hex, message) => {
    expect(() => read(hex)).toThrow(CredentialError);
    expect(() => read(hex)).toThrow(message);
  });

  test('bytes after a map and other values are refused', () => {
    expect(readCborMap(Buffer.from('a10102', 'hex'))).toEqual(new Map([[1, 2]]));
    expect(() => readCborMap(Buffer.from('a1010200', 'hex'))).toThrow('extra bytes');
    expect(() => readCborMap(Buffer.from('80', 'hex'))).toThrow('not a map');
  });
});
