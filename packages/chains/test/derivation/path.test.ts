import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChainError, formatPath, HARDENED_OFFSET, MAX_PATH_DEPTH, parsePath, requirePathForCurve } from '../../src/index.ts';

const H = HARDENED_OFFSET;

describe('parsePath', () => {
  test.each([
    ['m', []],
    ['m/0', [0]],
    ["m/44'/60'/0'/0/0", [44 + H, 60 + H, H, 0, 0]],
    ["m/2147483647'/2147483647", [0xffff_ffff, 0x7fff_ffff]],
    [`m${'/1'.repeat(10)}`, Array(10).fill(1)],
  ])('%s', (text, indexes) => {
    expect(parsePath(text)).toEqual(indexes);
    expect(formatPath(parsePath(text))).toBe(text);
  });

  test.each([
    ['', 'must begin with "m"'],
    ['/', 'must begin with "m"'],
    ['0/1', 'must begin with "m"'],
    ["44'/60'", 'must begin with "m"'],
    ['M/0', 'must begin with "m"'],
    [' m/0', 'must begin with "m"'],
    ['n/0', 'must begin with "m"'],
    ['m/', 'level 1'],
    ['m//0', 'level 1'],
    ['m/0/', 'level 2'],
    ['m/0h', 'level 1'],
    ['m/0H', 'level 1'],
    ["m/0''", 'level 1'],
    ['m/0’', 'level 1'],
    ["m/'", 'level 1'],
    ['m/00', 'level 1'],
    ["m/044'", 'level 1'],
    ['m/+1', 'level 1'],
    ['m/-1', 'level 1'],
    ['m/1.0', 'level 1'],
    ['m/1e3', 'level 1'],
    ['m/0x1', 'level 1'],
    ['m/1 ', 'level 1'],
    ['m/1\n', 'level 1'],
    ['m/١', 'level 1'],
    ['m/2147483648', 'must be below 2^31'],
    ["m/0/2147483648'", 'level 2'],
    ['m/9999999999', 'must be below 2^31'],
    ['m/99999999999999999999', 'level 1'],
    [`m${'/1'.repeat(11)}`, 'at most 10 levels'],
    [`m${'/1'.repeat(100_000)}`, 'at most 10 levels'],
  ])('refuses %j', (text, message) => {
    expect(() => parsePath(text)).toThrow(ChainError);
    expect(() => parsePath(text)).toThrow(message);
    expect(() => parsePath(text)).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
  });

  test('P2: any text that is read is the text that is written', () => {
    const segment = fc.oneof(
      fc.nat({ max: 3_000_000_000 }).map(String),
      fc.constantFrom('', '0', '00', "'", '1h', "2147483647'"),
    );
    const text = fc.array(segment, { maxLength: 12 }).map((segments) => ['m', ...segments].join('/'));
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (path) => {
        let indexes: number[];
        try {
          indexes = parsePath(path);
        } catch (error) {
          expect(error).toBeInstanceOf(ChainError);
          return;
        }
        expect(formatPath(indexes)).toBe(path);
      }),
    );
  });
});

describe('formatPath', () => {
  test('is read back as the same indexes', () => {
    const index = fc.integer({ min: 0, max: 0xffff_ffff });
    fc.assert(
      fc.property(fc.array(index, { maxLength: MAX_PATH_DEPTH }), (indexes) => {
        expect(parsePath(formatPath(indexes))).toEqual(indexes);
      }),
    );
  });

  test.each([[[-1]], [[2 ** 32]], [[0.5]], [[Number.NaN]], [Array(11).fill(0)]])('refuses %j', (indexes) => {
    expect(() => formatPath(indexes)).toThrow(expect.objectContaining({ code: 'INVALID_PATH' }));
  });
});

describe('requirePathForCurve', () => {
  test('ed25519 has hardened levels only', () => {
    expect(() => requirePathForCurve(parsePath("m/44'/501'/0'/0'"), 'CURVE_ED25519')).not.toThrow();
    expect(() => requirePathForCurve(parsePath("m/44'/501'/0'/0"), 'CURVE_ED25519')).toThrow(
      'every level of a CURVE_ED25519 path must be hardened ("\'"), level 4 is not',
    );
  });

  test.each(['CURVE_SECP256K1', 'CURVE_P256'] as const)('%s takes both kinds', (curve) => {
    expect(() => requirePathForCurve(parsePath("m/44'/0"), curve)).not.toThrow();
  });
});
