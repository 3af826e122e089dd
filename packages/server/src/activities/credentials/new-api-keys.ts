import { type ApiKeyCurve, type ApiKeyParams, type CredentialType, ServiceError } from '@countersign/contract';
import { expired, strengthOf } from '@countersign/judgement';
import { CredentialError } from '../../auth/credential-error.ts';
import { canonicalPublicKey } from '../../auth/public-key.ts';
import type { Taken } from '../../organizations/indexes.ts';
import type { ApiKeyRecord } from '../../organizations/records.ts';
import { invalidField, limitExceeded } from '../../wire/refuse.ts';

const credentialTypeOf: Readonly<Record<ApiKeyCurve, CredentialType>> = {
  API_KEY_CURVE_P256: 'CREDENTIAL_TYPE_API_KEY_P256',
  API_KEY_CURVE_SECP256K1: 'CREDENTIAL_TYPE_API_KEY_SECP256K1',
  API_KEY_CURVE_ED25519: 'CREDENTIAL_TYPE_API_KEY_ED25519',
};

/** An API key as it will be recorded, but for its owner. */
export type NewApiKey = Omit<ApiKeyRecord, 'userId'>;

/**
 * Reads API keys to register. `field` is the path of the list in the parameters, `taken` tells which public keys the organization
 * has already (and grows by the new ones). Refuses a key that is malformed, off its curve, or known.
 */
export function readApiKeys(keys: readonly ApiKeyParams[], field: string, taken: Taken, nowMs: number): NewApiKey[] {
  return keys.map(({ apiKeyName, publicKey, curveType, expirationSeconds }, index) => {
    const canonical = readNewPublicKey(publicKey, curveType, `${field}.${index}.publicKey`, taken);
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

/** The canonical form of a public key to register. `field` is its path in the parameters, `taken` what the organization has already. */
export function readNewPublicKey(
  publicKey: string,
  curve: ApiKeyCurve,
  field: string,
  taken: { has(canonical: string): boolean },
): string {
  const canonical = canonicalOrRefuse(publicKey, curve, field);
  if (!taken.has(canonical)) return canonical;
  throw new ServiceError(
    'CREDENTIAL_TAKEN',
    'A public key can belong to one API key of an organization only. Generate another key pair.',
    {
      violations: [{ field, description: 'This public key is registered already.' }],
    },
  );
}

function canonicalOrRefuse(publicKey: string, curve: ApiKeyCurve, path: string): string {
  try {
    return canonicalPublicKey(publicKey, curve);
  } catch (fault) {
    if (fault instanceof CredentialError) throw invalidField(path, fault.message, { cause: fault });
    throw fault;
  }
}

/** What a limit is for: API keys, of whatever curve, or one type of session. */
const kindOf = (type: CredentialType) => (strengthOf(type) === 'API_KEY' ? 'API_KEY' : type);

/** Keys to register, as far as `makeRoom` asks for them. Counting them costs nothing, so it comes before their points are checked. */
export function toCount(keys: readonly ApiKeyParams[]): Pick<NewApiKey, 'expirationSeconds' | 'type'>[] {
  return keys.map(({ curveType, expirationSeconds }) => ({
    type: credentialTypeOf[curveType],
    ...(expirationSeconds !== undefined && { expirationSeconds }),
  }));
}

/**
 * Which of a user's keys have to go so that the new ones fit. Keys that expire make room by themselves: the expired ones first, then
 * the oldest. Keys that do not expire are never removed; too many of them are refused.
 * SECURITY: each kind has a limit of its own, and keys that came by mail count only once they are used. So a session ends no API key, a
 * login no other kind of session, and what was merely asked for nothing at all.
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
