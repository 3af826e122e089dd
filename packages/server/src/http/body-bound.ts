import { type QueryDefinition, queries } from '@countersign/contract';
import type { StampHeaders } from '../auth/stamp.ts';
import type { Route } from './routes.ts';

/** More than any query without open parameters has, and than a request can hold of which nobody says who sends it. */
const SMALL_BODY_BYTES = 65_536;

/**
 * The most bytes that the body of a request may have.
 * SECURITY: D166: whoever reads a body has not checked its stamp yet. So only operations that take long parameters take long bodies, and
 * only from requests that have a stamp.
 */
export function bodyBound(route: Route | undefined, headers: StampHeaders, maxBodyBytes: number): number {
  const isSmall = route === undefined || (route.kind === 'query' && !open.has(route.definition.name)) || !claims(headers);
  return isSmall ? Math.min(maxBodyBytes, SMALL_BODY_BYTES) : maxBodyBytes;
}

function claims(headers: StampHeaders): boolean {
  return (['x-stamp', 'x-stamp-webauthn', 'x-session'] as const).some((name) => headers[name] !== undefined);
}

interface Schema {
  readonly _zod?: { readonly def: Readonly<Record<string, unknown>> };
}

/** Queries whose input holds something of any shape, such as the parameters of an activity. */
const open: ReadonlySet<string> = new Set(
  Object.values<QueryDefinition>(queries)
    .filter(({ input }) => isOpen(input as unknown as Schema))
    .map(({ name }) => name),
);

function isOpen(schema: Schema): boolean {
  const def = schema._zod?.def;
  if (def === undefined) return false;
  if (def.type === 'unknown' || def.type === 'any' || def.type === 'record') return true;
  const shape = Object.values((def.shape ?? {}) as Record<string, Schema>);
  const options = (def.options ?? []) as readonly Schema[];
  const inner = [def.innerType, def.element, def.in, def.out].filter((each) => each !== undefined) as Schema[];
  return [...shape, ...options, ...inner].some(isOpen);
}
