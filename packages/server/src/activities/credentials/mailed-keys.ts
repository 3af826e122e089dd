import { credentialsOfUser, expired } from '@countersign/judgement';
import { effectiveLimits, type Limits } from '../../config/limits.ts';
import type { ApiKeyRecord, OneTimeCodeRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { sentWith } from '../../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { endInvitation } from '../users/invitations.ts';
import { evictionOf } from './evicted-keys.ts';
import { makeRoom } from './new-api-keys.ts';
import { endOpenedSessions, removeApiKeys, sessionsOpenedWith } from './remove-api-keys.ts';

/**
 * Returns the unused mailed keys to evict for a new key of the same type. Beyond the limit, expired keys are evicted first, then the
 * oldest.
 * SECURITY: an unused mailed key never evicts a key that was used. Otherwise, a caller who knows an address could end the sessions of the
 * user who has it.
 */
export function makeRoomForMailed(
  held: ReadonlyMap<string, ApiKeyRecord>,
  type: ApiKeyRecord['type'],
  limit: number,
  nowMs: number,
): string[] {
  const unused = [...held].filter(([, key]) => key.type === type && key.messageId !== undefined);
  const rank = (key: ApiKeyRecord) => (expired(key, nowMs) ? 0 : 1);
  return unused
    .sort(([, a], [, b]) => rank(a) - rank(b) || a.createdAtMs - b.createdAtMs)
    .slice(0, Math.max(0, unused.length + 1 - limit))
    .map(([id]) => id);
}

/**
 * Returns the changes of the first use of a mailed key: it becomes a normal session. Only now it evicts other keys of its type, or ends
 * them all if the request asked for that. Empty for any other key.
 */
export function activateMailedKey(organization: Snapshot, apiKeyId: string, limits: Limits, nowMs: number): LocalChange[] {
  const key = organization.apiKeys.get(apiKeyId);
  if (key?.messageId === undefined) return [];
  const { messageId: _, endsOthers, ...opened } = key;
  const others = new Map(
    [...credentialsOfUser(organization.apiKeys, key.userId)].filter(([id, { type }]) => id !== apiKeyId && type === key.type),
  );
  const removed = endsOthers
    ? [...others.keys()]
    : makeRoom(others, [opened], effectiveLimits(organization, limits).maxCredentials, nowMs);
  const ended = endsOthers ? sessionsOpenedWith(organization, removed) : { apiKeyIds: [], readOnlySessionIds: [] };
  return [
    ...removeApiKeys(organization, removed),
    ...(endsOthers ? [] : evictionOf(organization, key.userId, removed, nowMs).changes),
    ...endOpenedSessions(organization, ended),
    { op: 'putRecord', kind: 'apiKey', id: apiKeyId, body: { ...opened, updatedAtMs: nowMs } },
  ];
}

/**
 * Returns the changes if a message cannot be delivered: they end the key in it, with its invitation if it has one, or the code.
 * INVARIANT: an unused key does not outlive the message that carries it. A mailed key expires no later than its message, and is removed
 * when delivery is abandoned.
 */
export function endWithMessage(organization: Snapshot, messageId: string, nowMs: number): LocalChange[] {
  const keys = [...sentWith(organization.apiKeys, messageId)];
  const codes = [...sentWith(organization.records.oneTimeCode, messageId)].filter(([, code]) => code.used !== true);
  return [
    ...keys.flatMap(([id, { restrictedTo }]): LocalChange[] => {
      const invitation = organization.records.invitation.get(restrictedTo?.subjectId ?? '');
      if (restrictedTo === undefined || invitation === undefined) return removeApiKeys(organization, [id]);
      return endInvitation(organization, restrictedTo.subjectId, invitation, 'INVITATION_STATUS_REVOKED', nowMs);
    }),
    // Keep the record: rate limits count it.
    ...codes.map(([id, { sealedTarget: _, ...code }]): LocalChange => {
      const body: OneTimeCodeRecord = { ...code, triesLeft: 0, updatedAtMs: nowMs };
      return { op: 'putRecord', kind: 'oneTimeCode', id, body };
    }),
  ];
}
