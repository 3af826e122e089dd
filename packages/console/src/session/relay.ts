import { CountersignError } from '@countersign/client';
import { builtInProfiles, RELAY_HEADER, RELAY_PATH, type RelayedName, type SignInWays } from '@countersign/contract';
import { serviceBase } from './api.ts';

/** Calls the service without a stamp, before sign-in. Throws CountersignError unless the response is a success. */
async function ask<Answer>(organizationId: string, path: RelayedName | 'wallet_kit_config', body: object): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(`${serviceBase()}${RELAY_PATH}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', [RELAY_HEADER]: organizationId },
      body: JSON.stringify(body),
      redirect: 'error',
    });
  } catch (cause) {
    throw new CountersignError(0, 'UNREACHABLE', '', { cause });
  }
  const answer = (await response.json()) as Answer & { message?: string; errorCode?: string; details?: readonly unknown[] };
  if (response.ok) return answer;
  const { message = '', errorCode = '', details = [] } = answer;
  throw new CountersignError(response.status, errorCode, message, { details });
}

/** Sign-in methods of an organization other than passkeys. Undefined if there are none, or the organization does not exist. */
export async function signInMethods(organizationId: string): Promise<SignInWays | undefined> {
  try {
    return await ask(organizationId, 'wallet_kit_config', {});
  } catch (error) {
    if (error instanceof CountersignError && error.status === 404) return undefined;
    throw error;
  }
}

/** Requests a code. The service sends it only to a known address, but always returns an id. */
export async function requestCode(organizationId: string, contact: string): Promise<string> {
  const { otpId } = await ask<{ otpId: string }>(organizationId, 'otp_init', { otpType: 'OTP_TYPE_EMAIL', contact });
  return otpId;
}

/** A typed code and the key of the new session. */
interface TypedCode {
  readonly otpId: string;
  readonly otpCode: string;
  readonly publicKey: string;
}

/** Exchanges a code for a token that is bound to the key. */
export async function verifyCode(organizationId: string, code: TypedCode): Promise<string> {
  const { verificationToken } = await ask<{ verificationToken: string }>(organizationId, 'otp_verify', code);
  return verificationToken;
}

/** Proof of possession of the token's key. */
interface ClientSignature {
  readonly publicKey: string;
  readonly scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256';
  readonly message: string;
  readonly signature: string;
}

/** SECURITY: D294: the session can act, so the service limits it to what needs no passkey. */
const { sessionProfileId } = builtInProfiles.consoleWithoutPasskey;

interface CodeLogin {
  readonly verificationToken: string;
  readonly publicKey: string;
  readonly clientSignature: ClientSignature;
}

/** Opens a session with a token. Returns the session token. */
export async function logInWithToken(organizationId: string, login: CodeLogin): Promise<string> {
  return (await ask<{ session: string }>(organizationId, 'otp_login', { ...login, sessionProfileId })).session;
}

/** Opens a session with an ID token. Returns the session token. */
export async function logInWithIdToken(organizationId: string, login: { oidcToken: string; publicKey: string }): Promise<string> {
  return (await ask<{ session: string }>(organizationId, 'oauth_login', { ...login, sessionProfileId })).session;
}
