import type { IncomingHttpHeaders } from 'node:http';
import type { QueryDefinition } from '@countersign/contract';
import type { StampHeaders } from '../../auth/api-key/stamp.ts';
import type { Route } from './routes.ts';

/** Larger than any query without open parameters, and than any request without a stamp. */
const SMALL_BODY_BYTES = 65_536;

/**
 * The largest body of a request, in bytes.
 * SECURITY: D166: a body is read before its stamp is verified. So only operations with long parameters accept long bodies, and only from
 * requests that have a stamp, or a token.
 */
export function bodyBound(
  { route, rpc }: { readonly route: Route | undefined; readonly rpc?: unknown },
  headers: IncomingHttpHeaders,
  maxBodyBytes: number,
): number {
  if (rpc !== undefined) return headers.authorization === undefined ? Math.min(maxBodyBytes, SMALL_BODY_BYTES) : maxBodyBytes;
  const isSmall =
    route === undefined || (route.kind === 'query' && !hasOpenInput(route.definition)) || !claims(headers as StampHeaders);
  return isSmall ? Math.min(maxBodyBytes, SMALL_BODY_BYTES) : maxBodyBytes;
}

function claims(headers: StampHeaders): boolean {
  return (['x-stamp', 'x-stamp-webauthn', 'x-session'] as const).some((name) => headers[name] !== undefined);
}

interface Schema {
  readonly _zod?: { readonly def: Readonly<Record<string, unknown>> };
}

const known = new WeakMap<QueryDefinition, boolean>();

/** Whether the input of a query holds something of any shape, such as the parameters of an activity. */
function hasOpenInput(query: QueryDefinition): boolean {
  const isKnown = known.get(query);
  if (isKnown !== undefined) return isKnown;
  const found = isOpen(query.input as unknown as Schema);
  known.set(query, found);
  return found;
}

function isOpen(schema: Schema): boolean {
  const def = schema._zod?.def;
  if (def === undefined) return false;
  if (def.type === 'unknown' || def.type === 'any' || def.type === 'record') return true;
  const shape = Object.values((def.shape ?? {}) as Record<string, Schema>);
  const options = (def.options ?? []) as readonly Schema[];
  const inner = [def.innerType, def.element, def.in, def.out].filter((each) => each !== undefined) as Schema[];
  return [...shape, ...options, ...inner].some(isOpen);
}
