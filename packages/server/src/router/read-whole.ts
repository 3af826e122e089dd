import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@countersign/contract';
import { ArrivingBody, type BodyBounds } from '../admission/bodies.ts';
import { senderOf } from '../admission/flow.ts';
import { parseIpAddress } from '../network/ip-address.ts';

/** A body that the router holds. */
export interface WholeBody {
  /** Rejects with ServiceError, and leaves the connection open for the response. */
  readonly bytes: Promise<Uint8Array>;
  /** The request is answered. INVARIANT: a body counts until then. */
  release(): void;
}

/** Reads a body. It may lose its memory to the bodies of other addresses: before it is complete with an error, later with its connection. */
export function readWhole(request: IncomingMessage, maxBytes: number, bounds: BodyBounds): WholeBody {
  const tooLarge = () => new ServiceError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes. Split the request.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return { bytes: Promise.reject(tooLarge()), release() {} };
  let release = () => {};
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const fail = (error: ServiceError) => {
      chunks = [];
      request.off('data', take);
      // SECURITY: D254: the rest is not read.
      request.pause();
      reject(error);
    };
    const { block } = senderOf(parseIpAddress((request.socket.remoteAddress ?? '').replace(/%.*$/, '')));
    const source = { body: request, connection: request.socket, fail };
    const arriving = new ArrivingBody(bounds, block, source, { isProven: false, name: block });
    release = () => arriving.release();
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) return fail(tooLarge());
      chunks.push(chunk);
      arriving.received(chunk.length);
    };
    request.on('data', take);
    request.once('end', () => {
      arriving.complete();
      resolve(Buffer.concat(chunks));
    });
    const closed = () =>
      reject(new ServiceError('REQUEST_TIMEOUT', 'The connection closed before the body was complete. Send the request again.'));
    request.once('error', closed);
    request.once('close', closed);
  });
  return { bytes, release: () => release() };
}
