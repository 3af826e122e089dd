import { ApiKeyStamper, SignatureFormat } from '@turnkey/api-key-stamper';
import { encryptOtpCodeToBundle } from '@turnkey/crypto';

/** A code in a mail. */
export const CODE = /\b[0-9A-Z]{9}\b/;

export const newContact = () => `contact-${crypto.randomUUID()}@example.com`;

/** Requests a code that must be returned encrypted. */
export async function askForCode({ client }, contact) {
  await client.setOrganizationFeature({ name: 'FEATURE_NAME_OTP_EMAIL_AUTH', value: '' });
  const answer = await client.initOtp({ otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Interop', expirationSeconds: '120' });
  return { contact, answer };
}

/** Proves a contact: the published cryptography checks the target and encrypts the code to it, bound to the client's key. */
export async function verifiedContact(world, key, contact = newContact()) {
  const { answer: asked } = await askForCode(world, contact);
  const code = await world.mail.find(contact, CODE);
  const encryptedOtpBundle = await encryptOtpCodeToBundle(
    code,
    asked.otpEncryptionTargetBundle,
    key.publicKey,
    world.serviceKeys.verificationTokenSigner,
  );
  const answer = await world.client.verifyOtp({ otpId: asked.otpId, encryptedOtpBundle });
  const { verificationToken } = answer;
  const { id: tokenId } = JSON.parse(Buffer.from(verificationToken.split('.')[1], 'base64url').toString());
  return { contact, answer, verificationToken, tokenId };
}

/** What the holder of the token's key signs about its use, as the higher layers of the client do. */
export async function signUsage({ publicKey, privateKey }, usage) {
  const message = JSON.stringify(usage);
  const stamper = new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
  const signature = await stamper.sign(message, SignatureFormat.Raw);
  return { publicKey, scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256', message, signature };
}
