import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createMember,
  createPrivateKey,
  createSubOrganization,
  errorOf,
  madeUpId,
  signParams,
  uniqueName,
} from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';
import { newAddress, readInvitation } from './support/invitations.ts';
import { forgedPasskeyParams, passkeyParams, sendWithPasskey } from './support/passkeys.ts';

const invitationParams = (senderUserId: string, more: object = {}) => ({
  receiverUserName: uniqueName('Invited'),
  receiverUserEmail: newAddress(),
  receiverUserTags: [] as string[],
  accessType: 'ACCESS_TYPE_WEB',
  senderUserId,
  ...more,
});

const invitationsOf = async (root: Caller) => (await root.data('getOrganization')).organizationData.invitations as Json[];

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;

describeEngines('invitations', (subject) => {
  /** A sub-organization, and an invited person who has the mail. */
  async function invite(more: object = {}) {
    const { service } = subject();
    const { caller: root, userId: rootUserId } = await createSubOrganization(service.root);
    const params = invitationParams(rootUserId, more);
    const { invitationIds } = await root.result('createInvitations', { invitations: [params] });
    const mail = await readInvitation(service, params.receiverUserEmail);
    expect(invitationIds).toEqual([mail.invitationId]);
    return { service, root, rootUserId, params, mail, ...mail };
  }

  test('an invited person registers a passkey with the mailed key, and is then a normal user', async () => {
    const { service, root, rootUserId, params, mail, receiver, invitationId, userId } = await invite();
    // The mail of a sub-organization names nobody: its users choose their names.
    expect(mail).toMatchObject({ inviter: undefined, organizationName: '' });
    const [shown] = await invitationsOf(root);
    expect(shown).toEqual({
      invitationId,
      receiverUserName: params.receiverUserName,
      receiverEmail: params.receiverUserEmail,
      receiverUserTags: [],
      accessType: 'ACCESS_TYPE_WEB',
      status: 'INVITATION_STATUS_CREATED',
      createdAt: shown.createdAt,
      updatedAt: shown.createdAt,
      senderUserId: rootUserId,
    });
    const authenticator = new SoftwareAuthenticator();
    const accept = { invitationId, userId, authenticator: passkeyParams(authenticator) };
    expect(await receiver.result('acceptInvitation', accept)).toEqual({ invitationId, userId });
    expect(await invitationsOf(root)).toMatchObject([{ status: 'INVITATION_STATUS_ACCEPTED' }]);
    const body = JSON.stringify({ organizationId: root.organizationId });
    const answer = await sendWithPasskey(root, authenticator, root.queryPath('whoami'), body);
    expect(answer.body.activity.result).toMatchObject({ userId, username: params.receiverUserName });
    // The key ended with its use.
    expect(errorOf(await receiver.submit('acceptInvitation', accept))).toMatchObject({ status: 401 });
    expect((await root.data('getApiKeys', { userId })).apiKeys).toEqual([]);
    await expectSound(service, root);
  });

  test('the mailed key can do nothing else: no query, no vote, no other activity, no other invitation', async () => {
    const { service, root, rootUserId, receiver, userId } = await invite();
    const other = invitationParams(rootUserId);
    await root.result('createInvitations', { invitations: [other] });
    const second = await readInvitation(service, other.receiverUserEmail);
    const privateKeyId = await createPrivateKey(root);
    await root.result('createPolicy', { policyName: 'Anybody', effect: 'EFFECT_ALLOW', condition: 'true', consensus: 'true' });
    for (const query of ['listUsers', 'getOrganization'] as const) expect((await receiver.query(query)).status, query).toBe(403);
    for (const [name, params] of [
      ['signRawPayload', signParams(privateKeyId)],
      ['createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] }],
      ['createAuthenticators', { userId, authenticators: [passkeyParams()] }],
      ['deleteInvitation', { invitationId: second.invitationId }],
      ['approveActivity', { fingerprint: `sha256:${'00'.repeat(32)}` }],
    ] as const) {
      expect(errorOf(await receiver.submit(name, params)), name).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    }
    const foreign = { invitationId: second.invitationId, userId: second.userId, authenticator: passkeyParams() };
    expect(errorOf(await receiver.submit('acceptInvitation', foreign))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    expect((await invitationsOf(root)).map(({ status }) => status)).toEqual(Array(2).fill('INVITATION_STATUS_CREATED'));
  });

  test('an invited user does not count in any consensus before accepting', async () => {
    const { root, rootUserId, userId, receiver } = await invite();
    expect(errorOf(await root.submit('updateRootQuorum', { threshold: 2, userIds: [rootUserId, userId] }))).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect(errorOf(await receiver.submit('updateRootQuorum', { threshold: 1, userIds: [userId] }))).toMatchObject({
      status: 403,
    });
  });

  test('the key and the invitation expire after a week', async () => {
    const { service, receiver, invitationId, userId } = await invite();
    const accept = () =>
      receiver.submit(
        'acceptInvitation',
        { invitationId, userId, authenticator: passkeyParams() },
        { timestampMs: String(Date.now() + WEEK_MS) },
      );
    try {
      service.setAheadMs(WEEK_MS);
      expect(errorOf(await accept())).toMatchObject({ status: 401, code: 'API_KEY_EXPIRED' });
    } finally {
      service.setAheadMs(0);
    }
  });

  test('a forged registration, another user and an expired invitation are refused, and the key stays valid', async () => {
    const { root, rootUserId, receiver, invitationId, userId } = await invite();
    const refused = async (more: object) =>
      errorOf(await receiver.submit('acceptInvitation', { invitationId, userId, authenticator: passkeyParams(), ...more }));
    expect(await refused({ authenticator: forgedPasskeyParams() })).toMatchObject({ code: 'INVALID_ATTESTATION' });
    expect(await refused({ userId: rootUserId })).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['userId'] });
    expect(await refused({ invitationId: madeUpId() })).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['invitationId'] });
    await receiver.result('acceptInvitation', { invitationId, userId, authenticator: passkeyParams() });
    const again = await root.submit('acceptInvitation', { invitationId, userId, authenticator: passkeyParams() });
    expect(errorOf(again)).toMatchObject({ code: 'PRECONDITION_FAILED', fields: ['invitationId'] });
    expect(again.body.message).toContain('already accepted');
  });

  test('tags are given with the invitation, and must exist', async () => {
    const { service } = subject();
    const { caller: root, userId: rootUserId } = await createSubOrganization(service.root);
    const { userTagId } = await root.result('createUserTag', { userTagName: 'Guest', userIds: [] });
    const params = invitationParams(rootUserId, { receiverUserTags: [userTagId] });
    await root.result('createInvitations', { invitations: [params] });
    const { userId } = await readInvitation(service, params.receiverUserEmail);
    expect((await root.data('getUser', { userId })).user.userTags).toEqual([userTagId]);
    const unknown = invitationParams(rootUserId, { receiverUserTags: [userTagId, madeUpId()] });
    expect(errorOf(await root.submit('createInvitations', { invitations: [unknown] }))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      fields: ['invitations.0.receiverUserTags.1'],
    });
  });

  test('inviting in somebody else’s name, or with a name in use, is refused', async () => {
    const { caller: root, userId: rootUserId } = await createSubOrganization(subject().service.root);
    const { userId } = await createMember(root);
    const refused = async (...invitations: object[]) => errorOf(await root.submit('createInvitations', { invitations }));
    expect(await refused(invitationParams(rootUserId), invitationParams(userId))).toEqual({
      status: 400,
      code: 'REQUEST_INVALID',
      fields: ['invitations.1.senderUserId'],
    });
    const taken = { status: 400, code: 'NAME_TAKEN' };
    const { userName } = (await root.data('getUser', { userId })).user;
    expect(await refused(invitationParams(rootUserId, { receiverUserName: userName }))).toEqual({
      ...taken,
      fields: ['invitations.0.receiverUserName'],
    });
    const twin = invitationParams(rootUserId);
    expect(await refused(twin, twin)).toEqual({ ...taken, fields: ['invitations.1.receiverUserName'] });
    expect(await refused(invitationParams(rootUserId, { receiverUserEmail: 'nowhere' }))).toMatchObject({ status: 400 });
    expect(await invitationsOf(root)).toEqual([]);
  });

  test('a revoked invitation takes its key and its user with it', async () => {
    const { service, root, rootUserId, params, receiver, invitationId, userId } = await invite();
    expect(await root.result('deleteInvitation', { invitationId })).toEqual({ invitationId });
    const accept = { invitationId, userId, authenticator: passkeyParams() };
    expect(errorOf(await receiver.submit('acceptInvitation', accept))).toMatchObject({ status: 401 });
    expect(errorOf(await root.query('getUser', { userId }))).toMatchObject({ status: 404 });
    expect(await invitationsOf(root)).toMatchObject([{ status: 'INVITATION_STATUS_REVOKED' }]);
    expect(errorOf(await root.submit('deleteInvitation', { invitationId }))).toMatchObject({ code: 'PRECONDITION_FAILED' });
    // The name is free again.
    const again = invitationParams(rootUserId, { receiverUserName: params.receiverUserName });
    await root.result('createInvitations', { invitations: [again] });
    await expectSound(service, root);
  });

  test('revoking keeps a user who has other credentials', async () => {
    const { service, root, receiver, invitationId, userId } = await invite();
    const key = newApiKey();
    await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
    await root.result('deleteInvitation', { invitationId });
    expect(await root.with({ key }).data('whoami')).toMatchObject({ userId });
    expect(errorOf(await receiver.query('whoami'))).toMatchObject({ status: 401 });
    await expectSound(service, root);
  });

  test('deleting the invited user revokes the invitation', async () => {
    const { service, root, receiver, userId } = await invite();
    await root.result('deleteUsers', { userIds: [userId] });
    expect(await invitationsOf(root)).toMatchObject([{ status: 'INVITATION_STATUS_REVOKED' }]);
    expect(errorOf(await receiver.query('whoami'))).toMatchObject({ status: 401 });
    await expectSound(service, root);
  });

  test('D61: the private half of the key is in the mail and nowhere else', async () => {
    const { service, receiver } = await invite();
    expect((await subject().raw.dump()).includes(receiver.key.privateKey)).toBe(false);
    expect(service.logText()).not.toContain(receiver.key.privateKey);
  });
});

describeEngines(
  'the limit on invitations',
  (subject) => {
    test('counts open invitations; ended ones make room', async () => {
      const { caller: root, userId } = await createSubOrganization(subject().service.root);
      const add = (count: number) =>
        root.submit('createInvitations', { invitations: Array.from({ length: count }, () => invitationParams(userId)) });
      const tooMany = await add(3);
      expect(errorOf(tooMany)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
      expect(tooMany.body.message).toContain('2 open invitations (maxInvitations)');
      expect((await add(2)).status).toBe(200);
      expect(errorOf(await add(1))).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
      const [first] = await invitationsOf(root);
      await root.result('deleteInvitation', { invitationId: first.invitationId });
      expect((await add(1)).status).toBe(200);
      expect((await invitationsOf(root)).map(({ status }) => status)).toEqual(Array(2).fill('INVITATION_STATUS_CREATED'));
      await expectSound(subject().service, root);
    });

    test('invited users count as users', async () => {
      const { caller: root, userId } = await createSubOrganization(subject().service.root);
      for (let members = 0; members < 3; members++) await createMember(root);
      const answer = await root.submit('createInvitations', {
        invitations: [invitationParams(userId), invitationParams(userId)],
      });
      expect(errorOf(answer)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
      expect(answer.body.message).toContain('5 users (maxUsers)');
    });
  },
  { config: { maxInvitations: 2, maxUsers: 5 } },
);
