/** Why a stamp was rejected: a stable code for logs and metrics. SECURITY: never shown to the caller. */
export type StampErrorReason =
  /** No stamp header was sent. */
  | 'MISSING'
  /** More than one stamp was sent. */
  | 'AMBIGUOUS'
  /** The stamp header is longer than any stamp can be. */
  | 'TOO_LONG'
  /** The stamp header has an unknown format. */
  | 'MALFORMED'
  /** The signature field looks like a private key. */
  | 'PRIVATE_KEY_SENT'
  /** The stamp names an unknown signature scheme. */
  | 'UNKNOWN_SCHEME'
  /** The public key in the stamp is not in the canonical form of the scheme. */
  | 'MALFORMED_PUBLIC_KEY'
  /** The stamp is from another key than the credential. */
  | 'WRONG_KEY'
  /** The scheme of the stamp does not fit the type of the credential. */
  | 'SCHEME_MISMATCH'
  /** The signature does not verify over the body as received. */
  | 'BAD_SIGNATURE'
  /** The client data of the passkey is malformed. */
  | 'MALFORMED_CLIENT_DATA'
  /** The authenticator data of the passkey is malformed. */
  | 'MALFORMED_AUTHENTICATOR_DATA'
  /** The client data is not of type `webauthn.get`. */
  | 'WRONG_CEREMONY'
  /** The passkey answered a challenge other than the hash of this body. */
  | 'WRONG_CHALLENGE'
  /** The passkey was used on an origin that is not allowed. */
  | 'WRONG_ORIGIN'
  /** The passkey was used inside a frame of another site. */
  | 'CROSS_ORIGIN'
  /** The passkey answered for another relying party. */
  | 'WRONG_RELYING_PARTY'
  /** The authenticator did not detect a user. */
  | 'USER_NOT_PRESENT'
  /** The authenticator did not verify the user, and the check requires it. */
  | 'USER_NOT_VERIFIED'
  /** The passkey contradicts its registration about whether it can be copied to other devices. */
  | 'BACKUP_ELIGIBILITY_CHANGED'
  /** The signature counter did not grow: the authenticator may have been copied, or the stamp was sent before. */
  | 'COUNTER_REGRESSED';

/** The caller sees this text for all rejected stamps. */
export const STAMP_REFUSED = 'The stamp is missing or does not verify.';

/** A rejected stamp. All reasons have the same message, which is safe to show; the reason is for the log. */
export class StampError extends Error {
  override readonly name = 'StampError';
  readonly reason: StampErrorReason;

  constructor(reason: StampErrorReason, options?: ErrorOptions) {
    super(STAMP_REFUSED, options);
    this.reason = reason;
  }
}
