/**
 * A value that policies evaluate. Integers are bigint. Dynamic maps (call arguments, typed-data messages) are Map, and fixed
 * records are plain objects. Addresses have the canonical form of the host's normalizers, and hex is lower case.
 */
export type PolicyValue =
  | boolean
  | bigint
  | string
  | readonly PolicyValue[]
  | { readonly [field: string]: PolicyValue }
  | ReadonlyMap<string, PolicyValue>;

/** An expression of a policy: what (`condition`), who (`consensus`) or when (`time`). Each sees different namespaces. */
export type PolicyField = 'condition' | 'consensus' | 'time';

/** Whether a value is a list. Narrows readonly arrays, which `Array.isArray` does not. */
export function isList(value: PolicyValue): value is readonly PolicyValue[] {
  return Array.isArray(value);
}

/** Whether a value is a dynamic map. */
export function isMap(value: PolicyValue): value is ReadonlyMap<string, PolicyValue> {
  return value instanceof Map;
}

/** Whether a value is a fixed record. A null from the host becomes an evaluation error, not a crash. */
export function isRecord(value: PolicyValue): value is { readonly [field: string]: PolicyValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map);
}

/**
 * One field of a record, or undefined.
 * SECURITY: own properties only, so that `__proto__` and `constructor` are never fields.
 */
export function recordField(record: { readonly [field: string]: PolicyValue }, name: string): PolicyValue | undefined {
  return Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;
}
