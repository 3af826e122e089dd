/** The most characters of a reference. */
export const MAX_REFERENCE = 140;

/** Characters that people do not see, or that reorder others: all of Unicode categories C and Z except the space, and blank letters. */
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u;
/** A mark on what stands before the text, or more than letters of any living script have: they would cover the lines above and below. */
const STACKED_MARKS = /^\p{M}|\p{M}{5}/u;

/**
 * Why a text is not a reference. Undefined if it is one.
 * SECURITY: D968: approvers read this text of the requester. It is one line, and every character in it is seen, in its place.
 */
export function referenceProblem(text: string): string | undefined {
  if (text.length > MAX_REFERENCE) return `must have at most ${MAX_REFERENCE} characters`;
  if (UNSEEN.test(text)) return 'must not contain line breaks, control characters or invisible characters';
  if (text.trim() !== text || text === '' || text.includes('  '))
    return 'must not be blank, begin or end with a space, or contain two spaces in a row';
  if (text.normalize('NFC') !== text) return 'must be in Unicode normalization form C';
  if (STACKED_MARKS.test(text)) return 'must not begin with a mark, or have more than four on one letter';
  return undefined;
}

/** Quotation marks, and what looks like one, in any number. Two single marks look like a double one. */
const QUOTES =
  /[\p{Quotation_Mark}`\u00b4\u02b9-\u02bf\u02c8\u02ca\u02cb\u02d9\u02dd\u02ee\u02f4\u0384\u0559-\u055b\u055d\u05f3\u05f4\u07f4\u07f5\u144a\u16cc\u1cd3\u1fbd\u1fbf\u1ffe\u2032-\u2037\u2057\u275b-\u2760\u3003\ua78b\ua78c\uff40\u{16f51}\u{16f52}\u{1f676}-\u{1f678}]+/gu;

/**
 * A reference between quotation marks, for a place where other words stand on the same line.
 * SECURITY: D1031: nothing in it looks like the end of the quotation.
 */
export function quotedReference(text: string): string {
  return `“${text.replace(QUOTES, "'")}”`;
}

/** The words of a reference, as searches compare them. */
export function referenceWords(text: string): readonly string[] {
  return [
    ...new Set(
      text
        .normalize('NFC')
        .toLowerCase()
        .split(/\s+/u)
        .filter((word) => word !== ''),
    ),
  ];
}
