import { type RegistrationResponseJSON, startRegistration } from '@simplewebauthn/browser';
import { passkeyDomain } from './api.ts';
import { base64url, RANDOM_LENGTH, randomChallenge } from './passkeys.ts';

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
