import type { Socket } from 'node:net';

/**
 * Reads the first bytes of a paused connection until `read` returns something, and leaves the connection paused, with the bytes in it.
 * `read` gets all bytes so far, and throws if they can never become valid. Resolves with undefined if the connection ended before.
 */
export function readFirstBytes<T>(socket: Socket, read: (bytes: Buffer) => T | undefined): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const stop = () => {
      socket.pause();
      socket.off('data', onData).off('end', onEnd).off('close', onEnd);
    };
    const onEnd = () => {
      stop();
      resolve(undefined);
    };
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      let found: T | undefined;
      try {
        found = read(bytes);
      } catch (error) {
        stop();
        reject(error);
        return;
      }
      if (found === undefined) return;
      stop();
      socket.unshift(bytes);
      resolve(found);
    };
    socket.on('data', onData).on('end', onEnd).on('close', onEnd);
    socket.resume();
  });
}
