import { describe, expect, test } from 'vitest';
import { lookalikeKeys } from '../../src/shared/lookalikes.ts';

const alike = (one: string, other: string) => lookalikeKeys(one).some((key) => lookalikeKeys(other).includes(key));

describe('D458: names that look alike share a key', () => {
  test.each([
    ['Acme', '\u0410cme', 'a Cyrillic letter'],
    ['Acme', 'Acme\u200b', 'a space without width'],
    ['Acme', 'ACME', 'other case'],
    ['Acme', ' Acme ', 'spaces around'],
    ['Acme Ltd', 'Acme\u00a0Ltd', 'another space'],
    ['Acme', 'Ac\u00adme', 'a soft hyphen'],
    ['Acme', 'Ac\u034fme', 'a combining joiner'],
    ['Acme', '\u202eAcme', 'a change of direction'],
    ['Acme', '\uff21cme', 'a letter of full width'],
    ['Acme', '\u{1d400}cme', 'a mathematical letter'],
    ['USDC', '\uff35\uff33\uff24\uff23', 'letters of full width that TR39 does not list'],
    ['Acme', 'Acme\u2800', 'a Braille pattern without dots'],
    ['Office', 'O\ufb03ce', 'a ligature'],
    ['Acme', 'Acrne', 'r and n'],
    ['Bill', 'BiII', 'capital i'],
    ['Bill', 'Bi1l', 'digits'],
    ['0racle', 'Oracle', 'zero'],
    ['PAYPAL', '\u0440\u0430\u0443\u0440\u0430l', 'five Cyrillic letters'],
    ['Z\u00fcrich', 'Zu\u0308rich', 'a composed letter'],
  ])('%j and %j: %s', (one, other) => {
    expect(alike(one, other)).toBe(true);
  });

  test.each([
    ['Acme', 'Acne'],
    ['Acme', 'Acme 2'],
    ['Acme', 'Acm\u00e9'],
    ['M\u00fcller', 'Muller'],
    ['\u0411\u0430\u043d\u043a', 'Bank'],
  ])('%j and %j differ', (one, other) => {
    expect(alike(one, other)).toBe(false);
  });
});
