/** Why a token was rejected: a stable code for logs, and the text for the caller. */
const oidcErrorTexts = {
  MALFORMED: 'it is not a signed token in compact form',
  FORBIDDEN_HEADER: 'its header contains a key or requires an extension; only keys that the issuer publishes are accepted',
  WRONG_TYPE: 'it is not an ID token',
  ALGORITHM_NOT_ALLOWED: 'its algorithm is not allowed; use RS256, PS256, ES256 or EdDSA',
  UNKNOWN_ISSUER: 'this server is not configured to trust its issuer',
  MALFORMED_CLAIMS: 'iss, sub, aud, exp or iat is missing or malformed',
  WRONG_AUDIENCE: 'it was not issued for exactly one of the configured audiences',
  WRONG_AUTHORIZED_PARTY: 'it was issued to another client (azp)',
  EXPIRED: 'it has expired',
  NOT_YET_VALID: 'it is not valid yet, or was issued in the future; check the clocks',
  LIVES_TOO_LONG: 'its lifetime exceeds the maximum',
  UNKNOWN_KEY: 'it is signed with a key that the issuer does not publish',
  BAD_SIGNATURE: 'its signature does not verify',
} as const satisfies Record<string, string>;

export type OidcErrorReason = keyof typeof oidcErrorTexts;

/** A rejected token. The message is for the caller and quotes nothing from the token. */
export class OidcError extends Error {
  override readonly name = 'OidcError';
  readonly reason: OidcErrorReason;

  constructor(reason: OidcErrorReason, options?: ErrorOptions) {
    super(oidcErrorTexts[reason], options);
    this.reason = reason;
  }
}

/** The issuer did not answer, or its answer was unusable. The message is for the operator's log. */
export class IssuerUnavailable extends Error {
  override readonly name: string = 'IssuerUnavailable';
}

/** The response of an issuer has another status than 200. */
export class UnexpectedStatus extends IssuerUnavailable {
  override readonly name = 'UnexpectedStatus';
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined) {
    super(message);
    this.status = status;
  }
}
