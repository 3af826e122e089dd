import type { Span } from './span.ts';

/**
 * Characters that a comment must not contain: they end a line, change the direction of text or are invisible for a reader, but not for the
 * lexer. The list is fixed, so that a stored comment stays valid under every version of Unicode.
 * SECURITY: D393: a reader would take a comment for a clause, or a clause for a comment.
 */
const MISLEADING =
  /(?!\t)\p{Cc}|[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/u;

/** The comment that starts here. It ends before the end of the line. */
export function readComment(text: string, start: number): { readonly span: Span; readonly misleading?: Span } {
  const newline = text.indexOf('\n', start);
  const end = newline < 0 ? text.length : newline;
  const content = text.slice(start, newline > 0 && text[end - 1] === '\r' ? end - 1 : end);
  const found = MISLEADING.exec(content);
  const span = { start, end };
  if (found === null) return { span };
  const at = start + found.index;
  return { span, misleading: { start: at, end: at + found[0].length } };
}
