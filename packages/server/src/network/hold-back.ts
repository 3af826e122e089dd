import type { Socket } from 'node:net';

/**
 * Stops reading a connection that another process will serve: bytes that this process reads would be missing there. Node does the same for
 * connections of a server with `pauseOnConnect`, but not for those that came from another process: it reads those as soon as it can.
 * INVARIANT: called in the turn of the event loop in which the connection arrived, and the connection is never read here.
 */
export function holdBack(socket: Socket): void {
  const { _handle: handle } = socket as Socket & { _handle?: { reading: boolean; readStop(): void } | null };
  if (!handle?.reading) return;
  handle.reading = false;
  handle.readStop();
}
