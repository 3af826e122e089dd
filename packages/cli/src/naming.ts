/** `signRawPayload` → `sign-raw-payload`, the spelling of commands and flags. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The common beginning of an enumeration's values, up to an underscore: `PAYLOAD_ENCODING_`. Empty if they share nothing. */
export function commonPrefix(values: readonly string[]): string {
  const [first = '', ...others] = values;
  const words = first.split('_');
  // A single value shares everything with itself, so keep its last word.
  for (let count = words.length - 1; count > 0; count -= 1) {
    const prefix = `${words.slice(0, count).join('_')}_`;
    if (others.every((value) => value.startsWith(prefix))) return prefix;
  }
  return '';
}

/** `PAYLOAD_ENCODING_TEXT_UTF8` without its prefix → `text-utf8`. */
export function shortValue(value: string, prefix: string): string {
  return value.slice(prefix.length).toLowerCase().replaceAll('_', '-');
}

/** The value that a short or full spelling means, in any case, with `-` or `_`. */
export function expandValue(given: string, values: readonly string[]): string | undefined {
  const wanted = given.toUpperCase().replaceAll('-', '_');
  const prefix = commonPrefix(values);
  return values.find((value) => value.toUpperCase() === wanted || value.slice(prefix.length).toUpperCase() === wanted);
}
