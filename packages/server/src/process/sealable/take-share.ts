import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { RootKeyUnavailable } from '../../vault/errors.ts';
import type { Custody } from '../../vault/root-key/providers/shares/custody.ts';
import { readShareRequest } from '../../vault/root-key/providers/shares/unseal-https.ts';

/** Longer than any share in JSON. */
const MAX_BYTES = 512;
const REPORT_MS = 1_000;

export interface ShareAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Takes a share from the body of a request. Only the holder of a right share learns how many were given.
 * SECURITY: D652: a wrong share changes nothing and costs a hash, so strangers can neither lock out operators nor guess: a share has 256
 * random bits. Refusals are logged once in a second, with their number.
 */
export function takeShare(custody: Custody, log: Logger): (request: IncomingMessage) => Promise<ShareAnswer> {
  let refused = 0;
  let reportedAtMs = Number.NEGATIVE_INFINITY;

  function refuse(status: number, error: string): ShareAnswer {
    refused += 1;
    const nowMs = performance.now();
    if (nowMs - reportedAtMs >= REPORT_MS) {
      log.warn({ refused, reason: error }, 'shares over HTTPS were refused');
      reportedAtMs = nowMs;
      refused = 0;
    }
    return { status, body: JSON.stringify({ error }) };
  }

  return async (request) => {
    const body = await readShort(request);
    if (body === undefined) return refuse(413, 'the request is too long');
    const share = readShareRequest(body);
    body.fill(0);
    if (share === undefined) return refuse(400, 'the request is not valid');
    try {
      const answer = await custody.give(share);
      log.warn({ address: request.socket.remoteAddress }, 'a share was given over HTTPS');
      return { status: 200, body: JSON.stringify(answer) };
    } catch (error) {
      if (error instanceof RootKeyUnavailable) return refuse(403, error.message);
      throw error;
    }
  };
}

/** The body. Undefined if it is longer than a share can be. */
async function readShort(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  for (const chunk of chunks) chunk.fill(0);
  return body;
}
