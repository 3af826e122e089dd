/** `signRawPayload` → `sign-raw-payload`, as commands and flags are spelled. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** What all values of an enumeration begin with, up to an underscore: `PAYLOAD_ENCODING_`. Empty where they share nothing. */
export function commonPrefix(values: readonly string[]): string {
  const [first = '', ...others] = values;
  const words = first.split('_');
  // One value alone shares everything with itself: its last word is what tells it apart.
  for (let count = words.length - 1; count > 0; count -= 1) {
    const prefix = `${words.slice(0, count).join('_')}_`;
    if (others.every((value) => value.startsWith(prefix))) return prefix;
  }
  return '';
}

/** `PAYLOAD_ENCODING_TEXT_UTF8` behind its prefix → `text-utf8`. */
export function shortValue(value: string, prefix: string): string {
  return value.slice(prefix.length).toLowerCase().replaceAll('_', '-');
}

/** The value of the enumeration that a person means by a short or a full spelling, in any case, with `-` or `_`. */
export function expandValue(given: string, values: readonly string[]): string | undefined {
  const wanted = given.toUpperCase().replaceAll('-', '_');
  const prefix = commonPrefix(values);
  return values.find((value) => value.toUpperCase() === wanted || value.slice(prefix.length).toUpperCase() === wanted);
}
