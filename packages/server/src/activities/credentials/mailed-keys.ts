import { credentialsOfUser, expired } from '@countersign/judgement';
import type { Limits } from '../../config/limits.ts';
import type { LocalChange } from '../../organizations/changes.ts';
import { effectiveLimits } from '../../organizations/effective-limits.ts';
import { sentWith } from '../../organizations/indexes.ts';
import type { ApiKeyRecord, OneTimeCodeRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { endInvitation } from '../users/invitations.ts';
import { makeRoom } from './new-api-keys.ts';
import { endOpenedSessions, removeApiKeys, sessionsOpenedWith } from './remove-api-keys.ts';

/**
 * Which mailed keys that nobody has used yet give way to another of their type: beyond the limit, those that have expired and then the
 * oldest.
 * SECURITY: nothing that was used ever gives way to a key that was merely asked for. Otherwise everybody who knows an address could end
 * the sessions of its owner.
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
 * What follows from the first use of a key that came by mail: it is a session like any other now, and only now makes room for itself
 * among those of its type, or ends them where that was asked for. Empty for any other key.
 */
export function openMailedKey(organization: Snapshot, apiKeyId: string, limits: Limits, nowMs: number): LocalChange[] {
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
    ...endOpenedSessions(organization, ended),
    { op: 'putRecord', kind: 'apiKey', id: apiKeyId, body: { ...opened, updatedAtMs: nowMs } },
  ];
}

/**
 * What ends with a message that was refused for good: the key in it, with the invitation that it was for, or the code.
 * INVARIANT: no key outlives the message that carries it, unless somebody used the key: a mailed key expires no later than its message,
 * and goes when the message is given up.
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
    // Its record stays: the limits are counted by it.
    ...codes.map(([id, { sealedTarget: _, ...code }]): LocalChange => {
      const body: OneTimeCodeRecord = { ...code, triesLeft: 0, updatedAtMs: nowMs };
      return { op: 'putRecord', kind: 'oneTimeCode', id, body };
    }),
  ];
}
