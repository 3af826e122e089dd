import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { EvaluationError } from '../evaluate/evaluation-error.ts';
import type { ExplainedPart } from './explanation.ts';
import { noteOf, sourceOf } from './reasons.ts';
import { showValue } from './show-value.ts';
import type { Trace, TracePart } from './trace.ts';

/** The parts of a traced expression with their values. Stored decisions keep this field order. */
export function explainExpression(
  text: string,
  { result, trace }: { readonly result: boolean | EvaluationError; readonly trace: Trace },
  values: NamespaceValues,
): ExplainedPart {
  const { value: _, error: __, ...part } = explainPart({ trace }, text, values);
  const { text: own, span, ...rest } = part;
  // INVARIANT: a part has a value or an error. The whole can be an error although its tree has a value: the request lacks a namespace.
  return { text: own, span, ...outcomeOf(result), ...rest };
}

function explainPart({ trace, element, unasked }: TracePart, text: string, values: NamespaceValues): ExplainedPart {
  const { value, node } = trace;
  const note = node.kind === 'read' ? noteOf(trace, values) : undefined;
  const explained: Mutable<WithoutParts> = { text: sourceOf(trace, text), span: node.span };
  if (value instanceof EvaluationError) {
    Object.assign(explained, outcomeOf(value));
    if (node.type.kind === 'bool') explained.condition = true;
  } else if (value !== undefined) explained.value = showValue(value, node.type);
  if (note !== undefined) explained.note = note;
  if (element !== undefined) explained.element = showValue(element.value);
  if (unasked) explained.unasked = unasked;
  return Object.assign(explained, { parts: trace.parts.map((part) => explainPart(part, text, values)) });
}

type WithoutParts = Omit<ExplainedPart, 'parts'>;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function outcomeOf(result: boolean | EvaluationError): Pick<ExplainedPart, 'value' | 'error'> {
  return result instanceof EvaluationError
    ? { error: { code: result.code, message: result.message } }
    : { value: String(result) };
}
