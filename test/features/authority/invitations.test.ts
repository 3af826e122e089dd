import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf, uniqueName } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { createOrganization, createPolicy, memberAt, type Organization, outcomeOf } from '../policies/support.ts';
import { newAddress } from '../sign-in/mail-support.ts';

describeEngines('invitations', (subject) => {
  const refused = { status: 403, code: 'POLICY_DENIED' };

  /** An organization with a member who may manage invitations, and somebody whom a root user invited. */
  async function withInvitation() {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const { root } = organization;
    await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'INVITATION'" });
    return { organization, root, manager: memberAt(organization, 0).caller, ...(await invite(organization)) };
  }

  async function invite({ root, roots }: Organization) {
    const receiverUserName = uniqueName('Invited');
    const receiver = { receiverUserName, receiverUserEmail: newAddress(), receiverUserTags: [] };
    const invitations = [{ ...receiver, accessType: 'ACCESS_TYPE_WEB', senderUserId: roots[0]?.userId }];
    const { invitationIds } = await root.result('createInvitations', { invitations });
    const { users } = await root.data('listUsers');
    const { userId } = users.find(({ userName }: Json) => userName === receiverUserName);
    return { invitationId: invitationIds[0] as string, userId: userId as string };
  }

  const acceptance = (invitationId: string, userId: string) => ({
    invitationId,
    userId,
    authenticator: passkeyParams(new SoftwareAuthenticator()),
  });

  test('A46: nobody accepts for another user, even with a policy for invitations', async () => {
    const { root, manager, invitationId, userId } = await withInvitation();
    const answer = await manager.submit('acceptInvitation', acceptance(invitationId, userId));
    expect(errorOf(answer)).toMatchObject(refused);
    expect(answer.body.message).toContain('without proof of that user');
    expect((await root.data('getAuthenticators', { userId })).authenticators).toEqual([]);
    // The root quorum could act as that user anyway.
    expect(outcomeOf(await root.submit('acceptInvitation', acceptance(invitationId, userId)))).toBe('200 COMPLETED');
  });

  test('A46: a policy can neither accept nor revoke the invitation of a root quorum member', async () => {
    const { organization, root, manager, invitationId, userId } = await withInvitation();
    await root.result('updateRootQuorum', { threshold: 1, userIds: [organization.roots[0]?.userId, userId] });
    for (const [name, params] of [
      ['acceptInvitation', acceptance(invitationId, userId)],
      ['deleteInvitation', { invitationId }],
    ] as const) {
      const answer = await manager.submit(name, params);
      expect({ name, ...errorOf(answer) }).toMatchObject({ name, ...refused });
      expect(answer.body.message).toContain('a member of the root quorum');
    }
    expect(outcomeOf(await root.submit('deleteInvitation', { invitationId }))).toBe('200 COMPLETED');
  });

  test('the same policy creates and revokes other invitations', async () => {
    const { root, manager, invitationId, userId } = await withInvitation();
    expect(outcomeOf(await manager.submit('deleteInvitation', { invitationId }))).toBe('200 COMPLETED');
    expect(errorOf(await root.query('getUser', { userId }))).toMatchObject({ code: 'NOT_FOUND' });
  });
});
