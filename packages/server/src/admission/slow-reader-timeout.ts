import type { Socket } from 'node:net';
import type { ByteBudget } from './byte-budget.ts';

/** How long a client may take for any answer. */
const GRACE_MS = 15_000;
/** Bytes in a millisecond that it must read besides. */
const MIN_RATE = 32;

/**
 * Ends the connection of a client that does not read its answer, or for which others need the memory. Call what it gives when the system
 * has taken the answer, or the connection is gone.
 * SECURITY: D168: an answer stays in memory until the system has taken it. A client that never reads would keep it there.
 * SECURITY: D176: `address` is the block of the client's address, from `addressBlock`. By the addresses of sockets, a client with many of
 * them would hold less at each than anybody else, and all clients of a proxy would be one.
 */
export function takenInTime(socket: Socket, address: string, bytes: number, budget: ByteBudget): () => void {
  const cut = () => void socket.destroy();
  const held = budget.hold(address, cut);
  const deadline = setTimeout(cut, GRACE_MS + bytes / MIN_RATE).unref();
  held.add(bytes);
  return () => {
    clearTimeout(deadline);
    held.release();
  };
}
