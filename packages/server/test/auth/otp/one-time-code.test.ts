import { describe, expect, test } from 'vitest';
import { canonicalCode, isShort, newCode } from '../../../src/auth/otp/one-time-code.ts';

describe('a new code', () => {
  test.each([
    [{ length: 9, alphanumeric: true }, /^[0-9A-HJKMNP-TV-Z]{9}$/],
    [{ length: 6, alphanumeric: false }, /^[0-9]{6}$/],
  ])('%j', (shape, pattern) => {
    for (let times = 0; times < 500; times++) expect(newCode(shape)).toMatch(pattern);
  });

  test('draws every character of its alphabet about equally often', () => {
    const drawn = Array.from({ length: 4000 }, () => newCode({ length: 8, alphanumeric: true })).join('');
    const counts = new Map<string, number>();
    for (const character of drawn) counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).toBe(32);
    // 1000 on average; seven standard deviations to each side.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(220);
  });

  test('is its own canonical form', () => {
    for (let times = 0; times < 200; times++) {
      const code = newCode({ length: 9, alphanumeric: true });
      expect(canonicalCode(code, true)).toBe(code);
    }
  });
});

test('a code is short where it could be found by trying: digits alone, or fewer than eight letters and digits', () => {
  for (const length of [6, 7, 8, 9]) expect([length, isShort({ length, alphanumeric: false })]).toEqual([length, true]);
  for (const length of [6, 7]) expect([length, isShort({ length, alphanumeric: true })]).toEqual([length, true]);
  for (const length of [8, 9]) expect([length, isShort({ length, alphanumeric: true })]).toEqual([length, false]);
});

test('letters that the alphabet leaves out are read as digits, except in a numeric code', () => {
  expect(canonicalCode('oOiIlLabc', true)).toBe('001111ABC');
  expect(canonicalCode('OOOOOO', false)).toBe('OOOOOO');
});
