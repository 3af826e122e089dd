/** `signRawPayload` → `sign-raw-payload`, the spelling of commands and flags. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Common prefix of an enumeration's values, up to an underscore: `PAYLOAD_ENCODING_`. Empty without a common prefix. */
export function commonPrefix(values: readonly string[]): string {
  const [first = '', ...others] = values;
  const words = first.split('_');
  // For a single value, keep its last word.
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

/** Resolves a short or full spelling to a value. Ignores case; `-` equals `_`. */
export function expandValue(value: string, values: readonly string[]): string | undefined {
  const wanted = value.toUpperCase().replaceAll('-', '_');
  const prefix = commonPrefix(values);
  return values.find((value) => value.toUpperCase() === wanted || value.slice(prefix.length).toUpperCase() === wanted);
}
