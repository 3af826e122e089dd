import type { IncomingMessage } from 'node:http';
import type { HttpResponse } from '../transport/messages.ts';

/** Lets browser pages of allowed origins call the API. Stamps prove who calls, so no cookie or other credential is allowed. */
export interface Cors {
  /** Headers of every response to this request. */
  headers(request: IncomingMessage): Readonly<Record<string, string>>;
  /** The response to a preflight request. `exists`: there is an operation at its path. */
  preflight(request: IncomingMessage, exists: boolean): HttpResponse;
}

/** The request headers that browser clients send. */
const REQUEST_HEADERS =
  'Content-Type, X-Client-Version, X-Stamp, X-Stamp-Webauthn, X-Stamp-Attested, X-Session, X-Auth-Proxy-Config-ID';

export function createCors(allowedOrigins: readonly string[]): Cors {
  const any = allowedOrigins.includes('*');
  const allowed = new Set(allowedOrigins);

  function headers({ headers: { origin } }: IncomingMessage): Readonly<Record<string, string>> {
    if (origin === undefined) return {};
    return {
      ...(!any && { Vary: 'Origin' }),
      ...((any || allowed.has(origin)) && { 'Access-Control-Allow-Origin': any ? '*' : origin }),
    };
  }

  return {
    headers,
    preflight: (request, exists) => ({
      status: exists ? 204 : 404,
      headers: {
        ...headers(request),
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': REQUEST_HEADERS,
        'Access-Control-Max-Age': '7200',
        'Content-Length': '0',
      },
      body: '',
    }),
  };
}
