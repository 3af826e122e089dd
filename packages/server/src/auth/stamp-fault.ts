/** Why a stamp was refused: a stable code for logs and metrics, and what it means. Never shown to the caller. */
export const stampFaults = {
  MISSING: 'no stamp header was sent',
  AMBIGUOUS: 'more than one stamp was sent',
  TOO_LONG: 'the stamp header is longer than any stamp can be',
  MALFORMED: 'the stamp header is not in any form that is known',
  UNKNOWN_SCHEME: 'the stamp names a signature scheme that is not known',
  MALFORMED_PUBLIC_KEY: 'the public key in the stamp is not in its canonical form for the scheme',
  WRONG_KEY: 'the stamp was made with another key than the credential it was checked against',
  SCHEME_MISMATCH: 'the scheme of the stamp does not fit the type of the credential',
  BAD_SIGNATURE: 'the signature does not verify over the body as received',
  MALFORMED_CLIENT_DATA: 'the client data of the passkey is not what a browser writes',
  MALFORMED_AUTHENTICATOR_DATA: 'the authenticator data of the passkey is not well formed',
  WRONG_CEREMONY: 'the client data is not of type webauthn.get',
  WRONG_CHALLENGE: 'the passkey answered another challenge than the hash of this body',
  WRONG_ORIGIN: 'the passkey was used on an origin that is not allowed',
  CROSS_ORIGIN: 'the passkey was used inside a frame of another site',
  WRONG_RELYING_PARTY: 'the passkey answered for another relying party',
  USER_NOT_PRESENT: 'the authenticator did not see a person',
  USER_NOT_VERIFIED: 'the authenticator did not verify the person, which this organization requires',
  COUNTER_REGRESSED: 'the signature counter did not grow: the authenticator may have been copied, or the stamp was sent before',
} as const satisfies Record<string, string>;

/** The code of a reason. */
export type StampFaultReason = keyof typeof stampFaults;

/** The one text that a caller sees for every refused stamp. */
export const STAMP_REFUSED = 'The stamp is missing or does not verify.';

/** A refused stamp. The message is the same for every reason and safe to show; reason and detail are for the log. */
export class StampFault extends Error {
  override readonly name = 'StampFault';
  readonly reason: StampFaultReason;

  constructor(reason: StampFaultReason, options?: ErrorOptions) {
    super(STAMP_REFUSED, options);
    this.reason = reason;
  }

  get detail(): string {
    return stampFaults[this.reason];
  }
}
