/** Characters without a glyph, line separators and blank letters, except line feeds, tabs, and what selects the style of an emoji. */
const unseen =
  /(?![\n\t]|(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Escapes invisible characters in text of others.
 * SECURITY: D211: some of these characters reverse the following text, so that a person would read another amount, address or policy than
 * their passkey signs. Others make two names look the same.
 */
export function escapeInvisible(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}
