/**
 * Joins texts so that no two lists give the same result: each text follows its length in UTF-16 units.
 * SECURITY: encode all authenticated data (associated data, MAC input) with this. Begin with a label that is used nowhere else.
 */
export function encodeFields(...fields: readonly string[]): string {
  let text = '';
  for (const field of fields) text += `${field.length}:${field}`;
  return text;
}
