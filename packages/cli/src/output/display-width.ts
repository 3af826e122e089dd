const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Characters that a terminal shows two columns wide: East Asian wide forms (Unicode UAX 11) and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u;

/** Display width of a text on a terminal. */
export function displayWidth(text: string): number {
  // Fast path: most cells are ASCII.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Truncates a text to the given width, with an ellipsis. */
export function cutTo(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let result = '';
  let width = 1;
  for (const { segment } of graphemes.segment(text)) {
    width += displayWidth(segment);
    if (width > columns) break;
    result += segment;
  }
  return `${result}…`;
}

/** Pads a text with trailing spaces. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}
