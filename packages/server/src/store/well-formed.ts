/** Whether all text of a row survives UTF-8. A lone surrogate would be read back as another character, and no MAC would match. */
export function isWellFormed<R extends object>(row: R): boolean {
  let field: keyof R;
  for (field in row) {
    const value: unknown = row[field];
    if (typeof value === 'string' && !(value as string & { isWellFormed(): boolean }).isWellFormed()) return false;
  }
  return true;
}
