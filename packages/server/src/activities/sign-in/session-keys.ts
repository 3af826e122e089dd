import { type CredentialType, ServiceError } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import type { ApiKeyRecord, SessionOrigin, SessionScope } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { evictionOf } from '../credentials/evicted-keys.ts';
import { makeRoom } from '../credentials/new-api-keys.ts';
import { endOpenedSessions, requireNoLockOutWithout, type Sessions, sessionsOpenedWith } from '../credentials/remove-api-keys.ts';
import { ending, originOf, type SessionProof, sessionSeconds } from './session-lifetime.ts';
import { scopeOf } from './session-scope.ts';

/** Options of a request for a session. */
export interface SessionRequest {
  readonly apiKeyName?: string | undefined;
  readonly expirationSeconds?: string | undefined;
  readonly invalidateExisting?: boolean | undefined;
  readonly sessionProfileId?: string | undefined;
  readonly endsForGood?: boolean | undefined;
}

/** A session key to create, and the keys that it replaces. Its public key may not be known yet. */
export interface PlannedSessionKey {
  readonly userId: string;
  readonly type: CredentialType;
  /** If undefined, the name is `<kind> - <time of the session>`. */
  readonly apiKeyName: string | undefined;
  readonly kind: string;
  readonly expirationSeconds: string;
  readonly origin: SessionOrigin;
  readonly limitedTo: SessionScope | undefined;
  /** Ids of the keys to remove. */
  readonly removed: readonly string[];
  /** Those of them that make room for this one. */
  readonly evicted: readonly string[];
  /** The sessions that were opened with keys that `invalidateExisting` ends. */
  readonly ended: Sessions;
}

/** Adds the defaults to a request for a session, as intents show it. */
export async function withSessionDefaults<R extends SessionRequest>(
  context: PlanContext,
  kind: string,
  request: R,
  proof: SessionProof,
) {
  const seconds = () => sessionSeconds(context, originOf(context, proof), undefined);
  return {
    ...request,
    apiKeyName: request.apiKeyName ?? sessionName(kind, context.nowMs),
    expirationSeconds: request.expirationSeconds ?? (await seconds()),
    invalidateExisting: request.invalidateExisting ?? false,
  };
}

function sessionName(kind: string, nowMs: number): string {
  return `${kind} - ${new Date(nowMs).toISOString()}`;
}

/** A planned session without its user and the keys that it replaces. */
type DescribedSession = Omit<PlannedSessionKey, 'userId' | 'removed' | 'evicted' | 'ended'>;

const ONE_TIME: CredentialType = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256';

/** Plans the properties of a session, regardless of how its user is authenticated. */
export async function describeSession(
  context: PlanContext,
  { type, kind }: Pick<PlannedSessionKey, 'type' | 'kind'>,
  { apiKeyName, expirationSeconds: asked, sessionProfileId, endsForGood = false }: SessionRequest,
  proof: SessionProof,
): Promise<DescribedSession> {
  const origin = originOf(context, proof);
  // A one-time key is limited to one activity instead.
  const limitedTo = type === ONE_TIME ? undefined : await scopeOf(context, { proof, sessionProfileId });
  const expirationSeconds = await sessionSeconds(context, origin, asked, limitedTo);
  return {
    type,
    kind,
    apiKeyName,
    expirationSeconds,
    limitedTo,
    origin: endsForGood ? ending(context, origin, expirationSeconds) : origin,
  };
}

/**
 * Returns the lifetime for policies if the session is planned only when the activity runs. Undefined if no session can be opened: the
 * request asks for too long a lifetime, or names a profile that does not exist. A policy that refers to the lifetime then has no value.
 */
export async function foreseenSeconds(
  context: PlanContext,
  named: Pick<PlannedSessionKey, 'type' | 'kind'>,
  request: SessionRequest,
  proof: SessionProof,
): Promise<string | undefined> {
  try {
    return (await describeSession(context, named, request, proof)).expirationSeconds;
  } catch (error) {
    // The activity reports this error once it is authorized: a caller without permission must not learn the reason.
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * Plans an expiring API key for an authenticated user. D32: `invalidateExisting` ends the user's other keys of this type, and the sessions
 * that were opened with them. If the user has too many keys, expired keys of the type are evicted first, then the oldest.
 */
export async function planSessionKey(
  context: PlanContext,
  userId: string,
  named: Pick<PlannedSessionKey, 'type' | 'kind'>,
  request: SessionRequest,
  proof: SessionProof,
): Promise<PlannedSessionKey> {
  const { organization, limits, nowMs } = context;
  const session = await describeSession(context, named, request, proof);
  const { type, expirationSeconds } = session;
  const { invalidateExisting = false } = request;
  const held = [...credentialsOfUser(organization.apiKeys, userId)];
  const isEnded = (key: ApiKeyRecord) => invalidateExisting && key.type === type;
  const invalidated = held.filter(([, key]) => isEnded(key)).map(([id]) => id);
  const kept = new Map(held.filter(([, key]) => !isEnded(key)));
  const evicted = makeRoom(kept, [{ expirationSeconds, type }], limits.maxCredentials, nowMs);
  const removed = [...invalidated, ...evicted];
  const ended = sessionsOpenedWith(organization, invalidated);
  requireNoLockOutWithout(context, [...removed, ...ended.apiKeyIds]);
  return { ...session, userId, removed, evicted, ended };
}

/** The public key of a session, in canonical form. */
export interface SessionPublicKey {
  readonly hex: string;
  /** Whether only the user can have the private key: the service generated it, or its holder signed the login. */
  readonly isProven: boolean;
}

/** The public key of a credential that the service generated and encrypted to its user. */
export function generatedKey(publicKey: Uint8Array): SessionPublicKey {
  return { hex: Buffer.from(publicKey).toString('hex'), isProven: true };
}

/** Returns the changes that record the key of a session. */
export function recordSessionKey(
  context: Pick<RunContext, 'organization' | 'requester' | 'newId' | 'nowMs'>,
  { userId, type, apiKeyName, kind, expirationSeconds, origin, limitedTo, removed, evicted, ended }: PlannedSessionKey,
  publicKey: SessionPublicKey,
  more: Pick<ApiKeyRecord, 'restrictedTo' | 'messageId' | 'endsOthers'> = {},
): { readonly apiKeyId: string; readonly changes: readonly LocalChange[]; readonly warnings: readonly string[] } {
  const { organization, newId, nowMs } = context;
  const eviction = evictionOf(organization, userId, evicted, nowMs);
  const goes = [...new Set([...removed, ...ended.apiKeyIds])];
  requireNoLockOutWithout(context, goes);
  const apiKeyId = newId();
  const body: ApiKeyRecord = {
    userId,
    apiKeyName: apiKeyName ?? sessionName(kind, nowMs),
    publicKey: publicKey.hex,
    curve: 'API_KEY_CURVE_P256',
    type,
    expirationSeconds,
    ...(publicKey.isProven && organization.profile.parentId !== null && { provenAtMs: nowMs }),
    ...more,
    origin,
    ...(limitedTo && { limitedTo }),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return {
    apiKeyId,
    changes: [
      ...endOpenedSessions(organization, { ...ended, apiKeyIds: goes }),
      { op: 'putRecord', kind: 'apiKey', id: apiKeyId, body },
      ...eviction.changes,
    ],
    warnings: eviction.warnings,
  };
}
