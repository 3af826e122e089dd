import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, uniqueName } from '../../support/world.ts';
import { expectSound } from '../catalogue/support/expect-sound.ts';
import { newAddress, readInvitation } from '../catalogue/support/invitations.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { keyFrom } from '../sign-in/mail-support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { addKey, HERE, only, ownOrganization, secretMailedTo } from './support.ts';

describeEngines('a list is deleted with its key', (subject) => {
  /** The number of an organization's lists in the database. */
  const storedLists = async ({ organizationId }: Caller) => {
    const sql = "SELECT id FROM records WHERE organization_id = ? AND kind = 'ipAllowlist'";
    return (await subject().raw.all(sql, organizationId)).length;
  };

  /** Sets lists for a user's key and for another key, which stays. */
  async function governedKey(more?: object) {
    const { root } = await ownOrganization(subject().service);
    const { userId, caller } = await createMember(root);
    const added = await addKey(root, userId, more);
    await root.result('setIpAllowlist', { publicKey: added.key.publicKey, ...only(HERE) });
    await root.result('setIpAllowlist', { publicKey: root.key.publicKey, ...only(HERE) });
    return { root, userId, member: caller, ...added };
  }

  async function expectOneLeft(root: Caller) {
    expect(await storedLists(root)).toBe(1);
    expect((await root.query('getIpAllowlist', { publicKey: root.key.publicKey })).status).toBe(200);
    await expectSound(subject().service, root);
  }

  test('when the key is deleted', async () => {
    const { root, userId, apiKeyId, key } = await governedKey();
    await root.result('deleteApiKeys', { userId, apiKeyIds: [apiKeyId] });
    await expectOneLeft(root);
    // The same key, registered again, is another credential and has no list.
    await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
    expect((await root.query('getIpAllowlist', { publicKey: key.publicKey })).status).toBe(404);
  });

  test('when its user is deleted', async () => {
    const { root, userId } = await governedKey();
    await root.result('deleteUsers', { userIds: [userId] });
    await expectOneLeft(root);
  });

  test('when the key makes room for newer ones', async () => {
    const { root, userId } = await governedKey({ expirationSeconds: '3600' });
    const apiKeys = Array.from({ length: 10 }, () => apiKeyParams(newApiKey(), { expirationSeconds: '3600' }));
    await root.result('createApiKeys', { userId, apiKeys });
    await expectOneLeft(root);
  });

  test('when a login ends the key', async () => {
    const { root, member } = await governedKey();
    const session = newApiKey();
    await member.result('stampLogin', { publicKey: session.publicKey });
    await root.result('setIpAllowlist', { publicKey: session.publicKey, ...only(HERE) });
    expect(await storedLists(root)).toBe(3);
    await member.result('stampLogin', { publicKey: newApiKey().publicKey, invalidateExisting: true });
    expect(await storedLists(root)).toBe(2);
    await expectSound(subject().service, root);
  });

  test('when its invitation is revoked', async () => {
    const { root, rootUserId } = await ownOrganization(subject().service);
    const receiverUserEmail = newAddress();
    const invitation = {
      receiverUserName: uniqueName('Invited'),
      receiverUserEmail,
      receiverUserTags: [],
      accessType: 'ACCESS_TYPE_WEB',
      senderUserId: rootUserId,
    };
    await root.result('createInvitations', { invitations: [invitation] });
    const { receiver, invitationId } = await readInvitation(subject().service, receiverUserEmail);
    await root.result('setIpAllowlist', { publicKey: receiver.key.publicKey, ...only(HERE) });
    expect(await storedLists(root)).toBe(1);
    await root.result('deleteInvitation', { invitationId });
    expect(await storedLists(root)).toBe(0);
    await expectSound(subject().service, root);
  });

  test('when its recovery ends', async () => {
    const { service } = subject();
    const { root } = await ownOrganization(service);
    const { userId } = await createMember(root);
    const email = newAddress();
    await root.result('updateUser', { userId, userEmail: email });
    const target = newTarget();
    await root.result('initUserEmailRecovery', { email, targetPublicKey: target.hex });
    const recovery = root.with({ key: keyFrom(await secretMailedTo(service, email), target) });
    await root.result('setIpAllowlist', { publicKey: recovery.key.publicKey, ...only(HERE) });
    expect(await storedLists(root)).toBe(1);
    await recovery.result('recoverUser', { userId, authenticator: passkeyParams() });
    expect(await storedLists(root)).toBe(0);
    await expectSound(service, root);
  });

  test('and with the organization', async () => {
    const { root } = await governedKey();
    await root.result('setIpAllowlist', only(HERE));
    expect(await storedLists(root)).toBe(3);
    await root.result('deleteOrganization', { organizationId: root.organizationId });
    expect(await storedLists(root)).toBe(0);
    await expectSound(subject().service, root);
  });
});
