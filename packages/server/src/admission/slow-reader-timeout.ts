import type { ByteBudget } from './byte-budget.ts';

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
 * Closes the connection of a client that does not read its response in time, or whose memory others need. Call the returned function when
 * the operating system has the response, or the connection is closed.
 * SECURITY: D168: a response stays in memory until the operating system takes it, which it does not if the client never reads.
 * SECURITY: D176: `address` comes from `addressBlock`. With the addresses of sockets, a client with many addresses would hold less at each
 * than others, and all clients of a proxy would count as one.
 */
export function enforceReadDeadline(connection: Closable, address: string, bytes: number, budget: ByteBudget): () => void {
  const close = () => void connection.destroy();
  const held = budget.hold(address, close);
  const unread = (unreadBytes.get(connection) ?? 0) + bytes;
  unreadBytes.set(connection, unread);
  const deadline = setTimeout(close, GRACE_MS + unread / MIN_RATE).unref();
  held.add(bytes);
  return () => {
    clearTimeout(deadline);
    unreadBytes.set(connection, (unreadBytes.get(connection) ?? bytes) - bytes);
    held.release();
  };
}
