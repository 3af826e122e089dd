import type { IncomingMessage } from 'node:http';
import type { HttpResponse } from '../transport/messages.ts';

/** Lets browser pages of allowed origins call the API. Stamps prove who calls, so no cookie or other credential is allowed. */
export interface Cors {
  /** Headers of every response to this request. `isAllowed`: its organization allows the origin. */
  headers(request: IncomingMessage, isAllowed?: boolean): Readonly<Record<string, string>>;
  /**
   * The response to a preflight request. `exists`: there is an operation at its path. `isRelay`: the organization of the request decides
   * about origins, and a preflight does not name it.
   */
  preflight(request: IncomingMessage, exists: boolean, isRelay?: boolean): HttpResponse;
}

/** The request headers that browser clients send. */
const REQUEST_HEADERS =
  'Content-Type, X-Client-Version, X-Stamp, X-Stamp-Webauthn, X-Stamp-Attested, X-Session, X-Auth-Proxy-Config-ID, X-Captcha-Token, X-Request-Id, traceparent';

/** The most refused origins that are logged. SECURITY: strangers choose them, and must not fill the log. */
const MAX_LOGGED = 20;

/** `onRefused` is called once for each of the first origins that are not allowed. */
export function createCors(allowedOrigins: readonly string[], onRefused: (origin: string) => void = () => {}): Cors {
  const any = allowedOrigins.includes('*');
  const allowed = new Set(allowedOrigins);
  const refused = new Set<string>();

  function noteRefused(origin: string, host: string | undefined): void {
    const isOwn = URL.canParse(origin) && new URL(origin).host === host;
    if (any || isOwn || allowed.has(origin) || refused.has(origin) || refused.size >= MAX_LOGGED) return;
    refused.add(origin);
    onRefused(origin.slice(0, 200));
  }

  function headers({ headers: { origin, host } }: IncomingMessage, isAllowed = false): Readonly<Record<string, string>> {
    if (origin === undefined) return {};
    if (!isAllowed) noteRefused(origin, host);
    return {
      ...(!any && { Vary: 'Origin' }),
      ...((any || isAllowed || allowed.has(origin)) && {
        'Access-Control-Allow-Origin': any ? '*' : origin,
        'Access-Control-Expose-Headers': 'X-Request-Id, traceparent',
      }),
    };
  }

  return {
    headers,
    preflight: (request, exists, isRelay = false) => ({
      status: exists ? 204 : 404,
      headers: {
        ...headers(request, isRelay),
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': REQUEST_HEADERS,
        'Access-Control-Max-Age': '7200',
        'Content-Length': '0',
      },
      body: '',
    }),
  };
}
