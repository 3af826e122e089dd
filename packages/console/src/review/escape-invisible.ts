/** Control and format characters, separators of lines, and letters that are blank. Lines and tabs of a text stay. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/**
 * Text that somebody else has written, with every character spelled out that would show nothing.
 * SECURITY: D211: some of these turn the order of what follows around, so that a person reads another amount, address or rule than the
 * one that their passkey signs.
 */
export function escapeInvisible(text: string): string {
  return text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}
