/** Writers of some fields of an object. */
type Writers<T> = { readonly [K in keyof T]?: (value: NonNullable<T[K]>) => string };

/**
 * The JSON of a plain object, byte for byte as JSON.stringify gives it, where some fields have a writer of their own. The names of its
 * fields must need no escapes.
 */
export function jsonWith<T extends object>(value: T, writers: Writers<T>): string {
  let text = '';
  for (const name in value) {
    const field = value[name];
    const written = field === undefined || field === null ? undefined : writers[name]?.(field);
    const json = written ?? (JSON.stringify(field) as string | undefined);
    if (json !== undefined) text += `${text === '' ? '{' : ','}"${name}":${json}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** The JSON of a list whose items have a writer. */
export function jsonList<T>(items: readonly T[], write: (item: T) => string): string {
  let text = '';
  for (const item of items) text += `${text === '' ? '[' : ','}${write(item)}`;
  return text === '' ? '[]' : `${text}]`;
}
