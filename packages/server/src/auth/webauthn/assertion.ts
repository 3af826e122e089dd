import { hash } from 'node:crypto';
import { signedMessage } from '../api-key/decoy.ts';
import type { VerifierCache } from '../api-key/schemes.ts';
import type { PasskeyStamp } from '../api-key/stamp.ts';
import { StampError } from '../api-key/stamp-error.ts';
import { type AuthenticatorData, readAuthenticatorData } from './authenticator-data.ts';
import { type ClientData, readClientData } from './client-data.ts';
import { coseVerifier } from './cose-key.ts';
import { isAllowedOrigin, matchRpId, type RelyingParty } from './relying-party.ts';

/** A registered passkey. */
export interface Authenticator {
  /** Base64url, as `verifyRegistration` returned it. */
  readonly credentialId: string;
  /** The COSE key in base64url, as `verifyRegistration` returned it. */
  readonly publicKeyCose: string;
  /** The signature counter of the last accepted stamp. */
  readonly counter: number;
  /** From the registration. Undefined for passkeys that were registered before this field existed. */
  readonly backupEligible?: boolean | undefined;
}

/** Everything that the check of a passkey's stamp depends on. */
export interface AssertionCheck extends RelyingParty {
  readonly stamp: PasskeyStamp;
  /** The body as received. */
  readonly body: Uint8Array;
  readonly authenticator: Authenticator;
  /** Whether the authenticator must have verified the person, by PIN or biometrics, and not only seen one. */
  readonly requireUserVerification: boolean;
  readonly verifiers: VerifierCache;
}

/** The challenge that a passkey must answer to stamp this body: base64url of the ASCII text of its SHA-256 in lower-case hex. */
export function challengeOf(body: Uint8Array): string {
  return Buffer.from(hash('sha256', body, 'hex'), 'latin1').toString('base64url');
}

/**
 * Checks a passkey's stamp over the body as received (WebAuthn section 7.2). Returns the counter to store with the authenticator; throws
 * a `StampError` otherwise.
 * INVARIANT: the counter is checked last. A stamp that fails with COUNTER_REGRESSED is good in every other respect. So if the caller has
 * accepted the same request with the same signature before, it may repeat its answer.
 */
export function verifyAssertion(check: AssertionCheck): { readonly counter: number } {
  const { stamp, body, authenticator, verifiers } = check;
  const { credentialId } = authenticator;
  if (stamp.credentialId !== credentialId && stamp.innerCredentialId !== credentialId) throw new StampError('WRONG_KEY');
  // SECURITY: the expensive check comes first. A faster refusal would reveal that the credential is registered.
  const prepare = () => coseVerifier(Buffer.from(authenticator.publicKeyCose, 'base64url'));
  const holds = verifiers.verify(authenticator.publicKeyCose, prepare, signedMessage(stamp), stamp.signature);
  if (!holds) throw new StampError('BAD_SIGNATURE');

  const clientData = readClientData(stamp.clientDataJson);
  if (clientData === undefined) throw new StampError('MALFORMED_CLIENT_DATA');
  checkClientData(clientData, body);
  const authenticatorData = parseAuthenticatorData(stamp.authenticatorData);
  checkAuthenticatorData(authenticatorData, clientData, check);

  // WebAuthn section 7.2 step 22. An authenticator without a counter sends zero. A counter must grow.
  const { counter } = authenticatorData;
  if (authenticator.counter > 0 && counter <= authenticator.counter) throw new StampError('COUNTER_REGRESSED');
  return { counter };
}

function checkClientData(clientData: ClientData, body: Uint8Array): void {
  if (clientData.type !== 'webauthn.get') throw new StampError('WRONG_CEREMONY');
  if (clientData.challenge !== challengeOf(body)) throw new StampError('WRONG_CHALLENGE');
  // SECURITY: a page that frames ours could trick the person into a stamp by covering our page with its own buttons.
  if (clientData.crossOrigin) throw new StampError('CROSS_ORIGIN');
}

function checkAuthenticatorData(data: AuthenticatorData, clientData: ClientData, check: AssertionCheck): void {
  if (data.attested !== undefined) throw new StampError('MALFORMED_AUTHENTICATOR_DATA');
  const rpId = matchRpId(data.rpIdHash, clientData.origin, check.rpIds);
  if (rpId === undefined) throw new StampError('WRONG_RELYING_PARTY');
  if (!isAllowedOrigin(clientData.origin, check.allowedOrigins, rpId)) throw new StampError('WRONG_ORIGIN');
  if (!data.userPresent) throw new StampError('USER_NOT_PRESENT');
  if (check.requireUserVerification && !data.userVerified) throw new StampError('USER_NOT_VERIFIED');
  const { backupEligible = data.backupEligible } = check.authenticator;
  // SECURITY: WebAuthn section 7.2 step 19: a key in one device does not become one that is copied, nor the other way round.
  if (data.backupEligible !== backupEligible) throw new StampError('BACKUP_ELIGIBILITY_CHANGED');
}

function parseAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  try {
    return readAuthenticatorData(bytes);
  } catch (cause) {
    throw new StampError('MALFORMED_AUTHENTICATOR_DATA', { cause });
  }
}
