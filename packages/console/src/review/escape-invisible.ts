/**
 * Characters without a glyph, separators and blank letters, except spaces, line feeds, tabs, and what changes how an emoji is drawn: the selector of
 * the style that it does not have by default.
 */
const unseen =
  /(?![ \n\t]|(?<=(?!\p{Emoji_Presentation})\p{Extended_Pictographic})\ufe0f|(?<=\p{Emoji_Presentation})\ufe0e)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/**
 * Escapes invisible characters in text of others.
 * SECURITY: D211: some of these characters reverse the following text, so that a person would read another amount, address or policy than
 * their passkey signs. Others make two names look the same.
 */
export function escapeInvisible(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}
