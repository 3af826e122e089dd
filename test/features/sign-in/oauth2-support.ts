import { createCipheriv, randomBytes } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';
import type { Oauth2Provider } from '../../../packages/server/src/config/oauth2-providers.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { nonceFor } from './oidc-support.ts';
import { CONFIDENTIAL, REDIRECT_URI } from './real-issuer.ts';
import { publishedKeys } from './transfer-support.ts';

export const REAL = 'OAUTH2_PROVIDER_REAL';
export const LYING = 'OAUTH2_PROVIDER_LYING';

/** A provider on loopback. */
export function listed(provider: string, url: string, more: Partial<Oauth2Provider> = {}): Oauth2Provider {
  return {
    provider,
    tokenEndpoint: `${url}/token`,
    userinfoEndpoint: `${url}/me`,
    subject: 'sub',
    clientAuthentication: 'basic',
    allowPrivateAddress: true,
    ...more,
  };
}

/** Encrypts like published clients: ECDH on P-256, HMAC-SHA-512, AES-256-GCM, in Borsh. */
export function sealClientSecret(receiverHex: string, text: string): string {
  const receiver = Buffer.from(receiverHex, 'hex');
  const { secretKey } = p256.keygen();
  const sender = p256.getPublicKey(secretKey, false);
  const shared = p256.getSharedSecret(secretKey, receiver, true).subarray(1);
  const macKey = Buffer.concat([sender, receiver, shared]);
  const key = hmac(sha512, macKey, Buffer.from('qos_encryption_hmac_message')).subarray(0, 32);
  const nonce = randomBytes(12);
  const aad = Buffer.concat([sender, Buffer.of(65), receiver, Buffer.of(65)]);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(sealed.length);
  return Buffer.concat([nonce, sender, length, sealed]).toString('hex');
}

/** The parameters of a new credential. */
export async function credentialParams(
  caller: Caller,
  provider: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string } = CONFIDENTIAL,
) {
  const { clientSecretReceiver } = await publishedKeys(caller.url);
  return { provider, clientId, encryptedClientSecret: sealClientSecret(clientSecretReceiver as string, clientSecret) };
}

export const newVerifier = () => randomBytes(32).toString('base64url');

/** The parameters of an exchange for a new key. */
export function exchangeOf(oauth2CredentialId: string, authCode: string, codeVerifier = newVerifier()) {
  const key = newApiKey();
  const params = { oauth2CredentialId, authCode, redirectUri: REDIRECT_URI, codeVerifier, nonce: nonceFor(key.publicKey) };
  return { key, params };
}
