import type { NamespaceValues } from '../evaluate/evaluation.ts';
import { Fault } from '../evaluate/fault.ts';
import type { CompiledExpression } from '../expression.ts';
import type { ExplainedPart } from './explanation.ts';
import { jsonList, jsonWith } from './json-with.ts';
import { keepPart, lastPart } from './last-parts.ts';
import { noteOf, sourceOf } from './reasons.ts';
import { showValue } from './show-value.ts';
import type { Trace, TracePart } from './trace.ts';

/** The JSON of parts that were given again, from when it is first asked for. Others are gone with their request. */
const texts = new WeakMap<ExplainedPart, { text: string | undefined }>();

/**
 * The parts of a traced expression with their values. `isUsual`: a policy that allows something mostly allows the next for the same reasons,
 * and parts with the same values are then given again. They are compared by what is shown, so nothing of a request is kept but that.
 */
export function explainExpression(
  expression: CompiledExpression,
  { result, trace }: { readonly result: boolean | Fault; readonly trace: Trace },
  values: NamespaceValues,
  isUsual: boolean,
): ExplainedPart {
  const isKept = isUsual && result === true && trace.value === true;
  const before = isKept ? lastPart(expression) : undefined;
  const part = explainPart({ trace }, expression.text, values, before);
  if (!isKept) return Object.assign(part, outcomeOf(result));
  if (part !== before) keepPart(expression, part);
  return part;
}

function explainPart(
  { trace, element, unasked }: TracePart,
  text: string,
  values: NamespaceValues,
  last: ExplainedPart | undefined,
): ExplainedPart {
  const { value, node } = trace;
  const before = last?.span === node.span && last.error === undefined ? last : undefined;
  const shown = value === undefined || value instanceof Fault ? undefined : showValue(value, node.type);
  const note = node.kind === 'read' ? noteOf(trace, values) : undefined;
  const of = element && showValue(element.value);
  let isSame =
    before !== undefined &&
    before.value === shown &&
    before.note === note &&
    before.element === of &&
    before.unasked === unasked &&
    before.parts.length === trace.parts.length &&
    !(value instanceof Fault);
  const parts: ExplainedPart[] = [];
  for (const part of trace.parts) {
    const earlier = before?.parts[parts.length];
    const explained = explainPart(part, text, values, earlier);
    if (explained !== earlier) isSame = false;
    parts.push(explained);
  }
  if (before !== undefined && isSame) {
    if (!texts.has(before)) texts.set(before, { text: undefined });
    return before;
  }
  const explained: Unfinished = { text: before?.text ?? sourceOf(trace, text), span: node.span };
  if (shown !== undefined) explained.value = shown;
  if (value instanceof Fault) {
    Object.assign(explained, outcomeOf(value));
    if (node.type.kind === 'bool') explained.condition = true;
  }
  if (note !== undefined) explained.note = note;
  if (of !== undefined) explained.element = of;
  if (unasked) explained.unasked = unasked;
  return Object.assign(explained, { parts });
}

type WithoutParts = Omit<ExplainedPart, 'parts'>;
type Unfinished = { -readonly [K in keyof WithoutParts]: WithoutParts[K] };

function outcomeOf(result: boolean | Fault): Pick<ExplainedPart, 'value' | 'error'> {
  return result instanceof Fault ? { error: { code: result.code, message: result.message } } : { value: String(result) };
}

/** The JSON of a part, exactly as JSON.stringify gives it. What was given again is not written again. */
export function partText(part: ExplainedPart): string {
  const known = texts.get(part);
  if (known?.text !== undefined) return known.text;
  const text = jsonWith(part, writers);
  if (known !== undefined) known.text = text;
  return text;
}

const writers = { parts: (parts: readonly ExplainedPart[]) => jsonList(parts, partText) };
