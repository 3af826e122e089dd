import assert from 'node:assert/strict';
import { generateP256KeyPair, verifySessionJwtSignature } from '@turnkey/crypto';
import { checkFields } from '../support/check-fields.js';
import { connect, nameFor, newSubOrganization } from '../support/world.js';

const NO_EXPORT = "activity.action != 'EXPORT'";
const SIGNING = "activity.action == 'SIGN'";

const profileFields = {
  sessionProfileId: 'id',
  sessionProfileName: 'text',
  scope: 'text',
  expirationSeconds: 'text',
  notes: 'string',
  createdAt: 'time',
  updatedAt: 'time',
};
const mfaFields = {
  mfaPolicyId: 'id',
  mfaPolicyName: 'text',
  condition: 'text',
  requiredAuthenticationMethods: 'list',
  order: 'number',
  notes: 'string',
  createdAt: 'time',
  updatedAt: 'time',
};

/** Session profiles, and MFA policies of users. */
export const sessions = {
  async createSessionProfile(world) {
    const { sessionProfileId, scope } = await newProfile(world);
    const { id, clients } = await newSubOrganization(world);
    const key = generateP256KeyPair();
    const { session } = await clients[0].stampLogin({ publicKey: key.publicKey, sessionProfileId });
    assert.ok(await verifySessionJwtSignature(session, world.serviceKeys.sessionNotarizer));
    const claims = JSON.parse(atob(session.split('.')[1]));
    assert.deepEqual([claims.session_profile_id, claims.scope], [sessionProfileId, scope]);
    const limited = connect(world.server, id, key);
    const { wallets } = await limited.getWallets({});
    const target = generateP256KeyPair().publicKeyUncompressed;
    await assert.rejects(limited.exportWallet({ walletId: wallets[0].walletId, targetPublicKey: target }), /profile/);
  },

  async getSessionProfile(world) {
    const { sessionProfileId } = await newProfile(world);
    checkFields((await world.client.getSessionProfile({ sessionProfileId })).sessionProfile, profileFields);
  },

  async getSessionProfiles(world) {
    const { sessionProfileId } = await newProfile(world);
    const { sessionProfiles } = await world.client.getSessionProfiles({});
    checkFields(
      sessionProfiles.find((each) => each.sessionProfileId === sessionProfileId),
      profileFields,
    );
  },

  async createMfaPolicy(world) {
    const { clients, userId, address } = await mfaUser(world);
    const signature = { signWith: address, payload: 'hello', encoding: 'PAYLOAD_ENCODING_TEXT_UTF8' };
    const waiting = await clients[0]
      .signRawPayload({ ...signature, hashFunction: 'HASH_FUNCTION_SHA256' })
      .catch((error) => error);
    assert.equal(waiting.activity?.status ?? waiting.activityStatus, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
    assert.ok(userId);
  },

  async getMfaPolicy(world) {
    const { clients, userId, mfaPolicyId } = await mfaUser(world);
    checkFields((await clients[0].getMfaPolicy({ userId, mfaPolicyId })).mfaPolicy, mfaFields);
  },

  async getMfaPolicies(world) {
    const { clients, userId } = await mfaUser(world);
    const { mfaPolicies } = await clients[0].getMfaPolicies({ userId });
    checkFields(mfaPolicies[0], mfaFields);
  },

  async getMfaStatus(world) {
    const { clients, userId, mfaPolicyId, session } = await mfaUser(world);
    await clients[0].deleteMfaPolicy({ userId, mfaPolicyId }).catch(() => undefined);
    const type = 'ACTIVITY_TYPE_DELETE_MFA_POLICY';
    const { activities } = await clients[0].getActivities({ filterByType: [type] });
    const activityId = activities[0].id;
    const before = await clients[0].getMfaStatus({ activityId });
    checkFields(before.mfaStatuses[0], { mfaPolicyId: 'id', userId: 'id', satisfied: 'flag', satisfiedMethods: 'list' });
    assert.equal(before.mfaStatuses[0].satisfied, false);
    await session.approveActivity({ fingerprint: activities[0].fingerprint });
    assert.equal((await clients[0].getMfaStatus({ activityId, userId })).mfaStatuses.length, 0);
  },

  async updateMfaPolicy(world) {
    const { client, userId, mfaPolicyId } = await mfaMember(world);
    const mfaPolicyName = nameFor('mfa');
    checkFields(await client.updateMfaPolicy({ userId, mfaPolicyId, mfaPolicyName }), { mfaPolicyId: 'id' });
    assert.equal((await client.getMfaPolicy({ userId, mfaPolicyId })).mfaPolicy.mfaPolicyName, mfaPolicyName);
  },

  async deleteMfaPolicy(world) {
    const { client, userId, mfaPolicyId } = await mfaMember(world);
    checkFields(await client.deleteMfaPolicy({ userId, mfaPolicyId }), { mfaPolicyId: 'id' });
    assert.deepEqual((await client.getMfaPolicies({ userId })).mfaPolicies, []);
  },
};

async function newProfile({ client }) {
  const scope = NO_EXPORT;
  const params = { sessionProfileName: nameFor('profile'), scope, expirationSeconds: '600', notes: 'none' };
  const { sessionProfileId } = checkFields(await client.createSessionProfile(params), { sessionProfileId: 'id' });
  return { sessionProfileId, scope };
}

const mfaParams = (userId) => ({
  userId,
  mfaPolicyName: nameFor('mfa'),
  condition: SIGNING,
  requiredAuthenticationMethods: [
    { any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] },
    { any: [{ type: 'AUTHENTICATION_TYPE_SESSION' }] },
  ],
  order: 0,
  notes: 'none',
});

const apiKeyOf = ({ publicKey }) => ({ apiKeyName: nameFor('key'), publicKey, curveType: 'API_KEY_CURVE_P256' });

/** The root user of a sub-organization with an MFA policy, and a client with a session. */
async function mfaUser(world) {
  const made = await newSubOrganization(world);
  const [client] = made.clients;
  const [userId] = made.userIds;
  // A session counts as the credential that opened it, so another API key opens it.
  const [other, key] = [generateP256KeyPair(), generateP256KeyPair()];
  await client.createApiKeys({ userId, apiKeys: [apiKeyOf(other)] });
  await connect(world.server, made.id, other).stampLogin({ publicKey: key.publicKey });
  const { mfaPolicyId } = checkFields(await client.createMfaPolicy(mfaParams(userId)), { mfaPolicyId: 'id' });
  return { ...made, userId, mfaPolicyId, session: connect(world.server, made.id, key) };
}

/** A user with an MFA policy, which the root user may change. */
async function mfaMember(world) {
  const { clients } = await newSubOrganization(world);
  const [client] = clients;
  const apiKeys = [apiKeyOf(generateP256KeyPair()), apiKeyOf(generateP256KeyPair())];
  const user = { userName: nameFor('user'), apiKeys, authenticators: [], oauthProviders: [], userTags: [] };
  const { userIds } = await client.createUsers({ users: [user] });
  const { mfaPolicyId } = await client.createMfaPolicy(mfaParams(userIds[0]));
  return { client, userId: userIds[0], mfaPolicyId };
}
