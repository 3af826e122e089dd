import type { Socket } from 'node:net';

/** Bytes that node:http gets at a time: about forty of the shortest requests. */
const PART_BYTES = 1_024;
/** Requests under way from which on a connection waits for answers before it goes on. */
const TOGETHER = 16;

/** A connection that node:http reads. */
export interface FedConnection {
  /** To be told when a request begins, with the length of its body as far as it says one. */
  began(bodyBytes: number): void;
  /** To be told when the answer to a request is over. */
  answered(): void;
}

/**
 * Has node:http read a connection that was given to it in small parts, and begin few requests at a time. `underWay` counts those; `later`
 * does something in a later turn of the event loop, fairly between clients.
 * SECURITY: D253: one reading of a socket brings thousands of short requests, all of which node:http would begin at once.
 * INVARIANT: a part that is longer than others holds nothing but one body. What node:http does not get stays at the head of the socket, so
 * no byte is lost, repeated or overtaken by the end.
 */
export function feedInParts(socket: Socket, underWay: () => number, later: (goOn: () => void) => void): FedConnection {
  const [feed, ...others] = socket.listeners('data') as ((chunk: Buffer) => void)[];
  // A release of Node that reads connections in another way goes on as it does: its tests show that, and not the first connection.
  if (feed === undefined || others.length > 0) return { began() {}, answered() {} };
  /** Bytes to come that are part of a body for certain. They bring no request, so they need not be in small parts. */
  let ofBody = 0;
  let isWaiting = false;
  let goesOn = false;
  socket.off('data', feed);
  // node:http lets go of the system's handle as soon as somebody else listens to a socket.
  socket.on('data', (chunk: Buffer) => {
    let at = 0;
    // While node:http waits for a body or answers to be taken, it has paused the socket, and lets it go on by itself.
    while (!isWaiting && !socket.isPaused() && at < chunk.length) {
      const end = Math.min(at + Math.max(PART_BYTES, ofBody), chunk.length);
      ofBody -= Math.min(ofBody, end - at);
      feed(chunk.subarray(at, end));
      at = end;
      if (socket.destroyed) return;
      isWaiting = underWay() >= TOGETHER;
    }
    if (isWaiting) socket.pause();
    if (at < chunk.length) socket.unshift(chunk.subarray(at));
  });

  function goOn(): void {
    isWaiting = false;
    goesOn = false;
    socket.resume();
  }

  return {
    began(bodyBytes) {
      // Its head has ended within the part that node:http just reads, so no more of its body than that is there already.
      ofBody = Math.max(0, bodyBytes - PART_BYTES);
    },
    answered() {
      if (!isWaiting || goesOn || underWay() >= TOGETHER) return;
      goesOn = true;
      later(goOn);
    },
  };
}
