import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_REFERENCE, quotedReference, referenceProblem, referenceWords, requestReference } from '../src/index.ts';

const isTaken = (text: string) => requestReference.safeParse(text).success;

describe('references', () => {
  test.each([
    'INV-2041',
    'Invoice 2041, office chairs (3)',
    'Q3 bonus – Łódź €5',
    'फ़रवरी का किराया',
    'דמי שכירות',
    '請求書 12',
    'x'.repeat(140),
  ])('may be %s', (text) => {
    expect(referenceProblem(text)).toBeUndefined();
    expect(isTaken(text)).toBe(true);
  });

  test.each([
    ['empty', ''],
    ['blank', '   '],
    ['a space at the end', 'INV-1 '],
    ['a gap that pushes text away', 'INV-1  Approved'],
    ['too long', 'x'.repeat(MAX_REFERENCE + 1)],
    ['a line break', 'INV-1\nApproved by CFO'],
    ['a line separator', 'INV-1\u2028Approved'],
    ['a tab', 'INV\t1'],
    ['a right-to-left override', 'INV\u202e1402'],
    ['an isolate', 'INV\u20661402'],
    ['a zero-width space', 'INV\u200b1'],
    ['a soft hyphen', 'INV\u00ad1'],
    ['a no-break space', 'INV\u00a01'],
    ['a blank letter', 'INV\u3164'],
    ['blank braille', 'INV\u2800x'],
    ['a blank note', 'INV\u{1d159}x'],
    ['a blank filler', 'INV\u{16fe4}x'],
    ['a mark on the quotation before it', '\u0338INV'],
    ['a tag character', 'INV\u{e0041}'],
    ['half of a character', 'INV\ud800'],
    ['a private character', 'INV\ue000'],
    ['decomposed letters', 'Cafe\u0301'],
    ['stacked marks', `a${'\u0323\u0331\u0324\u0330\u032e'}`],
  ])('D968: cannot be %s', (_, text) => {
    expect(referenceProblem(text)).toMatch(/^must /);
    expect(isTaken(text)).toBe(false);
  });

  test('D968: contain no character that a terminal or a browser does not show', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (text) => {
        if (referenceProblem(text) === undefined) expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '"',
    '”',
    '„',
    '»',
    '〞',
    '❞',
    '″',
    'ˮ',
    '״',
    '\u{1f677}',
    "''",
    '’’',
    '＂',
    '﹄',
    'ʼʼ',
    'ʹʹ',
    '´´',
    '``',
    'ʻ',
    '׳׳',
    '՚՚',
    'ߴߴ',
    'ꞌꞌ',
    '῾῾',
  ])('D1031: nothing in a quoted reference ends the quotation: %s', (mark) => {
    expect(quotedReference(`INV-1${mark} Approved by the CFO`)).toBe("“INV-1' Approved by the CFO”");
  });

  test('have words without regard to case', () => {
    expect(referenceWords('  Invoice INV-2041 invoice ')).toEqual(['invoice', 'inv-2041']);
    expect(referenceWords('')).toEqual([]);
  });
});
