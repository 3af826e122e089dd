import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { EgressAllowlist } from '../../network/egress-allowlist.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';

/** Posts one delivery. Resolves if the receiver accepted it. Otherwise throws a DeliveryError, permanent if a retry is pointless. */
export interface Poster {
  post(url: URL, headers: Readonly<Record<string, string>>, body: string | Uint8Array): Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 10_000;
/** Push services respond immediately. */
export const PUSH_TIMEOUT_MS = 5_000;
/** How long the rest of a response may take after its status. Then the connection is closed. */
const REST_MS = 1_000;
/** Maximum number of interim (1xx) responses before the final one. */
const MAX_INFORMATION = 8;
/** Maximum size of a response that is read so that its connection can be reused. A longer response closes the connection. */
const MAX_ANSWER_BYTES = 65_536;
/** Statuses after which the receiver may accept a retry. */
const laterStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Keeps connections open for the next event.
 * SECURITY: D60: every connection goes to an address that was checked during its lookup. Redirects are not followed, and only the status
 * and Retry-After of a response are used.
 */
export function createPoster(egress: EgressAllowlist, timeoutMs = TIMEOUT_MS): Poster {
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: 30_000 }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: 30_000 }),
  };

  function send(url: URL, headers: Readonly<Record<string, string>>, body: string | Uint8Array): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const secure = url.protocol === 'https:';
      const options = {
        method: 'POST',
        agent: agents[secure ? 'https:' : 'http:'],
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        lookup: egress.lookupFor(url),
        signal: AbortSignal.timeout(timeoutMs),
      };
      const request: ClientRequest = (secure ? requestHttps : requestHttp)(url, options, resolve);
      request.on('error', reject);
      let informed = 0;
      request.on('information', () => {
        informed += 1;
        if (informed > MAX_INFORMATION) request.destroy(new Error('too many interim responses'));
      });
      // When a receiver switches protocols (101), Node emits neither a response nor an error.
      request.on('close', () => reject(new Error('no response')));
      request.end(body);
    });
  }

  return {
    async post(url, headers, body) {
      // A literal IP address is never looked up, so check it here.
      const problem = egress.problemOf(url);
      if (problem !== undefined) throw new DeliveryError(`the address ${problem}`, false);
      const response = await send(url, headers, body).catch((error: NodeJS.ErrnoException) => {
        throw new DeliveryError(`the receiver cannot be reached: ${error.code ?? error.message}`, false, reasonOf(error));
      });
      await drained(response);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) return;
      const permanent = status < 500 && !laterStatuses.has(status);
      throw new DeliveryError(
        `the receiver responded with ${status}${isRedirect(status) ? ', and redirects are not followed' : ''}`,
        permanent,
        undefined,
        { status, ...retryAfter(response.headers['retry-after'], Date.now()) },
      );
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Upper bound for Retry-After. */
const LONGEST_REST_MS = 24 * 3_600_000;

/** RFC 9110 section 10.2.3: a number of seconds, or a date. Anything else is ignored. */
export function retryAfter(header: string | undefined, nowMs: number): { readonly retryAfterMs?: number } {
  if (header === undefined) return {};
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return ms > 0 ? { retryAfterMs: Math.min(ms, LONGEST_REST_MS) } : {};
}

/** Node's error codes for a rejected certificate. */
const certificateErrors =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|ERR_TLS_CERT)/;

/**
 * SECURITY: D220: unresolvable names, private addresses, closed ports and unresponsive hosts get the same text. Otherwise a user who may
 * set an endpoint could map the operator's network by the state of its deliveries.
 */
function reasonOf({ code = '' }: NodeJS.ErrnoException): string {
  return certificateErrors.test(code)
    ? `the certificate of the receiver is not accepted: ${code}`
    : 'the receiver cannot be reached: check its name, its address and that it responds within seconds';
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/**
 * Reads the rest of a response, so its connection can be reused.
 * INVARIANT: a response that does not end soon costs only its own connection. Nothing more is sent before that connection is closed.
 */
function drained(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), REST_MS);
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) response.destroy();
    });
    // Only the status counts, and it has arrived.
    response.on('error', () => undefined);
    response.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
