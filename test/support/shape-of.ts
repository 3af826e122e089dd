/** The keys of a value at every level, with the kind of each leaf. A list is shown by its distinct members. */
export type Shape = string | readonly Shape[] | { readonly [key: string]: Shape };

/** Describes exactly which keys a value has, so that a test fails for a missing and for an extra key. */
export function shapeOf(value: unknown): Shape {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    const shapes = new Map(value.map((item) => [JSON.stringify(shapeOf(item)), shapeOf(item)]));
    return [...shapes.values()];
  }
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}
