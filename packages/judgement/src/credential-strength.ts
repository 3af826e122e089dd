import type { CredentialType } from '@countersign/contract';

/**
 * How hard a credential is to take over, weakest first.
 * A session is a copy of the credential that opened it. An API key is stored in a file. A passkey does not leave its authenticator.
 */
export const strengths = { SESSION: 1, API_KEY: 2, PASSKEY: 3 } as const;

export type StrengthName = keyof typeof strengths;

/** The strength of each type of credential. A missing type does not compile. */
const strengthByType: Readonly<Record<CredentialType, StrengthName>> = {
  CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR: 'PASSKEY',
  CREDENTIAL_TYPE_API_KEY_P256: 'API_KEY',
  CREDENTIAL_TYPE_API_KEY_SECP256K1: 'API_KEY',
  CREDENTIAL_TYPE_API_KEY_ED25519: 'API_KEY',
  CREDENTIAL_TYPE_RPC_TOKEN: 'API_KEY',
  CREDENTIAL_TYPE_RPC_CERTIFICATE: 'API_KEY',
  CREDENTIAL_TYPE_RECOVER_USER_KEY_P256: 'SESSION',
  CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256: 'SESSION',
  CREDENTIAL_TYPE_OTP_AUTH_KEY_P256: 'SESSION',
  CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256: 'SESSION',
  CREDENTIAL_TYPE_OAUTH_KEY_P256: 'SESSION',
  CREDENTIAL_TYPE_LOGIN: 'SESSION',
};

/** The strength of a credential by its type. An unknown type is as weak as a session. */
export function strengthOf(type: string): StrengthName {
  return strengthByType[type as CredentialType] ?? 'SESSION';
}

/** Whether a credential was created by a sign-in, not registered by its holder. */
export function isSession({ type }: { readonly type: string }): boolean {
  return strengthOf(type) === 'SESSION';
}
