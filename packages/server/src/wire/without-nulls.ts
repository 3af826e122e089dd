/** The same value without object members that are null: an explicit null counts as absent. List items stay as they are. */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== null) kept[key] = withoutNulls(member);
  }
  return kept;
}
