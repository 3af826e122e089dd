const mark = '\u0001';
const nul = '\u0000';

/**
 * Text as PostgreSQL can hold it: it refuses the NUL character, so NUL becomes U+0001 "0" and U+0001 itself U+0001 "1".
 * JSON text never holds either, so bodies are stored as they are.
 */
export function toStored(text: string): string {
  if (!text.includes(nul) && !text.includes(mark)) return text;
  return text.replaceAll(mark, `${mark}1`).replaceAll(nul, `${mark}0`);
}

/** The text that `toStored` was given. */
export function fromStored(stored: string): string {
  if (!stored.includes(mark)) return stored;
  return stored.replaceAll(`${mark}0`, nul).replaceAll(`${mark}1`, mark);
}
