/**
 * The fields that have a value.
 * SECURITY: a missing field must be absent, not a word that stands for it. Policies then get an error and not a difference.
 */
export function present<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
