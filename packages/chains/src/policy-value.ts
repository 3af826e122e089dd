/** A policy value. Integers are bigint. Dynamic maps (call arguments, typed-data messages) are Map; fixed records are objects. */
export type PolicyValue =
  | boolean
  | bigint
  | string
  | readonly PolicyValue[]
  | { readonly [field: string]: PolicyValue }
  | ReadonlyMap<string, PolicyValue>;
