import type { Span } from '../syntax/span.ts';
import { isList, isMap, isRecord, type PolicyValue, recordField } from '../value.ts';
import { type Evaluation, spend } from './evaluation.ts';
import { EvaluationError } from './evaluation-error.ts';

/** `base[index]`: an element by position, one character of a text, or a value of a map by key. */
export function indexValue(
  base: PolicyValue,
  index: PolicyValue,
  span: Span,
  evaluation: Evaluation,
): PolicyValue | EvaluationError {
  if (typeof index === 'string') {
    const found = isMap(base) ? (base.get(index) ?? undefined) : isRecord(base) ? recordField(base, index) : undefined;
    if (found !== undefined) return found;
    if (typeof base === 'object' && !isList(base))
      return new EvaluationError('MISSING_KEY', span, 'the map does not have this key');
    return new EvaluationError('TYPE_MISMATCH', span, 'only a map has keys');
  }
  if (typeof index !== 'bigint') return new EvaluationError('TYPE_MISMATCH', span, 'an index is an int or a key');
  const position = toPosition(index);
  if (isList(base)) return base[position] ?? outOfRange(base.length, span);
  if (typeof base !== 'string') return new EvaluationError('TYPE_MISMATCH', span, 'only a list or a text has positions');
  if (position < 0 || position >= base.length) return outOfRange(base.length, span);
  return spend(evaluation, position >> 5, span) ?? characters(base, position + 1)[position] ?? outOfRange(base.length, span);
}

/** `base[from..to]`, end-exclusive, of a list or a text. A bound beyond the end is an error. Nothing is truncated silently. */
export function sliceValue(
  base: PolicyValue,
  from: PolicyValue,
  to: PolicyValue,
  span: Span,
  evaluation: Evaluation,
): PolicyValue | EvaluationError {
  if (typeof from !== 'bigint' || typeof to !== 'bigint')
    return new EvaluationError('TYPE_MISMATCH', span, 'the bounds of a slice are ints');
  const [start, end] = [toPosition(from), toPosition(to)];
  if (!isList(base) && typeof base !== 'string')
    return new EvaluationError('TYPE_MISMATCH', span, 'only a list or a text can be sliced');
  if (start < 0 || end < start || end > base.length) return outOfRange(base.length, span);
  const limit = spend(evaluation, end >> 5, span);
  if (limit !== undefined) return limit;
  if (isList(base)) return base.slice(start, end);
  const text = characters(base, end);
  if (typeof text === 'string') return text.slice(start, end);
  return text.length < end ? outOfRange(text.length, span) : text.slice(start, end).join('');
}

/** Converts a position to a number. All positions beyond the longest list or text are equal. -1 represents all negative positions. */
function toPosition(index: bigint): number {
  return index < 0n ? -1 : index > 0xffff_ffffn ? 0xffff_ffff : Number(index);
}

/**
 * The characters of a text, at least the first `count`. Positions are Unicode code points. A text without surrogates, such as hex, can be
 * indexed directly.
 */
function characters(text: string, count: number): string | readonly string[] {
  const head = text.slice(0, count * 2);
  return /[\ud800-\udfff]/.test(head) ? [...head].slice(0, count) : text;
}

function outOfRange(length: number, span: Span): EvaluationError {
  return new EvaluationError('INDEX_OUT_OF_RANGE', span, `there are only ${length} elements`);
}
