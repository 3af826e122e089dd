const mark = '\u0001';
const nul = '\u0000';

/**
 * Encodes text for PostgreSQL, which rejects NUL: NUL becomes U+0001 "0", and U+0001 itself becomes U+0001 "1".
 * JSON text never contains either, so bodies are stored unchanged.
 */
export function toStored(text: string): string {
  if (!text.includes(nul) && !text.includes(mark)) return text;
  return text.replaceAll(mark, `${mark}1`).replaceAll(nul, `${mark}0`);
}

/** Reverses `toStored`. */
export function fromStored(stored: string): string {
  if (!stored.includes(mark)) return stored;
  return stored.replaceAll(`${mark}0`, nul).replaceAll(`${mark}1`, mark);
}
