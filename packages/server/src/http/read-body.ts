import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@countersign/contract';

/** Reads a whole request body. Refuses what is declared as anything but plain JSON, and stops reading at `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  requirePlainJson(request);
  const tooLarge = () =>
    new ServiceError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes (maxBodyBytes). Split the request.`);
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > maxBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        request.removeAllListeners('data');
        request.resume();
        reject(tooLarge());
        return;
      }
      chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', () =>
      reject(new ServiceError('REQUEST_TIMEOUT', 'The connection closed before the body was complete. Send the request again.')),
    );
  });
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
