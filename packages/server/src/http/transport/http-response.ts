import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AdmittedRequest, SHORT_RESPONSE } from '../../admission/index.ts';

/** The response to a request, before it is written. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Uint8Array;
}

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
  target.end(body);
  const bytes = lengthOf(body);
  if (bytes > SHORT_RESPONSE && !target.writableFinished) target.once('close', admitted.responded(bytes));
}

/** Length of a body in bytes. */
export function lengthOf(body: HttpResponse['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}
