import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';

/** A response: its status and, if it is JSON, its body. */
export interface JsonResponse {
  readonly status: number;
  readonly body: unknown;
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  /** PEM certificates of the authority, instead of the public ones. */
  readonly ca?: string;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;

/** Sends one request. Follows no redirect, and rejects if the response is late or too long. */
export function requestJson(url: string, { method, headers, body, ca }: JsonRequest): Promise<JsonResponse> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const options = {
    method,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      ...headers,
      ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    },
    ...(ca !== undefined && { ca }),
  };
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestSecure : requestPlain;
    const outgoing = send(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) incoming.destroy(new Error('the response is too long'));
        else chunks.push(chunk);
      });
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller's schema rejects undefined.
    return undefined;
  }
}
