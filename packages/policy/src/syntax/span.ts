/** A half-open range of UTF-16 code units in the source text of one expression. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The smallest span that covers both. */
export function joinSpans(first: Span, last: Span): Span {
  return { start: first.start, end: last.end };
}
