import { type ApiKeyCurve, type ApiKeyParams, type CredentialType, ServiceError } from '@countersign/contract';
import { expired, type Touch } from '@countersign/judgement';
import { publicKeyToRegister } from '../../auth/api-key/public-key.ts';
import { CredentialError } from '../../auth/credential-error.ts';
import type { ApiKeyRecord } from '../../organizations/records.ts';
import type { Taken } from '../../organizations/snapshot/indexes.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded } from '../../wire/refuse.ts';

const credentialTypeOf: Readonly<Record<ApiKeyCurve, CredentialType>> = {
  API_KEY_CURVE_P256: 'CREDENTIAL_TYPE_API_KEY_P256',
  API_KEY_CURVE_SECP256K1: 'CREDENTIAL_TYPE_API_KEY_SECP256K1',
  API_KEY_CURVE_ED25519: 'CREDENTIAL_TYPE_API_KEY_ED25519',
};

/** An API key to record, without its owner. */
export type NewApiKey = Omit<ApiKeyRecord, 'userId'>;

/**
 * Reads API keys to register. `field` is the path of the list in the parameters. `taken` contains the registered public keys of the
 * organization, and new ones are added to it. Rejects a key that is malformed, not on its curve, or already registered.
 * SECURITY: D283: the plan must list `touchedBySignInKey` of the result.
 */
export function readApiKeys(keys: readonly ApiKeyParams[], field: string, taken: Taken, nowMs: number): NewApiKey[] {
  return keys.map(({ apiKeyName, publicKey, curveType, expirationSeconds }, index) => {
    const canonical = readUntakenKey(publicKey, curveType, `${field}.${index}.publicKey`, taken);
    taken.add(canonical);
    return {
      apiKeyName,
      publicKey: canonical,
      curve: curveType,
      type: credentialTypeOf[curveType],
      ...(expirationSeconds !== undefined && { expirationSeconds }),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
  });
}

type KnownKeys = { has(canonical: string): boolean };

/**
 * Returns the canonical form of the public key of a session or a one-time key. `field` is its path in the parameters, `taken` the
 * registered public keys. Rejects the organization's sign-in key: the relay acts with a lasting key, which the root quorum registers.
 */
export function readNewPublicKey(
  context: Pick<PlanContext, 'signInKey'>,
  publicKey: string,
  curve: ApiKeyCurve,
  field: string,
  taken: KnownKeys,
): string {
  const canonical = readUntakenKey(publicKey, curve, field, taken);
  if (canonical === context.signInKey())
    throw invalidField(field, 'is the sign-in key of this organization. Generate a key pair for this purpose');
  return canonical;
}

/** Touches of registering API keys for users: the sign-in key among them is reserved to the root quorum. */
export function touchedBySignInKey(
  context: Pick<PlanContext, 'signInKey'>,
  keys: readonly Pick<NewApiKey, 'publicKey'>[],
): Touch[] {
  if (keys.length === 0) return [];
  const signInKey = context.signInKey();
  return keys.some(({ publicKey }) => publicKey === signInKey) ? [{ what: 'SIGN_IN_KEY' }] : [];
}

function readUntakenKey(publicKey: string, curve: ApiKeyCurve, field: string, taken: KnownKeys): string {
  const canonical = canonicalOrRefuse(publicKey, curve, field);
  if (!taken.has(canonical)) return canonical;
  throw new ServiceError(
    'CREDENTIAL_TAKEN',
    'A public key can belong to only one API key of an organization. Generate another key pair.',
    {
      violations: [{ field, description: 'This public key is already registered.' }],
    },
  );
}

function canonicalOrRefuse(publicKey: string, curve: ApiKeyCurve, path: string): string {
  try {
    return publicKeyToRegister(publicKey, curve);
  } catch (error) {
    if (error instanceof CredentialError) throw invalidField(path, error.message, { cause: error });
    throw error;
  }
}

const registeredTypes: ReadonlySet<CredentialType> = new Set(Object.values(credentialTypeOf));

/** The unit that a limit counts: API keys of all curves, or one type of session or RPC key. */
const kindOf = (type: CredentialType) => (registeredTypes.has(type) ? 'API_KEY' : type);

/** Keys to register, reduced to the fields that `makeRoom` needs. Counting is cheap, so it runs before the points are checked. */
export function toCount(keys: readonly ApiKeyParams[]): Pick<NewApiKey, 'expirationSeconds' | 'type'>[] {
  return keys.map(({ curveType, expirationSeconds }) => ({
    type: credentialTypeOf[curveType],
    ...(expirationSeconds !== undefined && { expirationSeconds }),
  }));
}

/**
 * Returns the user's keys to evict so that the new ones fit. Expiring keys are evicted: expired ones first, then the oldest. Keys that do
 * not expire are never evicted; adding too many of them is rejected.
 * SECURITY: each kind has a separate limit, and mailed keys count only after their first use. So a session cannot evict an API key, a login
 * cannot evict another kind of session, and a mailed key that was only requested evicts nothing.
 */
export function makeRoom(
  keys: ReadonlyMap<string, ApiKeyRecord>,
  added: readonly Pick<NewApiKey, 'expirationSeconds' | 'type'>[],
  limit: number,
  nowMs: number,
): string[] {
  const kinds = new Set(added.map(({ type }) => kindOf(type)));
  const held = new Map([...keys].filter(([, key]) => kinds.has(kindOf(key.type)) && key.messageId === undefined));
  const lasting = [...held.values()].filter((key) => key.expirationSeconds === undefined).length;
  const addedLasting = added.filter((key) => key.expirationSeconds === undefined).length;
  if (addedLasting > 0 && lasting + addedLasting > limit)
    throw limitExceeded('long-lived api keys of a user', limit, 'maxCredentials');
  const addedExpiring = added.length - addedLasting;
  if (addedExpiring > limit) throw limitExceeded('short-lived api keys of a user', limit, 'maxCredentials');
  const expiring = [...held].filter(([, key]) => key.expirationSeconds !== undefined);
  const excess = addedExpiring === 0 ? 0 : Math.max(0, expiring.length + addedExpiring - limit);
  const rank = (key: ApiKeyRecord) => (expired(key, nowMs) ? 0 : 1);
  return expiring
    .sort(([, a], [, b]) => rank(a) - rank(b) || a.createdAtMs - b.createdAtMs)
    .slice(0, excess)
    .map(([id]) => id);
}
