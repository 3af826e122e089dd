import type { HeldBytes } from './byte-budget.ts';

/** Time that a client has for any response. */
const GRACE_MS = 15_000;
/** Bytes per millisecond that a client must read in addition. */
const MIN_RATE = 32;

/** The connection that a response is written to. */
export interface Closable {
  destroy(): unknown;
}

/** Bytes of unread responses by connection. Pipelined responses are sent one after the other. */
const unreadBytes = new WeakMap<Closable, number>();

/**
 * Closes the connection of a client that does not read its response in time. `held` counts the response. Call the returned function when
 * the operating system has the response, or the connection is closed.
 * SECURITY: D168: a response stays in memory until the operating system takes it, which it does not if the client never reads.
 */
export function enforceReadDeadline(connection: Closable, bytes: number, held: HeldBytes): () => void {
  const unread = (unreadBytes.get(connection) ?? 0) + bytes;
  unreadBytes.set(connection, unread);
  const deadline = setTimeout(() => void connection.destroy(), GRACE_MS + unread / MIN_RATE).unref();
  return () => {
    clearTimeout(deadline);
    unreadBytes.set(connection, (unreadBytes.get(connection) ?? bytes) - bytes);
    held.release();
  };
}
