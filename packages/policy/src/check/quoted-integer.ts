import { MAX_LITERAL, MIN_LITERAL } from '../syntax/number.ts';
import { t } from '../types.ts';
import type { CheckContext } from './context.ts';
import type { Typed } from './typed.ts';

/** An integer of 256 bits has up to 78 decimal digits. */
const decimal = /^(?:0|-?[1-9][0-9]{0,77})$/;
/** Longer hexadecimal texts are addresses and hashes, not amounts. */
const hexadecimal = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,31})$/;

/**
 * The integer of a quoted decimal. Undefined for any other text.
 * SECURITY: an integer has one such spelling, without leading zeros, so that no text becomes a number by accident.
 */
export function quotedDecimal(text: string): bigint | undefined {
  const value = decimal.test(text) ? BigInt(text) : undefined;
  return value !== undefined && value <= MAX_LITERAL && value >= MIN_LITERAL ? value : undefined;
}

/** The integer of a quoted literal that is compared with an integer: decimal, or hexadecimal with `0x`. */
function quotedInteger(text: string): bigint | undefined {
  return hexadecimal.test(text) ? BigInt(text) : quotedDecimal(text);
}

/** Converts a quoted integer to an integer, and records it for a warning. Other nodes are unchanged. */
export function unquoted(node: Typed, context: CheckContext): Typed {
  const value = node.kind === 'constant' && typeof node.value === 'string' ? quotedInteger(node.value) : undefined;
  if (value === undefined) return node;
  context.noteQuoted({ span: node.span, value });
  return { kind: 'constant', value, type: t.int, span: node.span };
}
