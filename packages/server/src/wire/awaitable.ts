/**
 * A value, or a promise of it where something has to be waited for. Each promise costs a turn of the queue, and most requests find all
 * that they need in memory.
 */
export type Awaitable<T> = T | Promise<T>;
