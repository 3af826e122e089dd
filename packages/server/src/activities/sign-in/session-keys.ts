import type { CredentialType } from '@countersign/contract';
import type { LocalChange } from '../../organizations/changes.ts';
import type { ApiKeyRecord } from '../../organizations/records.ts';
import type { PlanContext, RunContext } from '../../pipeline/executor.ts';
import { makeRoom } from '../credentials/new-api-keys.ts';
import { removeApiKeys, requireNoLockOutWithout } from '../credentials/remove-api-keys.ts';

/** How long a session lasts where the request does not say: fifteen minutes. */
export const DEFAULT_SESSION_SECONDS = '900';

/** What a user asks for when signing in. */
export interface SessionRequest {
  readonly apiKeyName?: string | undefined;
  readonly expirationSeconds?: string | undefined;
  readonly invalidateExisting?: boolean | undefined;
}

/** A key that a session will have, and which others go for it. Its public half may not be known yet. */
export interface PlannedSessionKey {
  readonly userId: string;
  readonly type: CredentialType;
  /** Undefined for `<kind> - <time of the session>`. */
  readonly apiKeyName: string | undefined;
  readonly kind: string;
  readonly expirationSeconds: string;
  /** Ids of the keys that are removed. */
  readonly removed: readonly string[];
}

/**
 * Plans an expiring API key for a user. D32: `invalidateExisting` ends the user's other keys of this type and no others; beyond that,
 * expired keys and then the oldest make room.
 */
export function planSessionKey(
  context: PlanContext,
  userId: string,
  { type, kind }: Pick<PlannedSessionKey, 'type' | 'kind'>,
  { apiKeyName, expirationSeconds = DEFAULT_SESSION_SECONDS, invalidateExisting = false }: SessionRequest,
): PlannedSessionKey {
  const { organization, limits, nowMs } = context;
  const held = [...organization.apiKeys].filter(([, key]) => key.userId === userId);
  const ended = (key: ApiKeyRecord) => invalidateExisting && key.type === type;
  const kept = new Map(held.filter(([, key]) => !ended(key)));
  const removed = [
    ...held.filter(([, key]) => ended(key)).map(([id]) => id),
    ...makeRoom(kept, [{ expirationSeconds }], limits.maxCredentials, nowMs),
  ];
  requireNoLockOutWithout(context, removed);
  return { userId, type, apiKeyName, kind, expirationSeconds, removed };
}

/** The changes that give a session its key. `publicKeyHex` is in canonical form; `restrictedTo` makes it a one-time key. */
export function recordSessionKey(
  context: Pick<RunContext, 'organization' | 'requester' | 'newId' | 'nowMs'>,
  { userId, type, apiKeyName, kind, expirationSeconds, removed }: PlannedSessionKey,
  publicKeyHex: string,
  restrictedTo?: ApiKeyRecord['restrictedTo'],
): { readonly apiKeyId: string; readonly changes: readonly LocalChange[] } {
  const { organization, newId, nowMs } = context;
  requireNoLockOutWithout(context, removed);
  const apiKeyId = newId();
  const body: ApiKeyRecord = {
    userId,
    apiKeyName: apiKeyName ?? `${kind} - ${new Date(nowMs).toISOString()}`,
    publicKey: publicKeyHex,
    curve: 'API_KEY_CURVE_P256',
    type,
    expirationSeconds,
    ...(restrictedTo && { restrictedTo }),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return {
    apiKeyId,
    changes: [...removeApiKeys(organization, removed), { op: 'putRecord', kind: 'apiKey', id: apiKeyId, body }],
  };
}
