import type { CredentialType } from '@countersign/contract';
import { postMessage } from '../../mail/post-message.ts';
import type { LocalChange } from '../../organizations/changes.ts';
import type { Contacted } from '../../organizations/contacts.ts';
import type { ApiKeyRecord } from '../../organizations/records.ts';
import type { RunContext } from '../../pipeline/executor.ts';
import type { PlannedMail } from './mail-request.ts';
import { planSessionKey, recordSessionKey, type SessionRequest } from './session-keys.ts';

/** A key that a user is to get by mail. */
export interface MailedKey {
  readonly type: CredentialType;
  /** The beginning of the key's name, where the request gives none. */
  readonly kind: string;
  readonly purpose: 'EMAIL_AUTH' | 'RECOVERY';
  /** Present on a key that is good for one activity only. */
  readonly restrictedTo?: ApiKeyRecord['restrictedTo'];
}

/**
 * Makes an API key for a user and mails its private half, encrypted to `target`.
 * INVARIANT: key and mail are of one commit. SECURITY: the bundle is in the mail alone, neither in the result nor in the activity.
 */
export async function mailKey(
  context: RunContext,
  { userId, user }: Contacted,
  { type, kind, purpose, restrictedTo }: MailedKey,
  request: SessionRequest,
  { look, sender }: PlannedMail,
  target: Uint8Array,
): Promise<{ readonly apiKeyId: string; readonly changes: readonly LocalChange[] }> {
  const { organization, vault, nowMs } = context;
  const planned = await planSessionKey(context, userId, { type, kind }, request, { method: 'EMAIL' });
  const { publicKey, credentialBundle } = await vault.service.issueCredential(target);
  const publicKeyHex = Buffer.from(publicKey).toString('hex');
  const { apiKeyId, changes } = recordSessionKey(context, planned, publicKeyHex, restrictedTo);
  const mail = await postMessage(context, {
    channel: 'EMAIL',
    purpose,
    to: user.userEmail as string,
    secret: credentialBundle,
    expiresAtMs: nowMs + Number(planned.expirationSeconds) * 1000,
    organizationName: organization.profile.name,
    look,
    sender,
  });
  return { apiKeyId, changes: [...changes, mail] };
}
