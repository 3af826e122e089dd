import { activities } from '@countersign/contract';
import { postMessage } from '../../notify/mail/post-message.ts';
import type { ApiKeyRecord, InvitationRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { execute, type RunContext } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded } from '../../wire/refuse.ts';
import { speaksForEndUser } from '../sign-in/mail-request.ts';
import { requireTags } from '../tags.ts';
import { touchedByNewUsers } from '../touches.ts';
import { INVITATION_SECONDS } from './invitations.ts';
import { newcomers, requireFreeUserNames } from './new-user.ts';

type Receiver = Omit<InvitationRecord, 'receiverUserId' | 'status' | 'createdAtMs' | 'updatedAtMs'>;

export const createInvitations = execute(activities.createInvitations, {
  locksOrganization: true,

  contextChange: ({ nowMs }, { invitations }) => ({
    users: newcomers(
      invitations.map(({ receiverUserName: userName, receiverUserEmail: userEmail, receiverUserTags: userTags }) => ({
        userName,
        userEmail,
        userTags,
      })),
      nowMs,
    ),
  }),

  async plan({ organization, submitterId, limits }, params) {
    const { invitations } = params;
    for (const [index, { senderUserId, receiverUserTags }] of invitations.entries()) {
      // SECURITY: the mail names the inviter, so users must not send invitations in the name of another user.
      if (senderUserId !== submitterId)
        throw invalidField(`invitations.${index}.senderUserId`, 'must be the user who submits the request');
      requireTags(organization, 'userTag', receiverUserTags, `invitations.${index}.receiverUserTags`);
    }
    if (organization.users.size + invitations.length > limits.maxUsers) throw limitExceeded('users', limits.maxUsers, 'maxUsers');
    const names = invitations.map(({ receiverUserName }) => receiverUserName);
    requireFreeUserNames(organization, names, (index) => `invitations.${index}.receiverUserName`);
    const surplus = requireRoom(organization, invitations.length, limits.maxInvitations);
    const receivers = invitations.map(
      ({ receiverUserEmail, ...rest }): Receiver => ({ ...rest, receiverEmail: receiverUserEmail }),
    );
    const touches = touchedByNewUsers(
      organization,
      receivers.map(({ receiverUserName: userName, receiverEmail: userEmail, receiverUserTags: userTags }) => ({
        userName,
        userEmail,
        userTags,
      })),
    );
    return { intent: params, subject: { touches }, prepared: { receivers, surplus } };
  },

  async run(context, { prepared: { receivers, surplus } }) {
    const invitationIds: string[] = [];
    const changes: LocalChange[] = surplus.map((id) => ({ op: 'deleteRecord', kind: 'invitation', id }));
    for (const receiver of receivers) {
      const invitationId = context.newId();
      invitationIds.push(invitationId);
      changes.push(...(await invite(context, invitationId, receiver)));
    }
    return { result: { invitationIds }, changes };
  },
});

/** Returns the oldest closed invitations to delete so that the new ones fit. Throws LIMIT_EXCEEDED if too many are open. */
function requireRoom({ records }: Snapshot, added: number, limit: number): string[] {
  const all = [...records.invitation];
  const over = all.filter(([, { status }]) => status !== 'INVITATION_STATUS_CREATED');
  if (all.length - over.length + added > limit) throw limitExceeded('open invitations', limit, 'maxInvitations');
  return over
    .sort(([, a], [, b]) => a.updatedAtMs - b.updatedAtMs)
    .slice(0, Math.max(0, all.length + added - limit))
    .map(([id]) => id);
}

/**
 * Returns the names in the mail.
 * SECURITY: users of a sub-organization choose their own names and the name of their organization. With these names, they could send free
 * text from the operator's domain to any address, so their mail contains no names.
 */
function named(context: RunContext, senderUserId: string): { organizationName: string; inviter?: string } {
  const { organization } = context;
  if (speaksForEndUser(context)) return { organizationName: '' };
  return { organizationName: organization.profile.name, inviter: organization.users.get(senderUserId)?.userName ?? '' };
}

/**
 * Returns the changes that create a user, a one-time key that can only accept the invitation, and the mail that carries the key.
 * The secret of the mail is `<organization id>.<invitation id>.<user id>.<private key in hexadecimal>`.
 */
async function invite(context: RunContext, invitationId: string, receiver: Receiver): Promise<LocalChange[]> {
  const { organization, vault, newId, nowMs } = context;
  const userId = newId();
  const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
  const { publicKey, privateKeyHex } = await vault.service.issueOneTimeKey();
  const { receiverUserName: userName, receiverEmail: userEmail, receiverUserTags: userTags } = receiver;
  const mail = await postMessage(context, {
    channel: 'EMAIL',
    purpose: 'INVITATION',
    to: userEmail,
    secret: [organization.id, invitationId, userId, privateKeyHex].join('.'),
    expiresAtMs: nowMs + INVITATION_SECONDS * 1000,
    ...named(context, receiver.senderUserId),
    look: {},
    sender: {},
  });
  const key: ApiKeyRecord = {
    userId,
    apiKeyName: 'Invitation',
    publicKey: Buffer.from(publicKey).toString('hex'),
    curve: 'API_KEY_CURVE_P256',
    type: 'CREDENTIAL_TYPE_API_KEY_P256',
    expirationSeconds: String(INVITATION_SECONDS),
    messageId: mail.id,
    restrictedTo: { activity: activities.acceptInvitation.name, subjectId: invitationId },
    ...dates,
  };
  return [
    { op: 'putRecord', kind: 'user', id: userId, body: { userName, userEmail, userTags, ...dates } },
    { op: 'putRecord', kind: 'apiKey', id: newId(), body: key },
    {
      op: 'putRecord',
      kind: 'invitation',
      id: invitationId,
      body: { ...receiver, receiverUserId: userId, status: 'INVITATION_STATUS_CREATED', ...dates },
    },
    mail,
  ];
}
