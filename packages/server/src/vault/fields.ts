/**
 * One text for a list of texts, so that no two lists give the same: each is preceded by its length in UTF-16 units.
 * SECURITY: whatever is authenticated (associated data, MAC input) is encoded with this. Begin with a label that is used nowhere else.
 */
export function encodeFields(...fields: readonly string[]): string {
  let text = '';
  for (const field of fields) text += `${field.length}:${field}`;
  return text;
}
