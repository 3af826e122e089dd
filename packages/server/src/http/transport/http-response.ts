import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AdmittedRequest } from '../../admission/index.ts';

/** The response to a request, before it is written. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** One part, or several in order. */
  readonly body: string | Uint8Array | readonly Uint8Array[];
}

/** The operating system usually takes shorter responses immediately. */
const SHORT_RESPONSE = 65_536;

/** Writes a response. The client must read a long one in time. */
export function writeResponse(
  request: IncomingMessage,
  target: ServerResponse,
  { status, headers, body }: HttpResponse,
  admitted: AdmittedRequest,
): void {
  target.writeHead(status, headers);
  if (request.method === 'HEAD') {
    target.end();
    return;
  }
  if (typeof body === 'string' || body instanceof Uint8Array) target.end(body);
  else {
    // Not concatenated: a copy of each cached part would cost memory for each response.
    target.cork();
    for (const part of body) target.write(part);
    target.end();
    target.uncork();
  }
  const bytes = lengthOf(body);
  if (bytes > SHORT_RESPONSE && !target.writableFinished) target.once('close', admitted.responded(bytes));
}

/** Length of a body in bytes. */
export function lengthOf(body: HttpResponse['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  if (body instanceof Uint8Array) return body.length;
  return body.reduce((sum, part) => sum + part.length, 0);
}
