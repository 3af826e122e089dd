import { authProxyCondition, RELAY_HEADER, RELAY_PATH } from '@countersign/contract';
import { type ApiKey, newApiKey } from '../../support/api-key.ts';
import { type Answer, type Caller, type Json, post } from '../../support/caller.ts';
import { uniqueName, userParams } from '../../support/world.ts';
import { newAddress } from './mail-support.ts';
import { claimsOf, clientSignature, newestCode, sealBundle } from './otp-support.ts';
import type { Inbox } from './smtp-inbox.ts';

export const ORIGIN = 'https://app.example.com';

const wallet = {
  walletName: 'Wallet',
  accounts: [
    {
      curve: 'CURVE_SECP256K1',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/60'/0'/0/0",
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    },
  ],
};

/** The user whose API key is the sign-in key, and the policy that allows it what an auth proxy needs. */
export async function openAuthProxy(root: Caller, config: object = {}): Promise<{ userId: string; policyId: string }> {
  const { publicKey } = await root.data('getSignInKey');
  const apiKeys = [{ apiKeyName: 'Auth proxy', publicKey, curveType: 'API_KEY_CURVE_P256' }];
  const { userIds } = await root.result('createUsers', { users: [{ ...userParams(), apiKeys }] });
  const { policyId } = await root.result('createPolicy', {
    policyName: uniqueName('Auth proxy'),
    effect: 'EFFECT_ALLOW',
    condition: authProxyCondition,
    consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
    notes: '',
  });
  await root.result('updateAuthProxyConfig', {
    allowedOrigins: [ORIGIN],
    allowedAuthMethods: ['email', 'passkey', 'oauth'],
    allowSignUp: true,
    wallet,
    ...config,
  });
  return { userId: userIds[0], policyId };
}

/** Asks the auth proxy, as a page does. */
export function visit(
  { url, organizationId }: Pick<Caller, 'url' | 'organizationId'>,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = { origin: ORIGIN },
): Promise<Answer> {
  return post(`${url}${RELAY_PATH}/${path}`, Buffer.from(JSON.stringify(body)), { [RELAY_HEADER]: organizationId, ...headers });
}

/** Somebody who has proven a contact. */
export interface ProvenPerson {
  readonly key: ApiKey;
  readonly email: string;
  readonly token: string;
}

/** Requests a code, reads the mail and exchanges the code for a token, like the newest clients. */
export async function provePerson(
  app: Caller,
  inbox: Inbox,
  email = newAddress(),
  key: ApiKey = newApiKey(),
): Promise<ProvenPerson> {
  const before = inbox.mails.filter(({ to }) => to === email).length;
  const asked = await visit(app, 'otp_init_v2', { otpType: 'OTP_TYPE_EMAIL', contact: email });
  if (asked.status !== 200) throw new Error(JSON.stringify(asked.body));
  const { otpId, otpEncryptionTargetBundle } = asked.body;
  const { targetPublic } = JSON.parse(Buffer.from(JSON.parse(otpEncryptionTargetBundle).data, 'hex').toString());
  const code = await newestCode(inbox, email, before + 1);
  const encryptedOtpBundle = sealBundle(targetPublic, JSON.stringify({ otp_code: code, public_key: key.publicKey }));
  const verified = await visit(app, 'otp_verify_v2', { otpId, encryptedOtpBundle });
  if (verified.status !== 200) throw new Error(JSON.stringify(verified.body));
  return { key, email, token: verified.body.verificationToken };
}

/** The body of a sign-up, signed by the key of the token. */
export function signUpBody({ key, email, token }: ProvenPerson, more: Json = {}): Json {
  const user = { userEmail: email, apiKeys: [], authenticators: [], oauthProviders: [], ...more };
  const { userEmail, userPhoneNumber, apiKeys, authenticators, oauthProviders } = user;
  const usage = {
    ...(userEmail && { email: userEmail }),
    ...(userPhoneNumber && { phoneNumber: userPhoneNumber }),
    apiKeys,
    authenticators,
    oauthProviders,
  };
  const statement = { signupV2: usage, tokenId: claimsOf(token).id, type: 'USAGE_TYPE_SIGNUP' };
  return { userName: email, ...user, verificationToken: token, clientSignature: clientSignature(key, statement) };
}

type Scheme = 'P256_VERIFICATION_TOKEN' | 'P256_OIDC';

/** Logs in with a token in the stamp, like the newest clients. */
export function attestedLogin(
  { url }: Pick<Caller, 'url'>,
  organizationId: string,
  { key, token, scheme = 'P256_VERIFICATION_TOKEN' }: { key: ApiKey; token: string; scheme?: Scheme },
  more: Json = {},
  { signer = key, path = '/compat/turnkey' }: { signer?: ApiKey; path?: string } = {},
): Promise<Answer> {
  const parameters = { publicKey: key.publicKey, expirationSeconds: '900', invalidateExisting: false, ...more };
  const envelope = { parameters, organizationId, timestampMs: String(Date.now()), generateAppProofs: false };
  const body = Buffer.from(JSON.stringify({ ...envelope, type: 'ACTIVITY_TYPE_STAMP_LOGIN' }));
  const stamp = {
    publicKeyAttestation: token,
    scheme: `STAMP_ATTESTED_SCHEME_${scheme}`,
    publicKey: key.publicKey,
    signature: signer.sign(body).toString('hex'),
  };
  return post(`${url}${path}/public/v1/submit/stamp_login`, body, {
    'x-stamp-attested': Buffer.from(JSON.stringify(stamp)).toString('base64url'),
    origin: ORIGIN,
  });
}
