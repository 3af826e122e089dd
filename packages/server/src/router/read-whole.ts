import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@countersign/contract';

/**
 * Reads a body. `hold` is called with the bytes that arrive, and may throw. Rejects with ServiceError, and leaves the connection open for
 * the response.
 */
export function readWhole(request: IncomingMessage, maxBytes: number, hold: (bytes: number) => void): Promise<Uint8Array> {
  const tooLarge = () => new ServiceError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes. Split the request.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const stop = (error: unknown) => {
      chunks = [];
      request.off('data', take);
      // SECURITY: D254: the rest is not read.
      request.pause();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) return stop(tooLarge());
      try {
        hold(chunk.length);
      } catch (error) {
        return stop(error);
      }
      chunks.push(chunk);
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    const closed = () =>
      reject(new ServiceError('REQUEST_TIMEOUT', 'The connection closed before the body was complete. Send the request again.'));
    request.once('error', closed);
    request.once('close', closed);
  });
}
