import { basePaths } from '@countersign/contract';
import type { Logger } from 'pino';
import type { AnswerPlain } from './plain-connections.ts';

/** What to tell a client that speaks the other dialect than the one at the path it calls; undefined for every other client. */
export type ClientHint = (clientVersion: string | readonly string[] | undefined, path: string) => string | undefined;

/** How the published clients name themselves: `@turnkey/http@6.6.0`. */
const PUBLISHED = /^@turnkey\/[\w.-]{1,64}@[\w.+-]{1,64}$/;

/** SECURITY: anybody can send any version, so only so many are remembered and logged. */
const MOST_VERSIONS = 100;

/** Recognizes clients of the compatible dialect at the specification's paths. The log hears of each version once. */
export function createClientHint(log: Pick<Logger, 'warn'>, compatibleAtRoot: boolean): ClientHint {
  const { spec } = basePaths(compatibleAtRoot);
  // The compatible dialect stays there where it has the root too.
  const { turnkey } = basePaths(false);
  const seen = new Set<string>();
  const text = `This path speaks the specification's dialect. Clients of @turnkey packages use the base URL that ends in ${turnkey}.`;
  return (clientVersion, path) => {
    if (typeof clientVersion !== 'string' || !PUBLISHED.test(clientVersion)) return undefined;
    if (!path.startsWith(`${spec}/public/v1/`)) return undefined;
    if (!seen.has(clientVersion) && seen.size < MOST_VERSIONS) {
      seen.add(clientVersion);
      log.warn({ clientVersion, basePath: turnkey }, 'a client of the compatible dialect calls the paths of the specification');
    }
    return text;
  };
}

/** The body of an error, with the hint behind its message. */
export function withHint(body: unknown, hint: string | undefined): unknown {
  if (hint === undefined || typeof body !== 'object' || body === null || !('message' in body)) return body;
  return { ...body, message: `${String(body.message)} ${hint}` };
}

/** Answers plain requests as before, and adds the hint to errors. */
export function hintPlainly(answer: AnswerPlain, hint: ClientHint): AnswerPlain {
  return (head, bytes, socket) => {
    const answered = answer(head, bytes, socket);
    const told = answered && hint(head.headers['x-client-version'], head.path);
    if (answered === undefined || told === undefined) return answered;
    return answered.then((plain) => {
      const { status, json } = plain;
      if (status < 400 || typeof json !== 'string') return plain;
      return { ...plain, json: JSON.stringify(withHint(JSON.parse(json), told)) };
    });
  };
}
