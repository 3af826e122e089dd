import { madeUpId, uniqueName } from '../../../support/world.ts';
import type { CatalogueCases, Stage } from '../support/catalogue-case.ts';
import { newAddress, readInvitation } from '../support/invitations.ts';
import { longPasskeyParams, passkeyParams } from '../support/passkeys.ts';

const invitation = (senderUserId: string) => ({
  receiverUserName: uniqueName('Invited'),
  receiverUserEmail: newAddress(),
  receiverUserTags: [],
  accessType: 'ACCESS_TYPE_WEB',
  senderUserId,
});

/** Somebody who was invited and has the mail. */
async function invited({ root, rootUserId, service }: Stage) {
  const params = invitation(rootUserId);
  await root.result('createInvitations', { invitations: [params] });
  const { receiver, invitationId, userId } = await readInvitation(service, params.receiverUserEmail);
  return { caller: receiver.with({ dialect: root.dialect }), invitationId, userId };
}

export const invitationCases: CatalogueCases = {
  ACTIVITY_TYPE_CREATE_INVITATIONS: {
    succeeds: ({ rootUserId }) => ({ params: { invitations: [invitation(rootUserId), invitation(rootUserId)] } }),
    refused: () => ({
      params: { invitations: [invitation(madeUpId())] },
      code: 'REQUEST_INVALID',
      fields: ['invitations.0.senderUserId'],
    }),
  },
  ACTIVITY_TYPE_ACCEPT_INVITATION: {
    async succeeds(stage) {
      const { caller, invitationId, userId } = await invited(stage);
      return { caller, params: { invitationId, userId, authenticator: longPasskeyParams(userId) } };
    },
    async refused(stage) {
      const { caller, invitationId, userId } = await invited(stage);
      const params = { invitationId, userId, authenticator: longPasskeyParams(madeUpId()) };
      return { caller, params, code: 'REQUEST_INVALID', fields: ['authenticator'] };
    },
  },
  ACTIVITY_TYPE_ACCEPT_INVITATION_V2: {
    async succeeds(stage) {
      const { caller, invitationId, userId } = await invited(stage);
      return { caller, params: { invitationId, userId, authenticator: passkeyParams() } };
    },
    async refused(stage) {
      const { caller, invitationId } = await invited(stage);
      const params = { invitationId, userId: stage.rootUserId, authenticator: passkeyParams() };
      return { caller, params, code: 'NOT_FOUND', fields: ['userId'] };
    },
  },
  ACTIVITY_TYPE_DELETE_INVITATION: {
    async succeeds(stage) {
      const { invitationId } = await invited(stage);
      return { params: { invitationId } };
    },
    refused: () => ({ params: { invitationId: madeUpId() }, code: 'NOT_FOUND', fields: ['invitationId'] }),
  },
};
