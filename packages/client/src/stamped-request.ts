import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Client } from './types.ts';

/** An activity as queries return it. */
export type ListedActivity = Awaited<ReturnType<Client['getActivity']>>['activity'];

/** Stamped body that requested an activity. */
export interface StampedRequest {
  readonly type: string;
  readonly organizationId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The requester’s own words about the request. Show them as such, escaped: they may say anything. */
  readonly reference?: string;
}

/**
 * The request that the first person stamped, parsed from the message. Undefined if the fingerprint, the type or the organization belong to
 * another message, or if the service hides the message because it contains a secret.
 * SECURITY: vote only on the fingerprint of an activity for which this returns a request, and show people that request. This detects a
 * service or an intermediary that shows one activity under the fingerprint of another.
 */
export function stampedRequest(
  activity: Pick<ListedActivity, 'votes' | 'type' | 'fingerprint' | 'organizationId'>,
): StampedRequest | undefined {
  const message = activity.votes[0]?.message ?? '';
  if (`sha256:${bytesToHex(sha256(utf8ToBytes(message)))}` !== activity.fingerprint) return undefined;
  const body = parse(message);
  if (body?.type !== activity.type || body.organizationId !== activity.organizationId) return undefined;
  const { type, organizationId, parameters, reference } = body;
  if (typeof parameters !== 'object' || parameters === null) return undefined;
  const request = { type, organizationId, parameters } as StampedRequest;
  return typeof reference === 'string' ? { ...request, reference } : request;
}

function parse(message: string): Partial<Record<keyof StampedRequest, unknown>> | undefined {
  try {
    return JSON.parse(message) ?? undefined;
  } catch {
    // Not JSON, so it is not a request.
    return undefined;
  }
}

/** One-line description of an activity. */
export function headline({ type, parsed, votes }: Pick<ListedActivity, 'type' | 'parsed' | 'votes'>): string {
  const who = votes[0]?.user.userName;
  const what = parsed?.description ?? typeInWords(type);
  return `${who === undefined ? '' : `${who} asks: `}${what}`.replace(/\s*\n\s*/g, ' ');
}

/** `ACTIVITY_TYPE_CREATE_POLICY_V3` as "create policy". */
export function typeInWords(type: string): string {
  return type
    .replace('ACTIVITY_TYPE_', '')
    .replace(/_V\d+$/, '')
    .toLowerCase()
    .replaceAll('_', ' ');
}
