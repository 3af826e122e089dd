/**
 * The fields that have a value.
 * SECURITY: a missing field must be absent, not a word that stands for it. Policies then get an error and not a difference.
 */
export function present<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const found: { [Name in keyof T]?: Exclude<T[Name], undefined> } = {};
  for (const name of Object.keys(fields) as (keyof T)[]) {
    const value = fields[name];
    if (value !== undefined) found[name] = value as Exclude<T[keyof T], undefined>;
  }
  return found;
}
