import { activityKind } from '@countersign/contract';
import { language } from '@countersign/policy';
import type { PastRequest } from '../past-requests.ts';

/** A namespace value as the service returns it. */
export type Shown = boolean | string | readonly Shown[] | { readonly [member: string]: Shown };

/** Past requests that one policy can cover: of one kind, with the same namespaces. */
export interface Group {
  readonly kind: string;
  /** Namespace of the signed payload: `eth.tx`, `eth.eip_712`. Undefined for other activities. */
  readonly signed: string | undefined;
  readonly requests: readonly PastRequest[];
}

const signedPaths = language.namespaces.flatMap(({ path, groups }) => (groups?.includes('signed') === true ? [path] : []));

/** Groups requests by their namespaces, because a policy that refers to an absent namespace does not apply. */
export function toGroups(requests: readonly PastRequest[]): readonly Group[] {
  const groups = new Map<string, { kind: string; signed: string | undefined; requests: PastRequest[] }>();
  for (const request of requests) {
    const kind = activityKind(request.type);
    const signed = signedPaths.find((path) => request.namespaces[path] !== undefined);
    const holder = ['wallet', 'private_key'].filter((path) => request.namespaces[path] !== undefined).join();
    const key = `${kind} ${signed ?? ''} ${holder}`;
    const group = groups.get(key) ?? { kind, signed, requests: [] };
    groups.set(key, group);
    group.requests.push(request);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

/** One member of a namespace. Undefined if the request lacks it. */
export function valueAt(request: PastRequest, namespace: string, member: string): Shown | undefined {
  const value = request.namespaces[namespace];
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, member) ? (value as Record<string, Shown>)[member] : undefined;
}

/** Integer of a value. */
export function toInteger(value: Shown | undefined): bigint | undefined {
  const text = typeof value === 'object' && '$int' in value ? value.$int : undefined;
  return typeof text === 'string' ? BigInt(text) : undefined;
}

export type Effect = { readonly [member: string]: Shown };

/** Effects of a request. Empty if it has none. */
export function effectsOf(request: PastRequest): readonly Effect[] {
  const { effects } = request.namespaces;
  return Array.isArray(effects) ? (effects as Effect[]) : [];
}

/** All values, or undefined if a request lacks one. */
export function allOf<T>(items: readonly (T | undefined)[]): readonly T[] | undefined {
  return items.every((item) => item !== undefined) ? (items as readonly T[]) : undefined;
}
