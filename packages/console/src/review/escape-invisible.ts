/** Control and format characters, line separators and blank letters, except line feeds and tabs. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/**
 * Escapes invisible characters in text of others.
 * SECURITY: D211: some of these characters reverse the following text, so that a person would read another amount, address or policy than
 * their passkey signs.
 */
export function escapeInvisible(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}
