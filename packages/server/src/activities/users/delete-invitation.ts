import { activities } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { credentialsOfUser } from '@countersign/judgement';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { endInvitation, openInvitation } from './invitations.ts';

export const deleteInvitation = execute(activities.deleteInvitation, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const invitation = openInvitation(organization, params.invitationId);
    const touches: Touch[] = [{ what: 'PASSKEY', userId: invitation.receiverUserId, ends: true }];
    return { intent: params, subject: { touches }, prepared: { ...params, invitation } };
  },

  async run({ organization, nowMs }, { prepared: { invitationId, invitation } }) {
    const userId = invitation.receiverUserId;
    const changes: LocalChange[] = endInvitation(organization, invitationId, invitation, 'INVITATION_STATUS_REVOKED', nowMs);
    if (isIdle(organization, userId)) changes.push({ op: 'deleteRecord', kind: 'user', id: userId });
    return { result: { invitationId }, changes };
  },
});

/** Whether an invited user has no lasting credential, so that deleting the invitation also deletes the user. */
function isIdle({ users, profile, apiKeys, records }: Snapshot, userId: string): boolean {
  if (!users.has(userId) || profile.rootQuorum.userIds.includes(userId)) return false;
  const lasting = [...credentialsOfUser(apiKeys, userId).values()].filter(({ restrictedTo }) => restrictedTo === undefined);
  return (
    lasting.length +
      credentialsOfUser(records.authenticator, userId).size +
      credentialsOfUser(records.oauthProvider, userId).size ===
    0
  );
}
