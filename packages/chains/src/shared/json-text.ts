import { type ExactJsonValue, JsonError, readExactJson } from '@countersign/strict-json';

const MAX_DEPTH = 64;

/** Reads JSON text of at most `maxLength` characters that has exactly one meaning. For other texts it throws `refuse(reason)`. */
export function readJsonText(text: string, maxLength: number, refuse: (message: string) => Error): ExactJsonValue {
  try {
    // A value takes at least one character, so the length also bounds values and names.
    return readExactJson(text, { length: maxLength, depth: MAX_DEPTH, values: maxLength, names: maxLength });
  } catch (error) {
    if (error instanceof JsonError) throw refuse(`invalid JSON: ${error.message}`);
    throw error;
  }
}
