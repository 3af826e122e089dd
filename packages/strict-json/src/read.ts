import { JsonError, type JsonUnit } from './json-error.ts';
import { defaultJsonLimits, type JsonLimits } from './limits.ts';
import { ExactReader, PlainReader, WideReader } from './reader.ts';
import type { ExactJsonValue, JsonValue, WideJsonValue } from './value.ts';

/**
 * Reads one JSON text (RFC 8259) from its bytes or from a string. Throws a `JsonError` for any text that two readers could read
 * differently: bytes that are not UTF-8, a byte order mark, a name given twice (however it is escaped), names that reach an
 * object's prototype, half of a surrogate pair, numbers that cannot be kept exactly, anything after the value, and more than the
 * limits. A text that is accepted has the value that JSON.parse gives.
 * SECURITY: no error quotes the text, so a secret in the text does not reach a log or a response.
 */
export function readStrictJson(source: Uint8Array | string, limits: JsonLimits = defaultJsonLimits): JsonValue {
  const { text, unit } = open(source, limits);
  return new PlainReader(text, unit, limits).whole();
}

/**
 * Reads like `readStrictJson`, for values that are hashed or signed: numbers are integers from -(2^53 - 1) to 2^53 - 1, as bigint,
 * and fractions and exponents are refused. Objects are Maps, so every name is accepted, `__proto__` too.
 * The error quotes a name that is given twice: not for texts that may hold a secret.
 */
export function readExactJson(source: Uint8Array | string, limits: JsonLimits = defaultJsonLimits): ExactJsonValue {
  const { text, unit } = open(source, limits);
  return new ExactReader(text, unit, limits).whole();
}

/**
 * Reads like `readStrictJson`, for answers of programs that send integers of 64 bits as numbers: those that a double cannot hold are
 * bigints, and a fraction is the nearest double. Not for texts that are hashed or signed.
 */
export function readWideJson(source: Uint8Array | string, limits: JsonLimits = defaultJsonLimits): WideJsonValue {
  const { text, unit } = open(source, limits);
  return new WideReader(text, unit, limits).whole();
}

// Without ignoreBOM the decoder would drop a byte order mark in silence.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text to read and the unit it was given in. INVARIANT: the text has no byte order mark and no half of a surrogate pair. */
function open(source: Uint8Array | string, limits: JsonLimits): { readonly text: string; readonly unit: JsonUnit } {
  const unit = typeof source === 'string' ? 'character' : 'byte';
  if (limits.length !== undefined && source.length > limits.length)
    throw new JsonError(`the text is longer than ${limits.length} ${unit}s`, limits.length, unit);
  const text = typeof source === 'string' ? wellFormed(source) : decode(source);
  if (text.charCodeAt(0) === 0xfeff) throw new JsonError('the text begins with a byte order mark', 0, unit);
  return { text, unit };
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    // The decoder throws for nothing else, and does not say where.
    throw new JsonError('the text is not valid UTF-8', 0, 'byte');
  }
}

/** The string itself, unless it holds half of a surrogate pair. Bytes that are valid UTF-8 cannot; a string can. */
function wellFormed(text: string): string {
  // With the u flag, \p{Surrogate} matches only a surrogate that has no partner.
  const index = text.search(/\p{Surrogate}/u);
  if (index >= 0) throw new JsonError('this character is half of a surrogate pair', index, 'character');
  return text;
}
