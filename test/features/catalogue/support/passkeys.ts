import { createHash, randomBytes } from 'node:crypto';
import type { Attestation } from '../../../../packages/server/src/auth/webauthn/registration.ts';
import {
  type Bend,
  type RegistrationBend,
  SoftwareAuthenticator,
} from '../../../../packages/server/test/auth/software-authenticator.ts';
import { type Answer, type Caller, post } from '../../../support/caller.ts';
import { uniqueName } from '../../../support/world.ts';

/** A registration in the form of parameters. */
export interface PasskeyParams {
  readonly authenticatorName: string;
  readonly challenge: string;
  readonly attestation: Attestation;
}

/** A passkey that answers its own challenge. */
export function passkeyParams(
  authenticator: SoftwareAuthenticator = new SoftwareAuthenticator(),
  bend?: RegistrationBend,
): PasskeyParams {
  const challenge = randomBytes(32).toString('base64url');
  const attestation = authenticator.create(challenge, bend);
  authenticator.counter++;
  return { authenticatorName: uniqueName('Passkey'), challenge, attestation };
}

/** The same in the long form of first versions, for a user. */
export function longPasskeyParams(userId: string) {
  const { authenticatorName, challenge, attestation } = passkeyParams();
  const { credentialId, transports, ...response } = attestation;
  return {
    authenticatorName,
    userId,
    challenge,
    attestation: {
      id: credentialId,
      type: 'public-key',
      rawId: credentialId,
      authenticatorAttachment: 'cross-platform',
      response: { ...response, transports, authenticatorAttachment: 'cross-platform' },
      clientExtensionResults: {},
    },
  };
}

/** A registration that was signed for another challenge. */
export function forgedPasskeyParams(): PasskeyParams {
  return { ...passkeyParams(), challenge: randomBytes(32).toString('base64url') };
}

/** Posts a body stamped by a passkey. */
export function sendWithPasskey(
  { url }: Caller,
  authenticator: SoftwareAuthenticator,
  path: string,
  body: string,
  bend?: Bend,
): Promise<Answer> {
  const bytes = Buffer.from(body);
  return post(url + path, bytes, { 'x-stamp-webauthn': stampWithPasskey(authenticator, bytes, bend) });
}

/** The header that stamps a body with a passkey. */
export function stampWithPasskey(authenticator: SoftwareAuthenticator, bytes: Uint8Array, bend?: Bend): string {
  const digestHex = createHash('sha256').update(bytes).digest('hex');
  const stamp = authenticator.get(Buffer.from(digestHex).toString('base64url'), bend);
  const text = (value: Uint8Array) => Buffer.from(value).toString('base64url');
  return JSON.stringify({
    credentialId: stamp.credentialId,
    authenticatorData: text(stamp.authenticatorData),
    clientDataJson: text(stamp.clientDataJson),
    signature: text(stamp.signature),
  });
}
