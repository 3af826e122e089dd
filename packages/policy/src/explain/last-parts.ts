import type { CompiledExpression } from '../expression.ts';
import type { ExplainedPart } from './explanation.ts';

/** How much text an expression and its explanation may have to be kept. With the JSON of it, all that is kept stays below 60 MB. */
const MAX_EXPRESSION = 1_024;
const MAX_EXPLANATION = 4_096;
/** So many expressions are kept, and as many of those that were asked for before them. */
const MAX_RECENT = 1_024;

let recent = new WeakMap<CompiledExpression, ExplainedPart>();
let earlier = new WeakMap<CompiledExpression, ExplainedPart>();
let count = 0;

/** What an expression was explained with last, if that is kept. */
export function lastPart(expression: CompiledExpression): ExplainedPart | undefined {
  const known = recent.get(expression);
  if (known !== undefined) return known;
  const old = earlier.get(expression);
  if (old !== undefined) remember(expression, old);
  return old;
}

/** Keeps what an expression was explained with, in the place of what is kept of it. */
export function keepPart(expression: CompiledExpression, part: ExplainedPart): void {
  if (expression.text.length > MAX_EXPRESSION || charactersOf(part) > MAX_EXPLANATION) return;
  if (recent.has(expression)) recent.set(expression, part);
  else remember(expression, part);
}

/** Whoever makes others forget makes them explain as they would without this. */
function remember(expression: CompiledExpression, part: ExplainedPart): void {
  if (count === MAX_RECENT) {
    [earlier, recent] = [recent, new WeakMap()];
    count = 0;
  }
  recent.set(expression, part);
  count += 1;
}

function charactersOf({ text, value = '', note = '', element = '', parts }: ExplainedPart): number {
  let characters = text.length + value.length + note.length + element.length;
  for (const part of parts) characters += charactersOf(part);
  return characters;
}
