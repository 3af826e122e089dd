/**
 * A value while it is made: copied from another, then filled in field by field. On the path of every signature that takes a third of the
 * time of a copy that names the fields in its literal, for which V8 leaves its fast path.
 */
export type Filling<T> = { -readonly [Key in keyof T]: T[Key] };
