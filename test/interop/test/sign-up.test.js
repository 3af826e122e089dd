import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { encryptOtpCodeToBundle, generateP256KeyPair } from '@turnkey/crypto';
import { AUDIENCE, GOOGLE, SECOND_AUDIENCE } from '../support/issuer.js';
import { askForCode, CODE, newContact, signUsage, verifiedContact } from '../support/one-time-code.js';
import { submit } from '../support/submit.js';
import { apiKeyFor, connect, nameFor, newSubOrganization, newUser, openWorld, rootKey } from '../support/world.js';

describe('signing up and linking identities', () => {
  let world;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  /** The body of a sign-up and its signed statement, in the form of the client's higher layers. */
  async function signUp(key, { contact, verificationToken, tokenId }, own = {}) {
    const user = { userEmail: contact, apiKeys: [apiKeyFor(key)], authenticators: [], oauthProviders: [], ...own };
    const { apiKeys, authenticators, oauthProviders, userEmail: email } = user;
    const usage = { signupV2: { apiKeys, authenticators, oauthProviders, email }, tokenId, type: 'USAGE_TYPE_SIGNUP' };
    return {
      subOrganizationName: nameFor('signed up'),
      rootUsers: [{ userName: nameFor('root'), ...user }],
      rootQuorumThreshold: 1,
      verificationToken,
      clientSignature: await signUsage(key, usage),
    };
  }

  test('a verified contact signs up, and the same token then logs in', async () => {
    const key = generateP256KeyPair();
    const verified = await verifiedContact(world, key);
    const { verificationToken, tokenId } = verified;
    const { subOrganizationId, rootUserIds, activity } = await world.client.createSubOrganization(await signUp(key, verified));
    assert.equal(activity.type, 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8');
    const session = generateP256KeyPair();
    const login = { login: { publicKey: session.publicKey }, tokenId, type: 'USAGE_TYPE_LOGIN' };
    await world.client.otpLogin({
      organizationId: subOrganizationId,
      verificationToken,
      publicKey: session.publicKey,
      clientSignature: await signUsage(key, login),
    });
    const own = connect(world.server, subOrganizationId, session);
    assert.equal((await own.getWhoami({ organizationId: subOrganizationId })).userId, rootUserIds[0]);
  });

  test('a sign-up with credentials other than the signed ones is refused', async () => {
    const key = generateP256KeyPair();
    const body = await signUp(key, await verifiedContact(world, key));
    body.rootUsers[0].apiKeys = [apiKeyFor(generateP256KeyPair())];
    await assert.rejects(world.client.createSubOrganization(body), /Turnkey error 3: invalid verification token/);
  });

  test('nothing is encrypted to a target signed by an unexpected key', async () => {
    const { answer } = await askForCode(world, newContact());
    const { otpEncryptionTargetBundle } = answer;
    const { publicKey } = generateP256KeyPair();
    const encrypt = (signer) => encryptOtpCodeToBundle('ABCDEF234', otpEncryptionTargetBundle, publicKey, signer);
    await assert.rejects(encrypt(world.serviceKeys.signer));
    await assert.rejects(encrypt(undefined));
  });

  test('a wrong code in a bundle gets the text that clients recognize', async () => {
    const { answer, contact } = await askForCode(world, newContact());
    await world.mail.find(contact, CODE);
    const { publicKey } = generateP256KeyPair();
    const { otpId, otpEncryptionTargetBundle } = answer;
    const signer = world.serviceKeys.verificationTokenSigner;
    const encryptedOtpBundle = await encryptOtpCodeToBundle('ZZZZZZZZZ', otpEncryptionTargetBundle, publicKey, signer);
    await assert.rejects(world.client.verifyOtp({ otpId, encryptedOtpBundle }), /Invalid OTP code/);
  });

  test('the first versions still accept codes in clear', async () => {
    const contact = newContact();
    await world.client.setOrganizationFeature({ name: 'FEATURE_NAME_OTP_EMAIL_AUTH', value: '' });
    const { otpId } = await submit(world, 'init_otp', 'ACTIVITY_TYPE_INIT_OTP', { otpType: 'OTP_TYPE_EMAIL', contact });
    const otpCode = await world.mail.find(contact, CODE);
    const { verificationToken } = await submit(world, 'verify_otp', 'ACTIVITY_TYPE_VERIFY_OTP', { otpId, otpCode });
    assert.ok(verificationToken.length > 100);
  });

  test('claims for a second client id go with a token of the same person', async () => {
    const subject = crypto.randomUUID();
    const oidcClaims = { iss: world.issuer.url, aud: SECOND_AUDIENCE, sub: subject };
    const userId = await newUser(world, {
      oauthProviders: [
        { providerName: 'first', oidcToken: world.issuer.token(subject, rootKey(world.server).publicKey) },
        { providerName: 'second', oidcClaims },
      ],
    });
    const { oauthProviders } = await world.client.getOauthProviders({ userId });
    assert.deepEqual(oauthProviders.map(({ audience }) => audience).sort(), [AUDIENCE, SECOND_AUDIENCE].sort());
  });

  test('a parent links an account at Google to the user with that address', async () => {
    const userEmail = newContact();
    const { id: organizationId, userIds } = await newSubOrganization(world, { user: { userEmail } });
    const claims = { iss: GOOGLE, email: userEmail, email_verified: true };
    const link = (more) =>
      world.client.createOauthProviders({
        organizationId,
        userId: userIds[0],
        oauthProviders: [
          { providerName: 'Google', oidcToken: world.issuer.token(crypto.randomUUID(), '', { ...claims, ...more }) },
        ],
      });
    await assert.rejects(link({ email_verified: false }), /Turnkey error 3: organization mismatch/);
    const { providerIds, activity } = await link({});
    assert.equal(providerIds.length, 1);
    assert.ok(activity.result.createOauthProvidersResultV2);
  });
});
