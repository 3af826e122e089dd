import type { CompiledExpression } from '../expression.ts';
import type { ExplainedPart } from './explanation.ts';

/** How much text an expression and its explanation may have to be kept. */
const MAX_EXPRESSION = 1_024;
const MAX_EXPLANATION = 4_096;
/** So many expressions are kept, and as many of those that were asked for before them. */
const MAX_RECENT = 1_024;
/**
 * So many parts are kept of them, and as many of those before them. With their JSON they stay below 60 MB.
 * SECURITY: a part of a few characters takes 0.7 KB, so the length of texts is no bound: 2,000 expressions of 150 short parts took 220 MB,
 * and whoever may write policies could have them kept.
 */
const MAX_PARTS = 16_384;

let recent = new WeakMap<CompiledExpression, ExplainedPart>();
let earlier = new WeakMap<CompiledExpression, ExplainedPart>();
let count = 0;
let parts = 0;

/** What an expression was explained with last, if that is kept. */
export function lastPart(expression: CompiledExpression): ExplainedPart | undefined {
  const known = recent.get(expression);
  if (known !== undefined) return known;
  const old = earlier.get(expression);
  if (old !== undefined) remember(expression, old, sizeOf(old).parts);
  return old;
}

/** Keeps what an expression was explained with, in the place of what is kept of it. */
export function keepPart(expression: CompiledExpression, part: ExplainedPart): void {
  if (expression.text.length > MAX_EXPRESSION) return;
  const size = sizeOf(part);
  if (size.characters > MAX_EXPLANATION) return;
  const before = recent.get(expression);
  // What is explained for each element of a list may have grown.
  const more = before === undefined ? size.parts : size.parts - sizeOf(before).parts;
  if (before === undefined || parts + more > MAX_PARTS) remember(expression, part, size.parts);
  else {
    parts += more;
    recent.set(expression, part);
  }
}

/** Whoever makes others forget makes them explain as they would without this. */
function remember(expression: CompiledExpression, part: ExplainedPart, more: number): void {
  if (count === MAX_RECENT || parts + more > MAX_PARTS) {
    [earlier, recent] = [recent, new WeakMap()];
    count = 0;
    parts = 0;
  }
  recent.set(expression, part);
  count += 1;
  parts += more;
}

interface Size {
  characters: number;
  parts: number;
}

function sizeOf(part: ExplainedPart, size: Size = { characters: 0, parts: 0 }): Size {
  const { text, value = '', note = '', element = '' } = part;
  size.characters += text.length + value.length + note.length + element.length;
  size.parts += 1;
  for (const each of part.parts) sizeOf(each, size);
  return size;
}
