/** Removes object members that are null: an explicit null counts as absent. List items stay. Returns the same value if nothing changes. */
export function withoutNulls(value: unknown): unknown {
  return hasNullMember(value) ? copyWithoutNulls(value) : value;
}

function hasNullMember(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNullMember);
  return Object.values(value).some((member) => member === null || hasNullMember(member));
}

function copyWithoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyWithoutNulls);
  // SECURITY: build from entries. An assignment to `__proto__` would set the prototype to a value that the sender chose.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, copyWithoutNulls(member)]])),
  );
}
