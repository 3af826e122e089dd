import { type RegistrationResponseJSON, startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { passkeyDomain } from './api.ts';

/** Parameters of a passkey registration. */
export interface PasskeyParams {
  authenticatorName: string;
  challenge: string;
  attestation: { credentialId: string; clientDataJson: string; attestationObject: string; transports: Transport[] };
}

const transports = ['BLE', 'INTERNAL', 'NFC', 'USB', 'HYBRID'] as const;
type Transport = `AUTHENTICATOR_TRANSPORT_${(typeof transports)[number]}`;

/** Owner of a passkey. */
export interface Holder {
  readonly organizationId: string;
  readonly userId: string;
  readonly userName: string;
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const randomChallenge = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Bytes of the two ids in a user handle, and of the random part after them. Older handles have no random part. */
const IDS_LENGTH = 32;
const RANDOM_LENGTH = 16;

/**
 * WebAuthn section 14.6.1: a user handle contains no name. Ours begins with two ids, so that a passkey is enough to sign in.
 * SECURITY: D310: an authenticator has one passkey per handle, and a new one deletes the earlier one. Random bytes make each handle unique.
 */
function userHandle({ organizationId, userId }: Holder): string {
  const hex = `${organizationId}${userId}`.replaceAll('-', '');
  const ids = hex.match(/../g) ?? [];
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH));
  return base64url(Uint8Array.from([...ids.map((pair) => Number.parseInt(pair, 16)), ...random]));
}

/** Creates a passkey. `exclude` contains the ids of the person’s passkeys. */
export async function makePasskey(name: string, holder: Holder, exclude: readonly string[] = []): Promise<PasskeyParams> {
  const challenge = randomChallenge();
  const made = await startRegistration({
    optionsJSON: {
      rp: { id: passkeyDomain(), name: 'Countersign' },
      user: { id: userHandle(holder), name: holder.userName, displayName: holder.userName },
      challenge,
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -8 },
        { type: 'public-key', alg: -257 },
      ],
      excludeCredentials: exclude.map((id) => ({ type: 'public-key', id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    },
  });
  return { authenticatorName: name, challenge, attestation: attestationOf(made) };
}

function attestationOf({ rawId, response }: RegistrationResponseJSON): PasskeyParams['attestation'] {
  const known = (response.transports ?? []).map((transport) => transport.toUpperCase());
  return {
    credentialId: rawId,
    clientDataJson: response.clientDataJSON,
    attestationObject: response.attestationObject,
    transports: transports.filter((name) => known.includes(name)).map((name) => `AUTHENTICATOR_TRANSPORT_${name}` as const),
  };
}

/** Prompts for any passkey of this site and returns its organization. Undefined for a foreign passkey. */
export async function organizationOfPasskey(): Promise<string | undefined> {
  const { response } = await startAuthentication({
    optionsJSON: { challenge: randomChallenge(), rpId: passkeyDomain(), userVerification: 'preferred' },
  });
  const bytes = atob((response.userHandle ?? '').replaceAll('-', '+').replaceAll('_', '/'));
  if (bytes.length !== IDS_LENGTH && bytes.length !== IDS_LENGTH + RANDOM_LENGTH) return undefined;
  const hex = Array.from(bytes.slice(0, 16), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
