import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@countersign/contract';
import type { AdmittedRequest } from '../../admission/index.ts';

/**
 * Reads a whole request body of at most `maxBytes`. Rejects a body that is not declared as plain JSON, is too long, arrives too slowly, or
 * whose memory other clients need.
 */
export async function readBody(request: IncomingMessage, maxBytes: number, admitted: AdmittedRequest): Promise<Uint8Array> {
  requirePlainJson(request);
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    let isComplete = false;
    const fail = (error: ServiceError) => {
      chunks = [];
      request.removeAllListeners('data');
      request.resume();
      admitted.release();
      reject(error);
    };
    const arriving = admitted.body(request, fail);
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) return fail(tooLarge(maxBytes));
      chunks.push(chunk);
      arriving.received(chunk.length);
    });
    request.on('end', () => {
      isComplete = true;
      arriving.complete();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    const closed = () => {
      if (isComplete) return;
      admitted.release();
      reject(new ServiceError('REQUEST_TIMEOUT', 'The connection closed before the body was complete. Send the request again.'));
    };
    request.on('error', closed);
    request.on('close', closed);
  });
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(
    'BODY_TOO_LARGE',
    `The body is larger than ${maxBytes} bytes, the limit of this operation (maxBodyBytes, less without a stamp). Split the request.`,
  );
}

/**
 * Accepted declarations: JSON, the type that `curl -d` declares, or none. All of them are read as JSON. The stamp covers the bytes and not
 * this header, so the header decides nothing.
 *
 * SECURITY: a web page can make a browser send the form type, or none, without a preflight request. Such a request has no stamp and is
 * rejected: stamps and sessions are in headers that need a preflight (`cors.ts`), and no cookie authenticates anything.
 */
const DECLARED_TYPES = /^application\/(json|x-www-form-urlencoded)\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function requirePlainJson({ headers }: IncomingMessage): void {
  const type = headers['content-type'];
  if (type !== undefined && !DECLARED_TYPES.test(type)) {
    throw new ServiceError(
      'CONTENT_TYPE_UNSUPPORTED',
      'The body must be JSON. Send it with Content-Type: application/json, or omit the header.',
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('CONTENT_TYPE_UNSUPPORTED', 'The body must not be compressed: omit Content-Encoding.');
  }
}

/** The response to a request, before it is written. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Uint8Array;
}

/**
 * Writes a response. The client must read it in time, unless the operating system takes it immediately.
 * SECURITY: D254: a request that is answered before its body is complete ends its connection. Otherwise Node reads the rest, whatever its
 * length, and nothing bounds that.
 */
export function writeResponse(
  request: IncomingMessage,
  target: ServerResponse,
  { status, headers, body }: HttpResponse,
  admitted: Pick<AdmittedRequest, 'responded'>,
): void {
  // Nothing would release what the response holds.
  if (request.socket.destroyed) return;
  target.writeHead(status, request.complete ? headers : { ...headers, Connection: 'close' });
  if (request.method === 'HEAD') target.end();
  else target.end(body);
  if (!isTaken(target)) target.once('close', admitted.responded(lengthOf(body)));
}

/** Whether the operating system has the whole response. One that waits behind others has no socket yet. */
function isTaken({ socket, writableFinished }: ServerResponse): boolean {
  return writableFinished || socket?.writableLength === 0;
}

/** Length of a body in bytes. */
export function lengthOf(body: HttpResponse['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}
