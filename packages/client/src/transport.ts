import { CountersignError } from './errors.ts';
import type { Stamper } from './stamper.ts';

export interface SendOptions {
  /** Ends the wait; what the server has accepted by then still happens. */
  readonly signal?: AbortSignal;
  /**
   * Send the very same bytes again, up to twice, when no answer came or the server said 503. Safe, because the service
   * executes one body once: a repeat returns the activity of the first.
   */
  readonly retry?: boolean;
}

const RETRY_DELAYS_MS = [250, 1000];

/** Stamps a body, posts it and reads the JSON that comes back. Throws CountersignError for everything but success. */
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
    // SECURITY: a stamped body is never forwarded to wherever a redirect points.
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
    throw new CountersignError(0, 'UNREACHABLE', `No answer from ${url}. Is the server running, and is the address right?`, {
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
    // Not JSON: a proxy or another service answered. The caller turns that into an error with the status.
    return undefined;
  }
}

function failure(url: string, status: number, answer: Record<string, unknown> | undefined): CountersignError {
  const { message, details, errorCode, turnkeyErrorCode } = answer ?? {};
  const code = errorCode ?? turnkeyErrorCode;
  if (typeof message !== 'string' || typeof code !== 'string') {
    const text = `${url} answered ${status}, but not in the form of this service. Does the address point at it?`;
    return new CountersignError(status, 'RESPONSE_INVALID', text);
  }
  return new CountersignError(status, code, message, { details: Array.isArray(details) ? details : [] });
}

function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
