import { invalidField } from '../../wire/refuse.ts';

/**
 * Reads exact origins. `field` returns the path of the origin at an index.
 * SECURITY: origins are compared as strings later, so an origin that is not in canonical form would never match, or would mislead.
 */
export function readOrigins(origins: readonly string[], field: (index: number) => string): readonly string[] {
  for (const [index, origin] of origins.entries()) {
    if (!isExactOrigin(origin))
      throw invalidField(
        field(index),
        'must be an exact origin such as https://app.example.com, without a path or a trailing slash',
      );
    if (origins.indexOf(origin) !== index) throw invalidField(field(index), 'repeats an origin of this list');
  }
  return origins;
}

/** Browsers offer passkeys on https, and on http for localhost. */
function isExactOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  // A star would look like a pattern, and a comma would split the stored list of origins.
  if (origin !== text || !/^[a-z0-9.-]*[a-z0-9]$/.test(hostname)) return false;
  return protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
}
