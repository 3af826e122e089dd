import { CountersignError } from './errors.ts';
import { pause } from './pause.ts';
import type { Stamper } from './stamper.ts';

export interface SendOptions {
  /** Ends the wait. A request that the server has accepted still runs. */
  readonly signal?: AbortSignal;
  /**
   * Send the same bytes again, up to twice, after no response or a 503. This is safe: the service executes a body once, and a
   * replay returns the activity of the first.
   */
  readonly retry?: boolean;
}

const RETRY_DELAYS_MS = [250, 1000];

/** Stamps a body, posts it and parses the JSON response. Throws CountersignError unless the response is a success. */
export async function send(
  fetcher: typeof fetch,
  url: string,
  body: string,
  stamper: Stamper,
  options: SendOptions = {},
): Promise<unknown> {
  const { stampHeaderName, stampHeaderValue } = await stamper.stamp(body);
  const request: RequestInit = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', [stampHeaderName]: stampHeaderValue },
    body,
    // SECURITY: never forward a stamped body to the target of a redirect.
    redirect: 'error',
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
  const delays = options.retry ? [...RETRY_DELAYS_MS] : [];
  for (;;) {
    try {
      return await exchange(fetcher, url, request);
    } catch (error) {
      const delayMs = isRetryable(error) ? delays.shift() : undefined;
      if (delayMs === undefined) throw error;
      await pause(delayMs, options.signal);
    }
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof CountersignError && (error.code === 'UNREACHABLE' || error.status === 503);
}

async function exchange(fetcher: typeof fetch, url: string, request: RequestInit): Promise<unknown> {
  let status: number;
  let text: string;
  try {
    const response = await fetcher(url, request);
    status = response.status;
    text = await response.text();
  } catch (cause) {
    request.signal?.throwIfAborted();
    throw new CountersignError(0, 'UNREACHABLE', `No response from ${url}. Is the server running, and is the address right?`, {
      cause,
    });
  }
  const answer = parse(text);
  if (status >= 200 && status < 300 && answer !== undefined) return answer;
  throw failure(url, status, answer);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Not JSON: a proxy or another service responded. The caller reports the status.
    return undefined;
  }
}

function failure(url: string, status: number, answer: Record<string, unknown> | undefined): CountersignError {
  const { message, details, errorCode, turnkeyErrorCode } = answer ?? {};
  const code = errorCode ?? turnkeyErrorCode;
  if (typeof message !== 'string' || typeof code !== 'string') {
    const text = `${url} returned ${status} in an unknown format. Does the address point at a Countersign service?`;
    return new CountersignError(status, 'RESPONSE_INVALID', text);
  }
  return new CountersignError(status, code, message, { details: Array.isArray(details) ? details : [] });
}
