import type { Socket } from 'node:net';
import { readTimeMs } from '../../admission/index.ts';

/** The operating system holds about this much for a client that does not read. */
const MAX_HELD_BYTES = 4_194_304;
/** Time to read the response to a request that was not read to its end. */
const UNREAD_GRACE_MS = 2_000;

/**
 * Ends a connection after the last response, and resets it if the client does not close its side in time.
 * SECURITY: D344: after a plain close, the operating system keeps up to 4 MB for minutes if the client never reads, and no limit counts the
 * connection any more. A reset frees them.
 */
export function closeLingering(socket: Socket, isRequestComplete: boolean): void {
  if (socket.destroyed) return;
  socket.end();
  // D254: the rest of a body is not read.
  if (!isRequestComplete) socket.pause();
  const graceMs = isRequestComplete ? readTimeMs(Math.min(socket.bytesWritten, MAX_HELD_BYTES)) : UNREAD_GRACE_MS;
  const deadline = setTimeout(() => socket.resetAndDestroy(), graceMs).unref();
  socket.once('close', () => clearTimeout(deadline));
}
