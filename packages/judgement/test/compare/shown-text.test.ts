import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quoteDifference, quoteText } from '../../src/compare/shown-text.ts';

describe('text of users in words of the service', () => {
  test.each([
    ['Acme "GmbH"', String.raw`"Acme \"GmbH\""`],
    ['a\\', String.raw`"a\\"`],
    ['two\nlines\r\n', String.raw`"two\nlines\r\n"`],
    ['\u202eevil\u2066', String.raw`"\u{202e}evil\u{2066}"`],
    ['zero\u200bwidth\u3164', String.raw`"zero\u{200b}width\u{3164}"`],
    ['a\u00a0b\u2028c', String.raw`"a\u{a0}b\u{2028}c"`],
    ['naïve Ünïcode 日本 👍', '"naïve Ünïcode 日本 👍"'],
    ['  two  spaces ', '"  two  spaces "'],
  ])('D495: %j', (text, shown) => {
    expect(quoteText(text)).toBe(shown);
  });

  test('D495: no text ends its quotation, has a second line or an invisible character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const shown = quoteText(text);
        expect(shown).toMatch(/^"(?:[^"\\]|\\["\\nrt]|\\u\{[0-9a-f]+\})*"$/);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });

  test('D495: different texts are shown differently', () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(fc.property(text, text, (a, b) => a === b || quoteText(a) !== quoteText(b)));
  });

  test('D495: a change at the end of a long text is shown, and what is cut is counted', () => {
    const start = 'x'.repeat(5_000);
    const [before, after] = quoteDifference(`${start}2`, `${start}1`);
    expect(before).toBe(`(after 4800 unchanged characters) "${'x'.repeat(200)}2"`);
    expect(after).toBe(`(after 4800 unchanged characters) "${'x'.repeat(200)}1"`);
    expect(quoteText('y'.repeat(2_001))).toBe(`"${'y'.repeat(2_000)}" (and 1 more characters)`);
    expect(quoteText('(after 4800 unchanged characters)')).toBe('"(after 4800 unchanged characters)"');
  });
});
