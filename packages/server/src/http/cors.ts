import type { IncomingMessage, ServerResponse } from 'node:http';

/** Lets browser pages of allowed origins call the API. Stamps prove who calls, so no cookie or other credential is allowed. */
export interface Cors {
  apply(request: IncomingMessage, response: ServerResponse): void;
  answerPreflight(response: ServerResponse, exists: boolean): void;
}

/** The request headers that browser clients send. */
const REQUEST_HEADERS =
  'Content-Type, X-Client-Version, X-Stamp, X-Stamp-Webauthn, X-Stamp-Attested, X-Session, X-Auth-Proxy-Config-ID';

export function createCors(allowedOrigins: readonly string[]): Cors {
  const any = allowedOrigins.includes('*');
  const allowed = new Set(allowedOrigins);
  return {
    apply(request, response) {
      const { origin } = request.headers;
      if (origin === undefined) return;
      if (!any) response.setHeader('Vary', 'Origin');
      if (any || allowed.has(origin)) response.setHeader('Access-Control-Allow-Origin', any ? '*' : origin);
    },
    answerPreflight(response, exists) {
      response.writeHead(exists ? 204 : 404, {
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': REQUEST_HEADERS,
        'Access-Control-Max-Age': '7200',
        'Content-Length': '0',
      });
      response.end();
    },
  };
}
