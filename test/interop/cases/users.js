import assert from 'node:assert/strict';
import { generateP256KeyPair } from '@turnkey/crypto';
import { checkFields } from '../support/check-fields.js';
import { verifiedContact } from '../support/one-time-code.js';
import { newPasskey } from '../support/passkey.js';
import { apiKeyFor, nameFor, newUser, rootKey } from '../support/world.js';

const userFields = {
  userId: 'id',
  userName: 'text',
  authenticators: 'list',
  apiKeys: 'list',
  userTags: 'list',
  oauthProviders: 'list',
  createdAt: 'time',
  updatedAt: 'time',
};
const apiKeyFields = { apiKeyId: 'id', apiKeyName: 'text', createdAt: 'time', updatedAt: 'time' };
const authenticatorFields = {
  authenticatorId: 'id',
  authenticatorName: 'text',
  credentialId: 'text',
  transports: 'texts',
  aaguid: 'text',
  attestationType: 'text',
  model: 'text',
  createdAt: 'time',
  updatedAt: 'time',
};

/** Users and their credentials. */
export const users = {
  async createUsers({ client }) {
    const user = { userName: nameFor('user'), apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] };
    const answer = checkFields(await client.createUsers({ users: [user] }), { userIds: 'ids' });
    assert.equal(answer.activity.type, 'ACTIVITY_TYPE_CREATE_USERS_V4');
  },

  async getUser(world) {
    const userId = await newUser(world, { userEmail: 'somebody@example.com', apiKeys: [apiKeyFor(generateP256KeyPair())] });
    const { user } = await world.client.getUser({ userId });
    checkFields(user, userFields);
    assert.equal(user.userEmail, 'somebody@example.com');
    checkFields(user.apiKeys[0], apiKeyFields);
  },

  async getUsers({ client, userId }) {
    const { users: all } = await client.getUsers({});
    checkFields(
      all.find((user) => user.userId === userId),
      userFields,
    );
  },

  async updateUser(world) {
    const userId = await newUser(world);
    const answer = await world.client.updateUser({ userId, userName: nameFor('user'), userTagIds: [] });
    assert.equal(answer.userId, userId);
  },

  async updateUserName(world) {
    const userId = await newUser(world);
    const userName = nameFor('user');
    const answer = await world.client.updateUserName({ userId, userName });
    assert.equal(answer.userId, userId);
    assert.deepEqual(answer.activity.intent, { updateUserNameIntent: { userId, userName } });
    assert.equal((await world.client.getUser({ userId })).user.userName, userName);
  },

  async updateUserEmail(world) {
    const userId = await newUser(world);
    const { verificationToken, contact } = await verifiedContact(world, generateP256KeyPair());
    const answer = await world.client.updateUserEmail({ userId, userEmail: contact, verificationToken });
    assert.equal(answer.userId, userId);
    assert.equal((await world.client.getUser({ userId })).user.userEmail, contact);
    await world.client.updateUserEmail({ userId, userEmail: '' });
    assert.equal((await world.client.getUser({ userId })).user.userEmail, undefined);
  },

  async updateUserPhoneNumber(world) {
    const userId = await newUser(world);
    const answer = await world.client.updateUserPhoneNumber({ userId, userPhoneNumber: '+15555550142' });
    assert.equal(answer.userId, userId);
    assert.equal((await world.client.getUser({ userId })).user.userPhoneNumber, '+15555550142');
  },

  async deleteUsers(world) {
    const userId = await newUser(world);
    assert.deepEqual((await world.client.deleteUsers({ userIds: [userId] })).userIds, [userId]);
  },

  async createApiKeys(world) {
    const userId = await newUser(world);
    const answer = await world.client.createApiKeys({ userId, apiKeys: [apiKeyFor(generateP256KeyPair())] });
    checkFields(answer, { apiKeyIds: 'ids' });
  },

  async getApiKey(world) {
    const { apiKeyId, key } = await userWithKey(world);
    const { apiKey } = await world.client.getApiKey({ apiKeyId });
    checkFields(apiKey, apiKeyFields);
    assert.deepEqual(apiKey.credential, { publicKey: key.publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' });
  },

  async getApiKeys(world) {
    const { userId, apiKeyId } = await userWithKey(world);
    const { apiKeys } = await world.client.getApiKeys({ userId });
    assert.deepEqual(
      apiKeys.map((key) => key.apiKeyId),
      [apiKeyId],
    );
  },

  async deleteApiKeys(world) {
    const { userId, apiKeyId } = await userWithKey(world);
    assert.deepEqual((await world.client.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] })).apiKeyIds, [apiKeyId]);
  },

  async createAuthenticators(world) {
    const userId = await newUser(world);
    const answer = await world.client.createAuthenticators({ userId, authenticators: [newPasskey('phone')] });
    checkFields(answer, { authenticatorIds: 'ids' });
  },

  async getAuthenticator(world) {
    const { authenticatorId } = await userWithPasskey(world);
    const { authenticator } = await world.client.getAuthenticator({ authenticatorId });
    checkFields(authenticator, authenticatorFields);
    assert.equal(authenticator.credential.type, 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR');
  },

  async getAuthenticators(world) {
    const { userId } = await userWithPasskey(world);
    const { authenticators } = await world.client.getAuthenticators({ userId });
    assert.equal(authenticators.length, 1);
    checkFields(authenticators[0], authenticatorFields);
  },

  async deleteAuthenticators(world) {
    const { userId, authenticatorId } = await userWithPasskey(world);
    const answer = await world.client.deleteAuthenticators({ userId, authenticatorIds: [authenticatorId] });
    assert.deepEqual(answer.authenticatorIds, [authenticatorId]);
  },

  async createOauthProviders(world) {
    const { providerIds } = await userWithIdentity(world);
    assert.equal(providerIds.length, 1);
  },

  async getOauthProviders(world) {
    const { userId, subject } = await userWithIdentity(world);
    const { oauthProviders } = await world.client.getOauthProviders({ userId });
    checkFields(oauthProviders[0], { providerId: 'id', providerName: 'text', audience: 'text', createdAt: 'time' });
    assert.deepEqual([oauthProviders[0].issuer, oauthProviders[0].subject], [world.issuer.url, subject]);
  },

  async deleteOauthProviders(world) {
    const { userId, providerIds } = await userWithIdentity(world);
    assert.deepEqual((await world.client.deleteOauthProviders({ userId, providerIds })).providerIds, providerIds);
  },
};

async function userWithKey(world) {
  const key = generateP256KeyPair();
  const userId = await newUser(world);
  const { apiKeyIds } = await world.client.createApiKeys({ userId, apiKeys: [apiKeyFor(key)] });
  return { userId, key, apiKeyId: apiKeyIds[0] };
}

async function userWithPasskey(world) {
  const userId = await newUser(world);
  const { authenticatorIds } = await world.client.createAuthenticators({ userId, authenticators: [newPasskey('phone')] });
  return { userId, authenticatorId: authenticatorIds[0] };
}

async function userWithIdentity(world) {
  const [userId, subject] = [await newUser(world), crypto.randomUUID()];
  const oauthProviders = [{ providerName: 'Interop', oidcToken: world.issuer.token(subject, rootKey(world.server).publicKey) }];
  const { providerIds } = await world.client.createOauthProviders({ userId, oauthProviders });
  return { userId, subject, providerIds };
}
