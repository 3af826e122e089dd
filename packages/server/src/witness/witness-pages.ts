import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ADD_CHECKPOINT_PATH } from '@countersign/tlog';
import type { Logger } from 'pino';
import type { Witness } from './witness.ts';

/** A checkpoint with many signatures and the longest proof is a tenth of this. */
const MAX_BODY_BYTES = 65_536;
const NEWEST = /^\/([0-9a-f]{64})\/checkpoint$/;

interface Answer {
  readonly status: number;
  readonly contentType?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A witness over HTTP: `POST /add-checkpoint` (C2SP tlog-witness), `GET /<SHA-256 of the origin in hex>/checkpoint` with the newest
 * checkpoint that was cosigned, `GET /key`, `GET /healthz`. There is no authentication: the signature of the log suffices.
 */
export function witnessPages(witness: Witness, log: Pick<Logger, 'error'>): RequestListener {
  async function answer(request: IncomingMessage): Promise<Answer> {
    const path = (request.url ?? '/').split('?', 1)[0] as string;
    if (path === `/${ADD_CHECKPOINT_PATH}`) {
      if (request.method !== 'POST') return notAllowed('POST');
      const body = await readText(request);
      return body === undefined ? { status: 413, body: 'the request is too large, or is not UTF-8\n' } : witness.add(body);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed('GET');
    if (path === '/key') return { status: 200, body: `${witness.keyText}\n` };
    if (path === '/healthz') return { status: 200, body: 'ok\n' };
    const [, hash] = NEWEST.exec(path) ?? [];
    return hash === undefined ? { status: 404, body: 'a witness has no such page\n' } : witness.newest(hash);
  }

  return (request, response) => {
    answer(request).then(
      (found) => send(response, found),
      (error: unknown) => {
        log.error({ err: error }, 'a request could not be answered');
        send(response, { status: 500, body: 'the witness cannot answer now\n' });
      },
    );
  };
}

const notAllowed = (allow: string): Answer => ({ status: 405, body: `use ${allow}\n`, headers: { Allow: allow } });

function send(response: ServerResponse, { status, contentType = 'text/plain; charset=utf-8', body, headers }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

/** Undefined for a body that is too large or not UTF-8. A large body is read to its end and discarded, so that the response arrives. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (length > MAX_BODY_BYTES) return undefined;
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}
