import type { CheckContext } from '../check/context.ts';
import { prefixOf } from '../check/prefix.ts';
import type { ApplyNode, Typed } from '../check/typed.ts';
import { mismatch } from '../evaluate/raise.ts';
import type { Span } from '../syntax/span.ts';
import { t } from '../types.ts';
import type { PolicyValue } from '../value.ts';

/** One method of texts. Its argument is a literal, so that mistakes are reported when the policy is created. */
export interface TextMethod {
  readonly name: string;
  readonly signature: string;
  readonly doc: string;
  /** An expression that uses it, for the reference. A test compiles it. */
  readonly example: string;
  readonly knownElsewhereAs: readonly string[];
  /** The node of one call. Undefined if a diagnostic was reported. */
  readonly check: (text: Typed, argument: Typed & { kind: 'constant' }, span: Span, context: CheckContext) => Typed | undefined;
}

/**
 * `text.startsWith('…')`
 * INVARIANT: it compares only a beginning, so no guard takes it for a demand, and every value of an attribute that it reads is trusted.
 */
const startsWith: TextMethod = Object.freeze({
  name: 'startsWith',
  signature: "text.startsWith('…')",
  doc: 'Whether the text begins with the literal.',
  example: "eth.tx.data.startsWith('0xa9059cbb')",
  knownElsewhereAs: ['starts_with', 'hasPrefix', 'beginsWith', 'startswith'],
  check: (text, argument, span, context) => {
    const prefix = prefixOf(argument, text.type, context);
    if (prefix === undefined) return undefined;
    const literal: Typed = { ...argument, value: prefix };
    const apply = ([value]: readonly PolicyValue[]) =>
      typeof value === 'string' ? value.startsWith(prefix) : mismatch('string', value as PolicyValue, span);
    // The literal is an operand, so that analyses see it.
    return { kind: 'apply', operands: [text, literal], reads: [], apply, type: t.bool, span } satisfies ApplyNode;
  },
} satisfies TextMethod);

/** Every method of texts, by name. Add new methods here. */
export const textMethods: ReadonlyMap<string, TextMethod> = new Map([startsWith].map((method) => [method.name, method]));

/** The method that has this name in another language. */
export function textMethodKnownAs(foreign: string): TextMethod | undefined {
  return [...textMethods.values()].find(({ knownElsewhereAs }) => knownElsewhereAs.includes(foreign));
}
