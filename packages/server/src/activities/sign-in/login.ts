import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { readNewPublicKey } from '../credentials/new-api-keys.ts';
import { type PlannedSessionKey, planSessionKey, recordSessionKey, type SessionRequest } from './session-keys.ts';
import type { SessionProof } from './session-lifetime.ts';
import { sessionToken } from './session-token.ts';

/** Kind of key that a login creates. */
export const loginKey = { type: 'CREDENTIAL_TYPE_LOGIN', kind: 'Login' } as const;

/** Request to log in with a key that the client generated. */
export interface LoginRequest extends Omit<SessionRequest, 'apiKeyName'> {
  readonly publicKey: string;
}

/** A planned login: the session key to record, and its public key in canonical form. */
export interface PlannedLogin {
  readonly key: PlannedSessionKey;
  readonly publicKey: string;
}

/** Plans a login of a user, regardless of how the user was authenticated. Rejects a key that is malformed or already registered. */
export async function planLogin(
  context: PlanContext,
  userId: string,
  request: LoginRequest,
  proof: SessionProof,
): Promise<PlannedLogin> {
  const known = context.organization.apiKeyByPublicKey;
  const publicKey = readNewPublicKey(context, request.publicKey, 'API_KEY_CURVE_P256', 'publicKey', known);
  const key = await planSessionKey(context, userId, loginKey, request, proof);
  return { key, publicKey };
}

/**
 * Returns the changes that log a user in, and the session token. `isProven` means that the holder of the session's key signed the login.
 * SECURITY: D280: otherwise the key can be anyone's.
 */
export async function recordLogin(
  context: RunContext,
  { key, publicKey }: PlannedLogin,
  isProven = false,
): Promise<{ readonly session: string; readonly changes: readonly LocalChange[]; readonly warnings: readonly string[] }> {
  const { organization, vault, nowMs } = context;
  const { changes, warnings } = recordSessionKey(context, key, { hex: publicKey, isProven });
  const session = await sessionToken(vault.service, {
    organizationId: organization.id,
    userId: key.userId,
    publicKey,
    expiresAtMs: nowMs + Number(key.expirationSeconds) * 1000,
    ...(key.limitedTo && { limitedTo: key.limitedTo }),
  });
  return { session, changes, warnings };
}
