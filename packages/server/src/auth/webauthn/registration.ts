import { WEAK_KEY } from '../api-key/public-key.ts';
import { isWeakKey } from '../api-key/weak-keys.ts';
import { CredentialError } from '../credential-error.ts';
import { fromStrictBase64Url, withoutPadding } from '../strict-text.ts';
import { type AttestedCredential, type AuthenticatorData, readAuthenticatorData } from './authenticator-data.ts';
import { type AllowedModels, isAllowedModel } from './authenticator-model.ts';
import { type CborMap, readCborMap } from './cbor.ts';
import { readClientData } from './client-data.ts';
import { compressedCoseKey, coseAlgorithms, coseVerifier } from './cose-key.ts';
import { readCredentialId } from './credential-id.ts';
import { isAllowedOrigin, matchRpId, type RelyingParty } from './relying-party.ts';

/** A new passkey as the wire carries it. All texts are base64url, with or without padding. */
export interface Attestation {
  /** The raw id, or the CBOR byte string of it. It must be the id inside the attestation object. */
  readonly credentialId: string;
  readonly clientDataJson: string;
  readonly attestationObject: string;
  /** Wire names, such as `AUTHENTICATOR_TRANSPORT_USB`. */
  readonly transports: readonly string[];
}

/** Everything that the check of a new passkey depends on. */
export interface RegistrationCheck extends RelyingParty {
  readonly attestation: Attestation;
  /** The challenge that the passkey must have answered, as base64url text. */
  readonly challenge: string;
  /** Whether the authenticator must have verified the person, by PIN or biometrics, and not only seen one. */
  readonly requireUserVerification: boolean;
  /** The models that may be registered; undefined for any. */
  readonly models?: AllowedModels | undefined;
  readonly nowMs: number;
}

/** A passkey that may be stored. Texts are unpadded base64url. */
export interface RegisteredAuthenticator {
  readonly credentialId: string;
  readonly publicKeyCose: string;
  readonly counter: number;
  readonly aaguid: string;
  readonly transports: readonly string[];
  /** The proof of the authenticator model. `basic` means that any certificate signed it; only `models` checks the certificate. */
  readonly attestationType: 'none' | 'self' | 'basic';
  /** A name for it, derived from its transports. */
  readonly model: 'Security key' | 'Passkey';
  /** Whether it can be copied to other devices. */
  readonly backupEligible: boolean;
  /** The relying party of the passkey. Store it and pass it as the only `rpIds`: then the passkey cannot be used for another. */
  readonly rpId: string;
}

/** An attestation object has a few kilobytes at most, including certificates. */
const MAX_ATTESTATION_LENGTH = 65_536;

/**
 * Checks a new passkey (WebAuthn section 7.1) and returns what to store. Rejects with a `CredentialError` otherwise.
 * The caller must check that no other user holds the credential id, and that the challenge was not used before.
 */
export async function verifyRegistration(request: RegistrationCheck): Promise<RegisteredAuthenticator> {
  const check = { ...request, attestation: unpadded(request.attestation) };
  const { attestation, requireUserVerification, models, nowMs } = check;
  const origin = checkClientData(check);
  const object = readAttestationObject(attestation.attestationObject);
  const data = readAuthenticatorData(object.authData);
  const attested = checkAttested(data, attestation.credentialId);
  const rpId = matchRpId(data.rpIdHash, origin, check.rpIds);
  if (rpId === undefined)
    throw new CredentialError('The relying party of the passkey does not match the origin on which it was created.');
  if (!isAllowedOrigin(origin, check.allowedOrigins, rpId))
    throw new CredentialError('The passkey was created on an origin that is not allowed.');
  if (!data.userPresent) throw new CredentialError('The authenticator did not detect a person.');
  if (requireUserVerification && !data.userVerified)
    throw new CredentialError(
      'The authenticator did not verify the person by PIN or biometrics, which this organization requires: ask the browser for userVerification "required".',
    );
  const credentialId = toText(attested.credentialId);
  await verifyStatement({ ...check, attestation: { ...attestation, credentialId } }, origin, rpId);
  if (models !== undefined && !isAllowedModel(models, attested.aaguid, object.certificates, nowMs))
    throw new CredentialError(
      'This organization allows only certain authenticator models, and the attestation does not prove that this is one of them: use such a model, and request attestation "direct" from the browser.',
    );
  return {
    credentialId,
    publicKeyCose: toText(attested.publicKeyCose),
    counter: data.counter,
    aaguid: toText(attested.aaguid),
    transports: attestation.transports,
    attestationType: object.attestationType,
    model: attestation.transports.some((transport) => /_(?:INTERNAL|HYBRID)$/.test(transport)) ? 'Passkey' : 'Security key',
    backupEligible: data.backupEligible,
    rpId,
  };
}

function unpadded({ credentialId, clientDataJson, attestationObject, transports }: Attestation): Attestation {
  return {
    credentialId: withoutPadding(credentialId),
    clientDataJson: withoutPadding(clientDataJson),
    attestationObject: withoutPadding(attestationObject),
    transports,
  };
}

/** Returns the origin. */
function checkClientData({ attestation, challenge }: RegistrationCheck): string {
  const bytes = fromStrictBase64Url(attestation.clientDataJson);
  const clientData = bytes && readClientData(bytes);
  if (clientData === undefined) throw new CredentialError('The client data is not valid base64url-encoded JSON of a browser.');
  if (clientData.type !== 'webauthn.create') throw new CredentialError('The client data must be of type webauthn.create.');
  if (clientData.challenge !== challenge) throw new CredentialError('The passkey was created for another challenge.');
  if (clientData.crossOrigin) throw new CredentialError('The passkey was created inside a frame of another site.');
  return clientData.origin;
}

interface AttestationObject {
  readonly authData: Uint8Array;
  readonly attestationType: RegisteredAuthenticator['attestationType'];
  /** The attestation certificate and its issuers, in DER. Empty without an attestation. */
  readonly certificates: readonly Uint8Array[];
}

function readAttestationObject(text: string): AttestationObject {
  const bytes = text.length > MAX_ATTESTATION_LENGTH ? undefined : fromStrictBase64Url(text);
  if (bytes === undefined) throw new CredentialError('The attestation object is not base64url text, or is too long.');
  const map = readCborMap(bytes);
  const authData = map.get('authData');
  const statement = map.get('attStmt');
  if (map.size !== 3 || !(authData instanceof Uint8Array) || !(statement instanceof Map)) {
    throw new CredentialError('The attestation object must contain exactly fmt, attStmt and authData.');
  }
  return { authData, attestationType: attestationTypeOf(map.get('fmt'), statement), certificates: certificatesIn(statement) };
}

function certificatesIn(statement: CborMap): readonly Uint8Array[] {
  const chain = statement.get('x5c');
  return Array.isArray(chain) ? chain.filter((item) => item instanceof Uint8Array) : [];
}

/**
 * SECURITY: only formats that the service can check without a request to anyone. For those of platforms it would have to fetch revocation
 * lists from the addresses in their certificates.
 */
function attestationTypeOf(format: unknown, statement: CborMap): AttestationObject['attestationType'] {
  if (format === 'none') return 'none';
  if (format === 'packed') return statement.has('x5c') ? 'basic' : 'self';
  if (format === 'fido-u2f') return 'basic';
  throw new CredentialError(
    'The attestation must be in the format none, packed or fido-u2f: ask the browser for attestation "none".',
  );
}

function checkAttested({ attested }: AuthenticatorData, credentialId: string): AttestedCredential {
  if (attested === undefined) throw new CredentialError('The authenticator data contains no new credential.');
  // SECURITY: store the id inside the credential, so that each passkey has one id in one encoding.
  if (!readCredentialId(credentialId)?.includes(toText(attested.credentialId)))
    throw new CredentialError('The credential id is not the one in the attestation object.');
  coseVerifier(attested.publicKeyCose);
  const compressed = compressedCoseKey(attested.publicKeyCose);
  if (compressed !== undefined && isWeakKey(compressed, 'API_KEY_CURVE_P256')) throw new CredentialError(WEAK_KEY);
  return attested;
}

/** Checks the attestation statement, and the rest once more, with a library. It is loaded on first use: signing never needs it. */
async function verifyStatement(
  { attestation, challenge, requireUserVerification }: RegistrationCheck,
  origin: string,
  rpId: string,
): Promise<void> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { credentialId: id, clientDataJson: clientDataJSON, attestationObject } = attestation;
  const outcome = await verifyRegistrationResponse({
    response: { id, rawId: id, type: 'public-key', response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification,
    supportedAlgorithmIDs: [...coseAlgorithms.keys()],
  }).catch((cause: unknown) => {
    throw new CredentialError('The attestation does not verify.', { cause });
  });
  if (!outcome.verified) throw new CredentialError('The attestation does not verify.');
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
