/** A value, or a promise of it if it is not available yet. Most requests find everything in memory, and each promise costs a microtask. */
export type Awaitable<T> = T | Promise<T>;
