/** A value of RFC 8259 whose numbers are `N` and whose objects are `O`. */
export type Json<N, O> = null | boolean | string | N | O | readonly Json<N, O>[];

/** A value as JSON.parse gives it. */
export type JsonValue = Json<number, JsonObject>;

/** An object as it was sent: plain data without any of the names that reach a prototype. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** A value for exact arithmetic: every number is an integer. */
export type ExactJsonValue = Json<bigint, ExactJsonObject>;

/** An object that takes any name: a Map has no prototype that a name could reach. */
export interface ExactJsonObject extends ReadonlyMap<string, ExactJsonValue> {}

/** A value whose numbers may be larger than a double holds. */
export type WideJsonValue = Json<number | bigint, WideJsonObject>;

/** An object as it was sent: plain data without any of the names that reach a prototype. */
export interface WideJsonObject {
  readonly [name: string]: WideJsonValue;
}
