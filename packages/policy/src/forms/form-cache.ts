import type { CheckOptions } from '../check/options.ts';
import type { Asks } from '../evaluate/compile.ts';
import { type CompiledExpression, compileExpression } from '../expression.ts';
import type { PolicyField } from '../value.ts';
import { type Form, formOf } from './form.ts';
import { literalAt, type Skeleton, skeletonOf } from './skeleton.ts';

/** How much text the forms have that one cache keeps. */
const MAX_CHARACTERS = 1_048_576;
/** How much is left when the oldest are forgotten: many at a time, because a map is slow to tell its oldest entry after deletions. */
const KEPT_CHARACTERS = MAX_CHARACTERS * 0.75;
/** What a form counts beside its text. */
const BASE_CHARACTERS = 256;

/** What is known of all texts with one skeleton. */
interface Shape {
  /** The places of literals that differ from form to form. Undefined while only one text was seen. */
  fixed: readonly number[] | undefined;
  /** Forms by the content of these literals. Undefined where one text of the form was seen, or where it has other holes. */
  readonly forms: Map<string, Form | undefined>;
  characters: number;
}

/**
 * Compiles expressions, most of them without parsing them: those of a large organization are few texts with other literals.
 * A form is made when its second text comes, so that texts of which there is only one cost little more than before.
 * SECURITY: what is kept is bounded, so that nobody fills the memory with forms. A form that was forgotten is made again.
 */
export class FormCache {
  readonly #options: CheckOptions;
  readonly #field: PolicyField;
  readonly #asks: Asks;
  readonly #shapes = new Map<string, Shape>();
  #characters = 0;

  /** What all expressions are compiled with. */
  constructor(field: PolicyField, options: CheckOptions, asks: Asks) {
    this.#field = field;
    this.#options = options;
    this.#asks = asks;
  }

  /** How much text the forms have, and what was seen once. */
  get characters(): number {
    return this.#characters;
  }

  /** The expression of a text whose form is known. */
  find(text: string): CompiledExpression | undefined {
    const skeleton = skeletonOf(text);
    const shape = skeleton && this.#shapes.get(skeleton.key);
    if (skeleton === undefined || shape?.fixed === undefined) return undefined;
    return shape.forms.get(fixedText(text, skeleton, shape.fixed))?.with(text);
  }

  /** What `compileExpression` gives. Learns the form of a text that it does not know. */
  compile(text: string): ReturnType<typeof compileExpression> {
    const known = this.find(text);
    if (known !== undefined) return { expression: known, diagnostics: [] };
    const compiled = compileExpression(text, this.#field, this.#options, this.#asks);
    if (compiled.expression !== undefined) this.#learn(compiled.expression);
    return compiled;
  }

  #learn(expression: CompiledExpression): void {
    const { text } = expression;
    const skeleton = skeletonOf(text);
    if (skeleton === undefined) return;
    const { key } = skeleton;
    const shape = this.#shapes.get(key);
    if (shape === undefined) {
      this.#shapes.set(key, { fixed: undefined, forms: new Map(), characters: 0 });
      this.#count(key, key.length);
      return;
    }
    const form = shape.fixed === undefined ? formOf(expression, skeleton.bounds, this.#options) : undefined;
    shape.fixed ??= form?.fixed ?? [];
    const content = fixedText(text, skeleton, shape.fixed);
    if (form === undefined && !shape.forms.has(content)) {
      shape.forms.set(content, undefined);
      // The content is a part of the text, and keeps it in memory.
      this.#count(key, text.length);
      return;
    }
    const made = form ?? formOf(expression, skeleton.bounds, this.#options);
    if (shape.forms.get(content) !== undefined || !isSame(made.fixed, shape.fixed)) return;
    shape.forms.set(content, made);
    this.#count(key, text.length);
  }

  #count(key: string, characters: number): void {
    const shape = this.#shapes.get(key);
    if (shape === undefined) return;
    shape.characters += characters + BASE_CHARACTERS;
    this.#characters += characters + BASE_CHARACTERS;
    if (this.#characters <= MAX_CHARACTERS) return;
    for (const [oldest, gone] of this.#shapes) {
      if (this.#characters <= KEPT_CHARACTERS) return;
      this.#shapes.delete(oldest);
      this.#characters -= gone.characters;
    }
  }
}

/** INVARIANT: the skeleton tells the length of each literal, so that no two lists of contents give the same text. */
function fixedText(text: string, { bounds }: Skeleton, fixed: readonly number[]): string {
  let content = '';
  for (const place of fixed) content += literalAt(text, bounds, place);
  return content;
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((each, place) => each === others[place]);
}
