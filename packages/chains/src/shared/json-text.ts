import { type ExactJsonValue, JsonFault, readExactJson } from '@countersign/strict-json';

const MAX_DEPTH = 64;

/** Reads JSON text of at most `maxLength` characters that has exactly one meaning. `refuse` makes the error for any other text. */
export function readJsonText(text: string, maxLength: number, refuse: (message: string) => Error): ExactJsonValue {
  try {
    // A value takes at least one character, so the length bounds values and names too.
    return readExactJson(text, { length: maxLength, depth: MAX_DEPTH, values: maxLength, names: maxLength });
  } catch (fault) {
    if (fault instanceof JsonFault) throw refuse(`invalid JSON: ${fault.message}`);
    throw fault;
  }
}
