import { VerifierCache } from '../../src/auth/api-key/schemes.ts';
import type { PasskeyStamp } from '../../src/auth/api-key/stamp.ts';
import type { AssertionCheck } from '../../src/auth/webauthn/assertion.ts';
import type { SoftwareAuthenticator } from './software-authenticator.ts';

/** The check of a stamp over this body, as a service that registered this authenticator makes it. */
export function assertionCheck(
  holder: SoftwareAuthenticator,
  body: Uint8Array,
  stamp: PasskeyStamp,
  over: Partial<AssertionCheck> = {},
): AssertionCheck {
  return {
    stamp,
    body,
    authenticator: {
      credentialId: holder.credentialId.toString('base64url'),
      publicKeyCose: holder.publicKeyCose.toString('base64url'),
      counter: 0,
    },
    allowedOrigins: [holder.origin],
    rpIds: [holder.rpId],
    requireUserVerification: false,
    verifiers: new VerifierCache(),
    ...over,
  };
}
