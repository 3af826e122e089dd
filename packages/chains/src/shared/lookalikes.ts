import unhomoglyph from 'unhomoglyph';

/**
 * Keys of a name: two names that share a key look alike to people. A name has several because case changes what looks alike: `I` looks
 * like `l` and `i` does not, `m` looks like `rn` and `M` does not.
 */
export function lookalikeKeys(name: string): readonly string[] {
  // TR39 leaves letters of full width and similar forms to this normalization.
  const text = name.normalize('NFKC').replace(BLANKS, ' ').trim();
  return [...new Set([text, text.toLowerCase(), text.toUpperCase()].map((each) => skeleton(each).toLowerCase()))];
}

/** White space, and the Braille pattern without dots, which looks like it. */
const BLANKS = /[\s\u2800]+/gu;

/** Unicode TR39 section 4: the skeleton of a text. Characters that are not displayed do not count. */
function skeleton(text: string): string {
  const visible = text.normalize('NFD').replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu, '');
  return unhomoglyph(visible).normalize('NFD');
}
