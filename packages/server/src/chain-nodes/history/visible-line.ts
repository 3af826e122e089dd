/** Characters that people do not see, or that reorder others. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]+/gu;
/** More marks on a letter than any living script has. They would cover the lines above and below. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/**
 * A text of strangers as one line of visible characters, cut to a length.
 * SECURITY: D934: anybody can write it, for less than a cent.
 */
export function visibleLine(text: string, maxLength: number): string {
  // Cut before the expressions run, so that a long text costs no more than a short one.
  const line = text
    .slice(0, maxLength * 4)
    .replace(UNSEEN, ' ')
    .replace(STACKED_MARKS, '$1')
    .trim();
  const characters = Array.from(line);
  const isCut = characters.length > maxLength || text.length > maxLength * 4;
  return isCut ? `${characters.slice(0, maxLength - 1).join('')}…` : line;
}
