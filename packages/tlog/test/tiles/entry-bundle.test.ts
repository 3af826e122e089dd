import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatEntryBundle, MAX_ENTRY_BYTES, parseEntryBundle, TlogError } from '../../src/index.ts';

const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 256 });

test('each entry follows its length as a big-endian uint16', () => {
  const bundle = formatEntryBundle([Uint8Array.of(1, 2, 3), new Uint8Array(), new Uint8Array(258).fill(9)]);
  expect([...bundle.slice(0, 9)]).toEqual([0, 3, 1, 2, 3, 0, 0, 1, 2]);
  expect(bundle).toHaveLength(2 + 3 + 2 + 2 + 258);
});

test('entries are read back, also from the middle of a larger buffer', () => {
  fc.assert(
    fc.property(entries, (list) => {
      const bundle = formatEntryBundle(list);
      const buffer = new Uint8Array(bundle.length + 7);
      buffer.set(bundle, 5);
      expect(parseEntryBundle(buffer.subarray(5, 5 + bundle.length), list.length)).toEqual(list);
    }),
    { numRuns: 50 },
  );
});

test('a bundle that is accepted is the bundle of its entries; anything else is a TlogError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 0, max: 5 }), (bytes, width) => {
      let read: readonly Uint8Array[];
      try {
        read = parseEntryBundle(bytes, width);
      } catch (error) {
        expect(error).toBeInstanceOf(TlogError);
        return;
      }
      expect(formatEntryBundle(read)).toEqual(bytes);
    }),
    { numRuns: 500 },
  );
});

test('another number of entries, a cut and a rest are refused', () => {
  const bundle = formatEntryBundle([Uint8Array.of(1, 2), Uint8Array.of(3)]);
  expect(() => parseEntryBundle(bundle, 1)).toThrow('goes on after its last entry');
  expect(() => parseEntryBundle(bundle, 3)).toThrow('ends before entry 2');
  expect(() => parseEntryBundle(bundle.slice(0, -1), 2)).toThrow('ends within entry 1');
  expect(() => parseEntryBundle(bundle, 0)).toThrow(TlogError);
  expect(() => parseEntryBundle(bundle, 257)).toThrow(TlogError);
});

test('a bundle has 1 to 256 entries of at most 65,535 bytes', () => {
  expect(formatEntryBundle([new Uint8Array(MAX_ENTRY_BYTES)])).toHaveLength(2 + 65_535);
  expect(() => formatEntryBundle([new Uint8Array(MAX_ENTRY_BYTES + 1)])).toThrow('more than 65535 bytes');
  expect(() => formatEntryBundle([])).toThrow(TlogError);
  expect(() => formatEntryBundle(Array.from({ length: 257 }, () => new Uint8Array()))).toThrow(TlogError);
});
