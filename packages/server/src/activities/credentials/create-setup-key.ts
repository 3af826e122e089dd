import { activities, defaults } from '@countersign/contract';
import { credentialsOfUser, type Touch } from '@countersign/judgement';
import type { ApiKeyRecord } from '../../organizations/records.ts';
import { takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { readNewPublicKey } from './new-api-keys.ts';
import { removeApiKeys } from './remove-api-keys.ts';

const CURVE = 'API_KEY_CURVE_P256';
const TYPE = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256';

/**
 * Returns the record of a setup key. `publicKey` is in its canonical form.
 * SECURITY: the key can only register one passkey of this user. `recoverUser` removes it after use.
 */
export function setupKeyRecord(userId: string, publicKey: string, expirationSeconds: string, nowMs: number): ApiKeyRecord {
  return {
    userId,
    apiKeyName: 'Set-up key',
    publicKey,
    curve: CURVE,
    type: TYPE,
    expirationSeconds,
    restrictedTo: { activity: activities.recoverUser.name, subjectId: userId },
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

export const createSetupKey = execute(activities.createSetupKey, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, nowMs } = context;
    const { userId, expirationSeconds = defaults.setupKeySeconds } = params;
    if (!organization.users.has(userId)) throw notFound('user', 'userId');
    const publicKey = readNewPublicKey(context, params.publicKey, CURVE, 'publicKey', takenIn(organization.apiKeyByPublicKey));
    // SECURITY: the holder of the key can become this user, so it requires the permissions for both a passkey and a session of the user.
    const touches: Touch[] = [
      { what: 'PASSKEY', userId },
      { what: 'SESSION', userId },
    ];
    return { intent: params, subject: { touches }, prepared: setupKeyRecord(userId, publicKey, expirationSeconds, nowMs) };
  },

  async run({ organization, newId, nowMs }, { prepared: key }) {
    // INVARIANT: a user has at most one key of this type, so that a new link invalidates a lost one.
    const earlier = [...credentialsOfUser(organization.apiKeys, key.userId)]
      .filter(([, { type }]) => type === TYPE)
      .map(([id]) => id);
    const apiKeyId = newId();
    return {
      result: { apiKeyId },
      changes: [
        ...removeApiKeys(organization, earlier),
        // The lifetime starts now, not before the approvals.
        { op: 'putRecord', kind: 'apiKey', id: apiKeyId, body: { ...key, createdAtMs: nowMs, updatedAtMs: nowMs } },
      ],
    };
  },
});
