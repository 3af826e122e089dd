import type { ServerResponse } from 'node:http';
import type { ByteBudget } from './byte-budget.ts';

/** How long a client may take for any answer. */
const GRACE_MS = 15_000;
/** Bytes in a millisecond that it must read besides. */
const MIN_RATE = 32;

/**
 * Ends the connection of a client that does not read its answer, or for which others need the memory.
 * SECURITY: D168: an answer stays in memory until the system has taken it. A client that never reads would keep it there.
 */
export function takenInTime(response: ServerResponse, bytes: number, budget: ByteBudget): void {
  const { socket } = response;
  if (socket === null || response.writableFinished) return;
  const cut = () => socket.destroy();
  const held = budget.hold(socket.remoteAddress ?? 'unknown', cut);
  const deadline = setTimeout(cut, GRACE_MS + bytes / MIN_RATE).unref();
  response.once('close', () => {
    clearTimeout(deadline);
    held.release();
  });
  held.add(bytes);
}
