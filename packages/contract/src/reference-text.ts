/** The most characters of a reference. */
export const MAX_REFERENCE = 140;

/** Characters that people do not see, or that reorder others: all of Unicode categories C and Z except the space, and blank letters. */
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** More marks than letters of any living script have. They would cover the lines above and below. */
const STACKED_MARKS = /\p{M}{5}/u;

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
  if (STACKED_MARKS.test(text)) return 'must not have more than four marks on one letter';
  return undefined;
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
