import { activities } from '@countersign/contract';
import type { Touch } from '@countersign/judgement';
import { takenIn } from '../../organizations/snapshot/indexes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';
import { readAuthenticators } from '../credentials/new-authenticators.ts';
import { endInvitation, openInvitation } from './invitations.ts';

export const acceptInvitation = execute(activities.acceptInvitation, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization } = context;
    const { invitationId, userId, authenticator } = params;
    const invitation = openInvitation(organization, invitationId);
    if (invitation.receiverUserId !== userId) throw notFound('user of this invitation', 'userId');
    const taken = takenIn(organization.authenticatorByCredentialId);
    const passkeys = await readAuthenticators(context, [authenticator], 'authenticator', taken);
    // SECURITY: accepting without the mailed key registers a passkey of the invited user, so the caller becomes that user without proof.
    const touches: Touch[] = [
      { what: 'PASSKEY', userId },
      { what: 'SESSION', userId },
    ];
    return {
      intent: params,
      subject: { touches, oneTimeSubjectId: invitationId },
      prepared: { invitationId, invitation, passkeys },
    };
  },

  async run({ organization, newId, nowMs }, { prepared: { invitationId, invitation, passkeys } }) {
    const userId = invitation.receiverUserId;
    const registered = passkeys.map((passkey) => ({
      op: 'putRecord' as const,
      kind: 'authenticator' as const,
      id: newId(),
      body: { ...passkey, userId },
    }));
    return {
      result: { invitationId, userId },
      changes: [...registered, ...endInvitation(organization, invitationId, invitation, 'INVITATION_STATUS_ACCEPTED', nowMs)],
    };
  },
});
