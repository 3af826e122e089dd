import type { CredentialType } from '@countersign/contract';
import { credentialsOfUser } from '@countersign/judgement';
import { postMessage } from '../../notify/mail/post-message.ts';
import type { Contacted } from '../../organizations/contacts.ts';
import type { ApiKeyRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import { makeRoomForMailed } from '../credentials/mailed-keys.ts';
import type { PlannedMail } from './mail-request.ts';
import { describeSession, generatedKey, recordSessionKey, type SessionRequest } from './session-keys.ts';

/** A key to mail to a user. */
export interface MailedKey {
  readonly type: CredentialType;
  /** Prefix of the key's name if the request has none. */
  readonly kind: string;
  readonly purpose: 'EMAIL_AUTH' | 'RECOVERY';
  /** Present on a key that is valid for one activity only. */
  readonly restrictedTo?: ApiKeyRecord['restrictedTo'];
}

/**
 * Creates an API key for a user and mails its private key, encrypted to `target`.
 * INVARIANT: key and mail are written in one commit. No credential that the user has used ends before the new key is used;
 * `invalidateExisting` takes effect at that time.
 * SECURITY: the bundle is only in the mail, not in the result and not in the activity.
 */
export async function mailKey(
  context: RunContext,
  { userId, user }: Contacted,
  { type, kind, purpose, restrictedTo }: MailedKey,
  request: SessionRequest,
  { look, sender }: PlannedMail,
  target: Uint8Array,
): Promise<{ readonly apiKeyId: string; readonly changes: readonly LocalChange[] }> {
  const { organization, vault, limits, nowMs } = context;
  const session = await describeSession(context, { type, kind }, request, { method: 'EMAIL' });
  const held = credentialsOfUser(organization.apiKeys, userId);
  const removed = makeRoomForMailed(held, type, limits.maxCredentials, nowMs);
  const { publicKey, credentialBundle } = await vault.service.issueCredential(target);
  const mail = await postMessage(context, {
    channel: 'EMAIL',
    purpose,
    to: user.userEmail as string,
    secret: credentialBundle,
    expiresAtMs: nowMs + Number(session.expirationSeconds) * 1000,
    organizationName: organization.profile.name,
    look,
    sender,
  });
  const { apiKeyId, changes } = recordSessionKey(
    context,
    { ...session, userId, removed, evicted: [], ended: { apiKeyIds: [], readOnlySessionIds: [] } },
    generatedKey(publicKey),
    { messageId: mail.id, ...(request.invalidateExisting && { endsOthers: true }), ...(restrictedTo && { restrictedTo }) },
  );
  return { apiKeyId, changes: [...changes, mail] };
}
