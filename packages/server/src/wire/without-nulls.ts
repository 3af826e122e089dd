/** The same value without object members that are null: an explicit null counts as absent. List items stay as they are. */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  // SECURITY: made of entries, because an assignment to `__proto__` would give the object a prototype of the sender's choice.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (member === null ? [] : [[key, withoutNulls(member)]])),
  );
}
