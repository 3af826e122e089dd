import type { IncomingHttpHeaders } from 'node:http';
import { RELAY_HEADER, shardIn } from '@countersign/contract';

/** A shard, and the path there. */
export interface Target {
  readonly shard: number;
  readonly path: string;
}

const SHARD_PAGE = /^\/shards\/(0|[1-9]\d{0,4})(\/(?:log\/[\w/.-]+|readyz))$/;
const relayHeader = RELAY_HEADER.toLowerCase();

/** Pages of one shard: its log and its readiness, as `/shards/<number>/log/…`. Undefined for other paths. */
export function pageTarget(path: string): Target | undefined {
  const [, digits, page] = SHARD_PAGE.exec(path) ?? [];
  return digits === undefined || page === undefined ? undefined : { shard: Number(digits), path: page };
}

/**
 * The shard of the organization that a request names: in a header if it signs people in without a stamp, otherwise in its body. Shard 0
 * if it names none, which then answers what is wrong with it.
 * SECURITY: nothing depends on the result. A shard that does not have the organization rejects the request.
 */
export function shardOfRequest(headers: IncomingHttpHeaders, body: Uint8Array): number {
  const relayed = headers[relayHeader];
  const organizationId = typeof relayed === 'string' ? relayed : organizationIn(body);
  return (typeof organizationId === 'string' ? shardIn(organizationId) : undefined) ?? 0;
}

function organizationIn(body: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
    return (value as { organizationId?: unknown } | null)?.organizationId;
  } catch {
    // Not JSON: the shard responds with the error.
    return undefined;
  }
}
