import { p256 } from '@noble/curves/nist.js';
import { hpkeSeal, readSignedMessage } from '../../../packages/server/test/vault/bundle-client.ts';
import type { ApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import type { Inbox } from './smtp-inbox.ts';
import { publishedKeys } from './transfer-support.ts';

/** The code in a mail, which stands on its own line. */
export function codeIn(text: string): string {
  const found = /^[0-9A-Z]{6,9}$/m.exec(text)?.[0];
  if (found === undefined) throw new Error(`there is no code in ${JSON.stringify(text)}`);
  return found;
}

/** The code of the newest of `count` mails to an address. */
export async function newestCode(inbox: Inbox, address: string, count = 1): Promise<string> {
  return codeIn((await inbox.to(address, count)).at(-1)?.text ?? '');
}

/** Another code of the same form. */
export function wrong(code: string): string {
  return `${code.slice(0, -1)}${code.endsWith('2') ? '3' : '2'}`;
}

/** The claims of a token, without checking its signature. */
export function claimsOf(token: string): Json {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

/** Encrypts any text to an uncompressed key, as a bundle. */
export function sealBundle(targetPublic: string, text: string): string {
  const { encappedPublic, ciphertext } = hpkeSeal(Buffer.from(targetPublic, 'hex'), Buffer.from(text, 'utf8'));
  return JSON.stringify({
    encappedPublic: Buffer.from(encappedPublic).toString('hex'),
    ciphertext: ciphertext.toString('hex'),
  });
}

/** A code that was requested with a target to encrypt it to. */
export interface EncryptedRequest {
  readonly otpId: string;
  readonly code: string;
  /** The service's signed statement about the target. */
  readonly target: Record<string, string>;
  /** A bundle with a code, as clients make it. */
  bundle(code: string, publicKey: string): string;
}

/** Requests a code that must be returned encrypted, and reads it from the mail. */
export async function askEncrypted(caller: Caller, inbox: Inbox, contact: string, more: object = {}): Promise<EncryptedRequest> {
  const before = inbox.mails.filter(({ to }) => to === contact).length;
  const params = { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Wallet', ...more };
  const { otpId, otpEncryptionTargetBundle } = await caller.result('initOtp', params, { type: 'ACTIVITY_TYPE_INIT_OTP_V3' });
  const { verificationTokenSigner } = await publishedKeys(caller.url);
  const target = readSignedMessage(otpEncryptionTargetBundle, verificationTokenSigner as string);
  const code = await newestCode(inbox, contact, before + 1);
  const bundle = (otpCode: string, publicKey: string) =>
    sealBundle(target.targetPublic as string, JSON.stringify({ otp_code: otpCode, public_key: publicKey }));
  return { otpId, code, target, bundle };
}

export const verifyV2 = { type: 'ACTIVITY_TYPE_VERIFY_OTP_V2' } as const;

/** A token for a contact, bound to a key, obtained with an encrypted code. */
export async function boundToken(caller: Caller, inbox: Inbox, contact: string, key: ApiKey, more: object = {}): Promise<string> {
  const { otpId, code, bundle } = await askEncrypted(caller, inbox, contact);
  const params = { otpId, encryptedOtpBundle: bundle(code, key.publicKey), ...more };
  return (await caller.result('verifyOtp', params, verifyV2)).verificationToken;
}

/** What the holder of a token's key signs: any statement, in either form of signature. */
export function clientSignature(key: ApiKey, statement: object, form: 'raw' | 'der' = 'raw') {
  const message = JSON.stringify(statement);
  const der = key.sign(Buffer.from(message));
  const signature = form === 'der' ? der.toString('hex') : p256.Signature.fromBytes(der, 'der').toHex('compact');
  return { publicKey: key.publicKey, scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256', message, signature };
}

/** The statement of a login. */
export function loginStatement(tokenId: string, sessionKey: string) {
  return { login: { publicKey: sessionKey }, tokenId, type: 'USAGE_TYPE_LOGIN' };
}
