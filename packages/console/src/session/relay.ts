import { CountersignError } from '@countersign/client';
import { RELAY_HEADER, RELAY_PATH, type RelayedName, type SignInWays } from '@countersign/contract';
import { serviceBase } from './api.ts';

/** Asks the service without a stamp, for somebody who has no credential yet. Throws CountersignError for anything but success. */
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

/** Which ways to sign in an organization has open, beside passkeys. Undefined where it has none, or does not exist. */
export async function signInMethods(organizationId: string): Promise<SignInWays | undefined> {
  try {
    return await ask(organizationId, 'wallet_kit_config', {});
  } catch (error) {
    if (error instanceof CountersignError && error.status === 404) return undefined;
    throw error;
  }
}

/** Has a code sent, if somebody in the organization has the address. Returns its id in any case. */
export async function requestCode(organizationId: string, contact: string): Promise<string> {
  const { otpId } = await ask<{ otpId: string }>(organizationId, 'otp_init', { otpType: 'OTP_TYPE_EMAIL', contact });
  return otpId;
}

/** A code that a person typed, for the key of the session to come. */
interface TypedCode {
  readonly otpId: string;
  readonly otpCode: string;
  readonly publicKey: string;
}

/** Exchanges a code for a token that only the holder of the key can use. */
export async function verifyCode(organizationId: string, code: TypedCode): Promise<string> {
  const { verificationToken } = await ask<{ verificationToken: string }>(organizationId, 'otp_verify', code);
  return verificationToken;
}

/** What shows that the holder of the token's key logs in. */
interface ClientSignature {
  readonly publicKey: string;
  readonly scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256';
  readonly message: string;
  readonly signature: string;
}

interface CodeLogin {
  readonly verificationToken: string;
  readonly publicKey: string;
  readonly clientSignature: ClientSignature;
}

/** Opens a session with a token. Returns the text that says until when. */
export async function logInWithToken(organizationId: string, login: CodeLogin): Promise<string> {
  return (await ask<{ session: string }>(organizationId, 'otp_login', login)).session;
}

/** The same with a token of an issuer. */
export async function logInWithIdToken(organizationId: string, login: { oidcToken: string; publicKey: string }): Promise<string> {
  return (await ask<{ session: string }>(organizationId, 'oauth_login', login)).session;
}
