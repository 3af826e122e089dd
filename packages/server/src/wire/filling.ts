/**
 * A mutable object that is copied from another and then filled field by field. A copy that lists the fields in its literal leaves the fast
 * path of V8 for each of them, which was visible in the profile of a signature.
 */
export type Filling<T> = { -readonly [Key in keyof T]: T[Key] };
