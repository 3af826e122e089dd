import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '@countersign/contract';
import type { ByteBudget, Intake, SlowBodies } from '../admission/index.ts';

/** What bounds the bodies that are arriving. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly unfinished: ByteBudget;
  readonly slow: SlowBodies;
  readonly intake: Intake;
}

/** A whole body. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  /** The request has begun: its body counts no longer. Until then others may need the memory, and the connection ends. */
  begun(): void;
}

/** What a chunk takes beside its bytes. */
const CHUNK_BYTES = 256;

/**
 * Reads a whole request body. Refuses what is declared as anything but plain JSON, stops reading at `maxBodyBytes`, and gives up a body
 * that arrives too slowly, or for which the memory is needed. `address` is the block of the client's address.
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits, address: string): Promise<ReadBody> {
  requirePlainJson(request);
  const { maxBodyBytes: maxBytes, unfinished, slow, intake } = limits;
  const tooLarge = () =>
    new ServiceError(
      'BODY_TOO_LARGE',
      `The body is larger than ${maxBytes} bytes, which this operation takes of such a request (maxBodyBytes, less without a stamp). Split the request.`,
    );
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > maxBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const stop = (error: ServiceError) => {
      chunks = [];
      request.removeAllListeners('data');
      request.resume();
      done();
      reject(error);
    };
    const arriving = slow.watch(() =>
      stop(new ServiceError('REQUEST_TIMEOUT', 'The body arrives too slowly. Send the request again on a better connection.')),
    );
    let isComplete = false;
    const held = unfinished.hold(address, () => {
      if (isComplete) request.socket.destroy();
      else stop(new ServiceError('OVERLOADED', 'Too many bodies are arriving at the same time. Send the same request again.'));
    });
    const done = () => {
      slow.done(arriving);
      if (!isComplete) held.release();
    };
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) return stop(tooLarge());
      chunks.push(chunk);
      arriving.receivedBytes = length;
      held.add(chunk.length + CHUNK_BYTES);
      intake.took(chunk.length, request, address);
    });
    request.on('end', () => {
      isComplete = true;
      done();
      resolve({ bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), begun: held.release });
    });
    const closed = () => {
      done();
      reject(new ServiceError('REQUEST_TIMEOUT', 'The connection closed before the body was complete. Send the request again.'));
    };
    request.on('error', closed);
    request.on('close', closed);
  });
}

/** Counts a body that came whole until the request has begun, which the function that it gives tells. */
export function holdBody({ unfinished }: BodyLimits, bytes: number, address: string, socket: Socket): () => void {
  const held = unfinished.hold(address, () => void socket.destroy());
  held.add(bytes + CHUNK_BYTES);
  return held.release;
}

/**
 * What a body may be declared as: JSON, the type that `curl -d` declares, or nothing. All of them are read as JSON. The stamp covers the
 * bytes and not this header, so the header decides nothing.
 *
 * SECURITY: a web page can make a browser send the form type, or none, without asking first. Such a request is unstamped and refused: a
 * stamp and a session travel in headers of their own, for which the browser asks first (`cors.ts`), and no cookie authenticates anything.
 */
const DECLARED_TYPES = /^application\/(json|x-www-form-urlencoded)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function requirePlainJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (type !== undefined && !DECLARED_TYPES.test(type)) {
    throw new ServiceError(
      'CONTENT_TYPE_UNSUPPORTED',
      'The body must be JSON. Send it with Content-Type: application/json, or leave the header out.',
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('CONTENT_TYPE_UNSUPPORTED', 'The body must not be compressed: leave out Content-Encoding.');
  }
}
