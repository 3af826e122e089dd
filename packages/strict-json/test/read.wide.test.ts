import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonError, readWideJson } from '../src/index.ts';

describe('readWideJson', () => {
  test.each([
    ['18446744073709551615', 18446744073709551615n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740991', 9007199254740991],
    ['0.1', 0.1],
    ['1e3', 1000],
    ['0.12345678901234567890123', 0.12345678901234568],
  ])('%s', (text, value) => {
    expect(readWideJson(text)).toBe(value);
  });

  test('keeps every integer', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 200n), max: 2n ** 200n }), (integer) => {
        expect(BigInt(readWideJson(`${integer}`) as bigint)).toBe(integer);
      }),
    );
  });

  test.each(['1e999', '01', '1.', '{"a":1,"a":2}', '{"__proto__":1}', '[1] 2', `${'9'.repeat(65)}`])('rejects %s', (text) => {
    expect(() => readWideJson(text)).toThrow(JsonError);
  });
});
