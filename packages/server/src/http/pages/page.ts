import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@countersign/contract';
import { type HttpResponse, lengthOf } from '../transport/messages.ts';

/** A page that needs no stamp. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Headers in addition to the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type AnswerPage = (request: IncomingMessage) => Promise<Page>;

/**
 * A page whose concurrent requests share one computation.
 * SECURITY: D255: for pages that take long and need no stamp.
 */
export function sharedPage(make: () => Promise<Page>): AnswerPage {
  let running: Promise<Page> | undefined;
  return () => {
    running ??= make().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Reads a page. Throws METHOD_NOT_ALLOWED for anything but GET and HEAD. */
export async function pageResponse(request: IncomingMessage, answer: AnswerPage): Promise<HttpResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ServiceError('METHOD_NOT_ALLOWED', 'Use GET for this page.');
  const { status, contentType, body, headers } = await answer(request);
  return {
    status,
    headers: {
      // RFC 9110 section 15.4.5: a 304 response does not describe content.
      ...(status !== 304 && { 'Content-Type': contentType, 'Content-Length': lengthOf(body) }),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
    body,
  };
}
