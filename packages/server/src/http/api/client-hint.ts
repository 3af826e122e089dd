import { basePaths } from '@countersign/contract';
import type { Logger } from 'pino';

/** The hint for a client that uses the paths of the other dialect; undefined for all other clients. */
export type ClientHint = (clientVersion: string | readonly string[] | undefined, path: string) => string | undefined;

/** The version header of the published clients: `@turnkey/http@6.6.0`. */
const PUBLISHED = /^@turnkey\/[\w.-]{1,64}@[\w.+-]{1,64}$/;

/** SECURITY: the client chooses the version, so the number of versions that are logged is bounded. */
const MAX_VERSIONS = 100;

/** Recognizes clients of the compatible dialect at the specification's paths. Logs each version once. */
export function createClientHint(log: Pick<Logger, 'warn'>, compatibleAtRoot: boolean): ClientHint {
  const { spec } = basePaths(compatibleAtRoot);
  // The compatible dialect keeps this path if it is served at the root as well.
  const { turnkey } = basePaths(false);
  const seen = new Set<string>();
  const text = `This path speaks the specification's dialect. Clients of @turnkey packages use the base URL that ends in ${turnkey}.`;
  return (clientVersion, path) => {
    if (typeof clientVersion !== 'string' || !PUBLISHED.test(clientVersion)) return undefined;
    if (!path.startsWith(`${spec}/public/v1/`)) return undefined;
    if (!seen.has(clientVersion) && seen.size < MAX_VERSIONS) {
      seen.add(clientVersion);
      log.warn({ clientVersion, basePath: turnkey }, 'a client of the compatible dialect uses the paths of the specification');
    }
    return text;
  };
}

/** The body of an error, with the hint after its message. */
export function withHint(body: Readonly<Record<string, unknown>>, hint: string | undefined): Readonly<Record<string, unknown>> {
  return hint === undefined ? body : { ...body, message: `${String(body.message)} ${hint}` };
}
