import assert from 'node:assert/strict';
import {
  decryptCredentialBundle,
  generateP256KeyPair,
  getPublicKey,
  verifyOtpVerificationToken,
  verifySessionJwtSignature,
} from '@turnkey/crypto';
import { checkFields } from '../support/check-fields.js';
import { askForCode, CODE, newContact, signUsage, verifiedContact } from '../support/one-time-code.js';
import { newPasskey } from '../support/passkey.js';
import { connect, newSubOrganization } from '../support/world.js';

const BUNDLE = /\b[1-9A-HJ-NP-Za-km-z]{90,140}\b/;
const appName = 'Interop';

/** Ways for a user to get a key. Each ends by using the key. */
export const signIn = {
  async createReadOnlySession({ client, organizationId, userId }) {
    const answer = await client.createReadOnlySession({});
    checkFields(answer, { organizationName: 'text', username: 'text', session: 'text', sessionExpiry: 'text' });
    assert.deepEqual([answer.organizationId, answer.userId], [organizationId, userId]);
  },

  async createReadWriteSession(world) {
    const target = generateP256KeyPair();
    const answer = await world.client.createReadWriteSession({ targetPublicKey: target.publicKeyUncompressed });
    checkFields(answer, { organizationName: 'text', username: 'text', apiKeyId: 'id' });
    assert.ok(answer.activity.result.createReadWriteSessionResultV2);
    await useBundle(world, world.organizationId, answer.credentialBundle, target, world.userId);
  },

  async stampLogin(world) {
    const key = generateP256KeyPair();
    const { session } = await world.client.stampLogin({ publicKey: key.publicKey, expirationSeconds: '600' });
    await useSession(world, world.organizationId, session, key, world.userId);
  },

  async oauth(world) {
    const { id, userIds, subject } = await identityUser(world);
    const target = generateP256KeyPair();
    const answer = await world.client.oauth({
      organizationId: id,
      oidcToken: world.issuer.token(subject, target.publicKeyUncompressed),
      targetPublicKey: target.publicKeyUncompressed,
    });
    checkFields(answer, { apiKeyId: 'id' });
    assert.equal(answer.userId, userIds[0]);
    await useBundle(world, id, answer.credentialBundle, target, userIds[0]);
  },

  async oauthLogin(world) {
    const { id, userIds, subject } = await identityUser(world);
    const key = generateP256KeyPair();
    const oidcToken = world.issuer.token(subject, key.publicKey);
    const { session } = await world.client.oauthLogin({ organizationId: id, oidcToken, publicKey: key.publicKey });
    await useSession(world, id, session, key, userIds[0]);
  },

  async emailAuth(world) {
    const { id, userIds, userEmail } = await mailUser(world);
    const target = generateP256KeyPair();
    const answer = await world.client.emailAuth({
      organizationId: id,
      email: userEmail,
      targetPublicKey: target.publicKeyUncompressed,
      emailCustomization: { appName },
    });
    checkFields(answer, { apiKeyId: 'id' });
    assert.equal(answer.userId, userIds[0]);
    await useBundle(world, id, await world.mail.find(userEmail, BUNDLE), target, userIds[0]);
  },

  async listEmailEvents(world) {
    const { id, userEmail: email } = await mailUser(world);
    const { publicKeyUncompressed: targetPublicKey } = generateP256KeyPair();
    await world.client.emailAuth({ organizationId: id, email, targetPublicKey, emailCustomization: { appName } });
    await world.mail.find(email, BUNDLE);
    const list = async (eventType) => (await world.client.listEmailEvents({ organizationId: id, email, eventType })).emailEvents;
    // The mail server has the mail a moment before the service has its answer.
    for (let tries = 0; tries < 100 && (await list()).length === 0; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const [event, ...more] = await list('Send');
    assert.deepEqual(more, []);
    checkFields(event, {
      id: 'id',
      organizationId: 'id',
      messageId: 'text',
      fromAddress: 'text',
      timestamp: 'text',
      createdAt: 'text',
    });
    assert.deepEqual([event.eventType, event.toAddress, event.details], ['Send', email, {}]);
    assert.deepEqual(await list('Delivery'), []);
  },

  async initUserEmailRecovery(world) {
    const { userIds, answer } = await startRecovery(world);
    assert.equal(answer.userId, userIds[0]);
  },

  async recoverUser(world) {
    const { id, userIds, userEmail, target } = await startRecovery(world);
    const bundle = await world.mail.find(userEmail, BUNDLE);
    const key = keyOf(decryptCredentialBundle(bundle, target.privateKey));
    const answer = await connect(world.server, id, key).recoverUser({
      userId: userIds[0],
      authenticator: newPasskey('new phone'),
    });
    checkFields(answer, { authenticatorId: 'ids' });
  },

  async initOtpAuth(world) {
    const { answer } = await startCode(world);
    checkFields(answer, { otpId: 'id' });
    assert.ok(answer.activity.result.initOtpAuthResultV2);
  },

  async otpAuth(world) {
    const { id, userIds, userEmail, answer } = await startCode(world);
    const target = generateP256KeyPair();
    const signedIn = await world.client.otpAuth({
      organizationId: id,
      otpId: answer.otpId,
      otpCode: await world.mail.find(userEmail, CODE),
      targetPublicKey: target.publicKeyUncompressed,
    });
    checkFields(signedIn, { apiKeyId: 'id' });
    assert.equal(signedIn.userId, userIds[0]);
    await useBundle(world, id, signedIn.credentialBundle, target, userIds[0]);
  },

  async initOtp(world) {
    const { answer } = await askForCode(world, newContact());
    checkFields(answer, { otpId: 'id', otpEncryptionTargetBundle: 'text' });
    assert.equal(answer.activity.type, 'ACTIVITY_TYPE_INIT_OTP_V3');
    assert.ok(answer.activity.result.initOtpResultV2);
  },

  async verifyOtp(world) {
    const key = generateP256KeyPair();
    const { answer, verificationToken, contact } = await verifiedContact(world, key);
    assert.equal(answer.activity.type, 'ACTIVITY_TYPE_VERIFY_OTP_V2');
    const claims = await verifyOtpVerificationToken(verificationToken, world.serviceKeys.verificationTokenSigner);
    assert.deepEqual([claims.contact, claims.public_key], [contact, key.publicKey]);
  },

  async otpLogin(world) {
    const { id, userIds, userEmail } = await mailUser(world);
    const key = generateP256KeyPair();
    // The parent verifies contacts for its sub-organizations.
    const { verificationToken, tokenId } = await verifiedContact(world, key, userEmail);
    const { session } = await world.client.otpLogin({
      organizationId: id,
      verificationToken,
      publicKey: key.publicKey,
      clientSignature: await signUsage(key, { login: { publicKey: key.publicKey }, tokenId, type: 'USAGE_TYPE_LOGIN' }),
    });
    await useSession(world, id, session, key, userIds[0]);
  },
};

async function mailUser(world) {
  const userEmail = `user-${crypto.randomUUID()}@example.com`;
  return { ...(await newSubOrganization(world, { user: { userEmail } })), userEmail };
}

async function identityUser(world) {
  const subject = crypto.randomUUID();
  const oauthProviders = [{ providerName: 'Interop', oidcToken: world.issuer.token(subject) }];
  return { ...(await newSubOrganization(world, { user: { oauthProviders } })), subject };
}

async function startCode(world) {
  const made = await mailUser(world);
  const answer = await world.client.initOtpAuth({
    organizationId: made.id,
    otpType: 'OTP_TYPE_EMAIL',
    contact: made.userEmail,
    appName,
    expirationSeconds: '120',
  });
  return { ...made, answer };
}

async function startRecovery(world) {
  const made = await mailUser(world);
  const target = generateP256KeyPair();
  const answer = await world.client.initUserEmailRecovery({
    organizationId: made.id,
    email: made.userEmail,
    targetPublicKey: target.publicKeyUncompressed,
    emailCustomization: { appName },
  });
  return { ...made, target, answer };
}

const keyOf = (privateKey) => ({ privateKey, publicKey: Buffer.from(getPublicKey(privateKey, true)).toString('hex') });

/** Opens a bundle with the published cryptography and asks the server whose key it is. */
async function useBundle({ server }, organizationId, bundle, target, userId) {
  const key = keyOf(decryptCredentialBundle(bundle, target.privateKey));
  assert.equal((await connect(server, organizationId, key).getWhoami({ organizationId })).userId, userId);
}

/** Checks a session token with the published cryptography and asks the server whose key it is. */
async function useSession({ server, serviceKeys }, organizationId, session, key, userId) {
  assert.ok(await verifySessionJwtSignature(session, serviceKeys.sessionNotarizer));
  assert.equal((await connect(server, organizationId, key).getWhoami({ organizationId })).userId, userId);
}
