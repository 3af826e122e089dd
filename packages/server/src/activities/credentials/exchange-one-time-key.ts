import { activities, ServiceError } from '@countersign/contract';
import { isSession, type Touch } from '@countersign/judgement';
import type { ApiKeyRecord } from '../../organizations/records.ts';
import { takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { readNewPublicKey } from './new-api-keys.ts';

/**
 * Replaces the public key of a one-time key.
 * SECURITY: D312: the link with the first key stays in the history of the browser that opened it. After the exchange that key is unknown.
 * INVARIANT: id, user, restriction, expiry and IP allowlist stay the same, and there is one exchange per key, so it gives no new right.
 */
export const exchangeOneTimeKey = execute(activities.exchangeOneTimeKey, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, submittedWith } = context;
    const { userId, invitationId } = params;
    const key = organization.apiKeys.get(submittedWith);
    if (key?.restrictedTo === undefined) {
      throw new ServiceError('PRECONDITION_FAILED', 'This request must be stamped with the one-time key that it replaces.');
    }
    if (key.userId !== userId) throw notFound('user of this key', 'userId');
    if (key.exchanged)
      throw new ServiceError('PRECONDITION_FAILED', 'This one-time key was exchanged already. Use it, or ask for a new link.');
    const publicKey = readNewPublicKey(
      context,
      params.publicKey,
      key.curve,
      'publicKey',
      takenIn(organization.apiKeyByPublicKey),
    );
    const touches: Touch[] = [{ what: isSession(key) ? 'SESSION' : 'API_KEY', userId }];
    return {
      intent: params,
      subject: { touches, oneTimeSubjectId: invitationId ?? userId },
      prepared: { apiKeyId: submittedWith, key, publicKey },
    };
  },

  async run({ nowMs }, { prepared: { apiKeyId, key, publicKey } }) {
    // The new key has not stamped anything yet.
    const { provenAtMs: _, ...kept } = key;
    const body: ApiKeyRecord = { ...kept, publicKey, exchanged: true, updatedAtMs: nowMs };
    return { result: { apiKeyId }, changes: [{ op: 'putRecord', kind: 'apiKey', id: apiKeyId, body }] };
  },
});
