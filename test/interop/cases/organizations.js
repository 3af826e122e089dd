import assert from 'node:assert/strict';
import { generateP256KeyPair } from '@turnkey/crypto';
import { checkFields } from '../support/check-fields.js';
import { verifiedContact } from '../support/one-time-code.js';
import { nameFor, newSubOrganization, newUser } from '../support/world.js';

/** The calls, their parameters and the expected answers. One entry per method of the client. */
export const organizations = {
  async getWhoami({ client, organizationId, userId }) {
    const answer = checkFields(await client.getWhoami({ organizationId }), { organizationName: 'text', username: 'text' });
    assert.deepEqual([answer.organizationId, answer.userId], [organizationId, userId]);
  },

  async createSubOrganization(world) {
    const { made } = await newSubOrganization(world);
    checkFields(made, { subOrganizationId: 'id', rootUserIds: 'ids' });
    checkFields(made.wallet, { walletId: 'id', addresses: 'texts' });
    assert.equal(made.activity.type, 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8');
    assert.ok(made.activity.intent.createSubOrganizationIntentV8.rootUsers);
  },

  async getSubOrgIds(world) {
    const { id } = await newSubOrganization(world);
    const { organizationIds } = await world.client.getSubOrgIds({});
    assert.ok(organizationIds.includes(id));
  },

  async getVerifiedSubOrgIds(world) {
    const { id, clients, userIds } = await newSubOrganization(world);
    const { contact, verificationToken } = await verifiedContact(world, generateP256KeyPair());
    const filter = { filterType: 'EMAIL', filterValue: contact };
    assert.deepEqual(await world.client.getVerifiedSubOrgIds(filter), { organizationIds: [] });
    await clients[0].updateUserEmail({ userId: userIds[0], userEmail: contact, verificationToken });
    assert.deepEqual((await world.client.getVerifiedSubOrgIds(filter)).organizationIds, [id]);
  },

  async deleteSubOrganization(world) {
    const { id, clients } = await newSubOrganization(world);
    const answer = await clients[0].deleteSubOrganization({ deleteWithoutExport: true });
    assert.equal(answer.subOrganizationUuid, id);
  },

  async getOrganizationConfigs({ client, organizationId, userId }) {
    const { configs } = await client.getOrganizationConfigs({ organizationId });
    checkFields(configs, { features: 'list' });
    assert.deepEqual(configs.quorum, { threshold: 1, userIds: [userId] });
  },

  async setOrganizationFeature({ client }) {
    const answer = await client.setOrganizationFeature({ name: 'FEATURE_NAME_EMAIL_RECOVERY', value: '' });
    assert.ok(answer.features.some(({ name }) => name === 'FEATURE_NAME_EMAIL_RECOVERY'));
  },

  async removeOrganizationFeature(world) {
    const [client] = (await newSubOrganization(world)).clients;
    await client.setOrganizationFeature({ name: 'FEATURE_NAME_EMAIL_RECOVERY', value: '' });
    const answer = await client.removeOrganizationFeature({ name: 'FEATURE_NAME_EMAIL_RECOVERY' });
    assert.ok(!answer.features.some(({ name }) => name === 'FEATURE_NAME_EMAIL_RECOVERY'));
  },

  async setIpAllowlist({ client, organizationId }) {
    const rules = [{ cidr: '127.0.0.0/8', label: 'This machine' }, { cidr: '2001:db8::/32' }];
    const { activity } = await client.setIpAllowlist({ enabled: true, rules, onEvaluationError: 'DENY' });
    assert.equal(activity.type, 'ACTIVITY_TYPE_SET_IP_ALLOWLIST');
    assert.deepEqual(activity.result, { setIpAllowlistResult: {} });
    assert.deepEqual(activity.intent.setIpAllowlistIntent.rules, rules);
    const { allowlist } = await client.getIpAllowlist({ organizationId });
    assert.deepEqual(
      allowlist.rules.map(({ cidr, label }) => ({ cidr, ...(label && { label }) })),
      rules,
    );
    await client.removeIpAllowlist({});
  },

  async removeIpAllowlist({ client, organizationId }) {
    await client.setIpAllowlist({ rules: [{ cidr: '127.0.0.0/8' }] });
    const { activity } = await client.removeIpAllowlist({});
    assert.deepEqual(activity.result, { removeIpAllowlistResult: {} });
    await assert.rejects(client.getIpAllowlist({ organizationId }), /No such IP allowlist/);
  },

  async getIpAllowlist({ client, server, organizationId }) {
    const publicKey = server.credentials.apiPublicKey;
    await client.setIpAllowlist({ publicKey, rules: [{ cidr: '0.0.0.0/0' }, { cidr: '::/0', label: 'Anywhere' }] });
    const { allowlist } = await client.getIpAllowlist({ organizationId, publicKey });
    checkFields(allowlist, { organizationId: 'id', publicKey: 'text', rules: 'list', onEvaluationError: 'text' });
    assert.equal(allowlist.enabled, undefined);
    for (const { createdAt } of allowlist.rules) assert.match(createdAt, /^\d{13}$/);
    await client.removeIpAllowlist({ publicKey });
  },

  async updateRootQuorum(world) {
    const { clients, userIds } = await newSubOrganization(world, { people: 2, threshold: 1 });
    const { activity } = await clients[0].updateRootQuorum({ threshold: 2, userIds });
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.deepEqual(activity.result, { updateRootQuorumResult: {} });
    const { configs } = await clients[0].getOrganizationConfigs({ organizationId: activity.organizationId });
    assert.equal(configs.quorum.threshold, 2);
  },

  async updateOrganizationName(world) {
    const { id, clients } = await newSubOrganization(world);
    const organizationName = nameFor('sub-organization');
    const answer = await clients[0].updateOrganizationName({ organizationName });
    assert.deepEqual([answer.organizationId, answer.organizationName], [id, organizationName]);
    assert.equal((await clients[0].getWhoami({})).organizationName, organizationName);
    const found = await world.client.getSubOrgIds({ filterType: 'NAME', filterValue: organizationName });
    assert.deepEqual(found.organizationIds, [id]);
  },

  async createInvitations({ client, userId }) {
    const answer = await client.createInvitations({ invitations: [invitation(userId)] });
    checkFields(answer, { invitationIds: 'ids' });
  },

  async deleteInvitation({ client, userId }) {
    const [invitationId] = (await client.createInvitations({ invitations: [invitation(userId)] })).invitationIds;
    assert.equal((await client.deleteInvitation({ invitationId })).invitationId, invitationId);
  },

  async createUserTag(world) {
    const id = await newUser(world);
    const answer = await world.client.createUserTag({ userTagName: nameFor('tag'), userIds: [id] });
    checkFields(answer, { userTagId: 'id' });
    assert.deepEqual(answer.userIds, [id]);
  },

  async updateUserTag(world) {
    const { userTagId } = await world.client.createUserTag({ userTagName: nameFor('tag'), userIds: [] });
    const addUserIds = [await newUser(world)];
    const answer = await world.client.updateUserTag({ userTagId, newUserTagName: nameFor('tag'), addUserIds, removeUserIds: [] });
    assert.equal(answer.userTagId, userTagId);
  },

  async listUserTags({ client }) {
    const userTagName = nameFor('tag');
    const { userTagId } = await client.createUserTag({ userTagName, userIds: [] });
    const { userTags } = await client.listUserTags({});
    const tag = userTags.find(({ tagId }) => tagId === userTagId);
    checkFields(tag, { tagName: 'text', tagType: 'text', createdAt: 'time', updatedAt: 'time' });
    assert.equal(tag.tagName, userTagName);
  },

  async deleteUserTags({ client }) {
    const { userTagId } = await client.createUserTag({ userTagName: nameFor('tag'), userIds: [] });
    const answer = checkFields(await client.deleteUserTags({ userTagIds: [userTagId] }), { userIds: 'list' });
    assert.deepEqual(answer.userTagIds, [userTagId]);
  },
};

const invitation = (senderUserId) => ({
  receiverUserName: nameFor('guest'),
  receiverUserEmail: `guest-${crypto.randomUUID()}@example.com`,
  receiverUserTags: [],
  accessType: 'ACCESS_TYPE_ALL',
  senderUserId,
});
