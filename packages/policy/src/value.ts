/**
 * A value that policies evaluate. Integers are always bigint; dynamic maps (call arguments, typed-data messages) are Map,
 * fixed records are plain objects. Addresses are in the canonical form that the host's normalizers give; hex is lower case.
 */
export type PolicyValue =
  | boolean
  | bigint
  | string
  | readonly PolicyValue[]
  | { readonly [field: string]: PolicyValue }
  | ReadonlyMap<string, PolicyValue>;

/** Which expression of a policy: what (`condition`), who (`consensus`), when (`time`). Each sees its own namespaces. */
export type PolicyField = 'condition' | 'consensus' | 'time';

/** Whether a value is a list; narrows readonly arrays, which `Array.isArray` does not. */
export function isList(value: PolicyValue): value is readonly PolicyValue[] {
  return Array.isArray(value);
}

/** Whether a value is a dynamic map. */
export function isMap(value: PolicyValue): value is ReadonlyMap<string, PolicyValue> {
  return value instanceof Map;
}

/** Whether a value is a fixed record. A host that lets a null slip in gets an error of evaluation, not a crash. */
export function isRecord(value: PolicyValue): value is { readonly [field: string]: PolicyValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map);
}

/**
 * One field of a record, or undefined.
 * SECURITY: own properties only, so that `__proto__` and `constructor` are not fields of anything.
 */
export function recordField(record: { readonly [field: string]: PolicyValue }, name: string): PolicyValue | undefined {
  return Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;
}
