/** What a caller can rely on about one kind of failure. */
export interface ErrorSpec {
  /** HTTP status. */
  readonly status: number;
  /** The number in the body's `code`, from the gRPC table that existing clients know. */
  readonly grpc: number;
  /** Whether sending the same request again, later, may succeed. */
  readonly retry: boolean;
  /** The code that clients of the compatible base path look for. */
  readonly turnkey: string;
  readonly title: string;
}

/** One row per failure a caller can see. The code is the contract; the message may improve. */
export const errorCodes = {
  REQUEST_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The request does not match its schema',
  },
  JSON_INVALID: { status: 400, grpc: 3, retry: false, turnkey: 'REQUEST_INVALID', title: 'The body is not strict JSON' },
  TYPE_MISMATCH: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The activity type does not belong to this path',
  },
  ORGANIZATION_ID_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'INVALID_ORGANIZATION_ID',
    title: 'The organization id is not a UUID',
  },
  TIMESTAMP_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'INVALID_TIME',
    title: 'The request is too old, too far ahead, or its time is not a number',
  },
  ORGANIZATION_MISMATCH: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'ORGANIZATION_MISMATCH',
    title: 'The caller belongs to another organization, which may not write here',
  },
  ACTIVITY_CALLER_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'INVALID_ACTIVITY_CALLER',
    title: 'A sub-organization may not do this: it is for top-level organizations',
  },
  NAME_TAKEN: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'A name that must be unique in the organization is taken',
  },
  CREDENTIAL_TAKEN: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The credential is registered in the organization already',
  },
  OAUTH_PROVIDER_TAKEN: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'OAUTH_PROVIDER_ALREADY_EXISTS',
    title: 'The OpenID Connect identity is linked to a user of the organization already',
  },
  OIDC_TOKEN_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'INVALID_OIDC_TOKEN',
    title: 'The OpenID Connect token is not believed, was used before, or belongs to another key or user',
  },
  INVALID_ATTESTATION: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The passkey registration does not verify',
  },
  BUNDLE_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The encrypted bundle cannot be opened, or does not hold what it should',
  },
  OTP_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The one-time code is wrong, used, expired or locked',
  },
  VERIFICATION_TOKEN_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The verification token does not verify, is used, or is not for this organization or key',
  },
  PAYLOAD_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The payload does not fit its encoding, its hash function or the key',
  },
  POLICY_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'An expression of a policy does not parse or check; the violations draw where',
  },
  TRANSACTION_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'INVALID_TRANSACTION',
    title: 'The transaction cannot be read, or is not one to be signed with this key',
  },
  PRECONDITION_FAILED: {
    status: 400,
    grpc: 9,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The state of the organization does not permit this',
  },
  STAMP_MISSING: { status: 401, grpc: 16, retry: false, turnkey: 'SIGNATURE_MISSING', title: 'The request carries no stamp' },
  STAMP_MALFORMED: { status: 401, grpc: 16, retry: false, turnkey: 'SIGNATURE_MISSING', title: 'The stamp cannot be read' },
  SIGNATURE_INVALID: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'SIGNATURE_INVALID',
    title: 'The stamp does not verify over the body as received',
  },
  PUBLIC_KEY_NOT_FOUND: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'PUBLIC_KEY_NOT_FOUND',
    title: 'The organization and its parent know no such API key, or there is no such organization',
  },
  CREDENTIAL_NOT_FOUND: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'CREDENTIAL_NOT_FOUND',
    title: 'The organization and its parent know no such passkey, or there is no such organization',
  },
  CREDENTIAL_CONFLICT: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'CREDENTIAL_CONFLICT',
    title: 'More than one sub-organization knows the credential',
  },
  SESSION_INVALID: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'UNAUTHENTICATED',
    title: 'The session is unknown or over',
  },
  API_KEY_EXPIRED: { status: 401, grpc: 16, retry: false, turnkey: 'API_KEY_EXPIRED', title: 'The API key has expired' },
  IP_NOT_ALLOWED: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'FORBIDDEN',
    title: 'The IP allowlist that governs the credential does not have the address of the caller',
  },
  POLICY_DENIED: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'REQUEST_NOT_AUTHORIZED',
    title: 'No policy allows this activity, or one denies it',
  },
  NOT_FOUND: { status: 404, grpc: 5, retry: false, turnkey: 'REQUEST_INVALID', title: 'No such object in this organization' },
  SIGN_WITH_NOT_FOUND: {
    status: 404,
    grpc: 5,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'No key of this organization answers to signWith',
  },
  PATH_NOT_FOUND: { status: 404, grpc: 5, retry: false, turnkey: 'REQUEST_INVALID', title: 'No operation at this path' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    grpc: 12,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The path exists, the method is wrong',
  },
  REQUEST_TIMEOUT: { status: 408, grpc: 4, retry: true, turnkey: 'REQUEST_INVALID', title: 'The body did not arrive in time' },
  CONFLICT: {
    status: 409,
    grpc: 10,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'The organization kept changing while the request was judged',
  },
  BODY_TOO_LARGE: {
    status: 413,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The body is larger than the server accepts',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    status: 415,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The body is not declared as plain JSON',
  },
  OTP_LIMIT_EXCEEDED: {
    status: 429,
    grpc: 8,
    retry: true,
    turnkey: 'MAX_OTP_INITIATED',
    title: 'A contact, whoever asks, or the organization has as many one-time codes under way as it may',
  },
  LIMIT_EXCEEDED: {
    status: 429,
    grpc: 8,
    retry: false,
    turnkey: 'SIGNING_QUOTA_EXCEEDED',
    title: 'A limit of the organization is reached',
  },
  INTERNAL: {
    status: 500,
    grpc: 13,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'A fault in the server; the id in the message leads to its log entry',
  },
  STATE_TAMPERED: {
    status: 500,
    grpc: 15,
    retry: false,
    turnkey: 'INTERNAL',
    title: 'The stored state does not verify: it was changed outside the service',
  },
  NOT_OFFERED: {
    status: 501,
    grpc: 12,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The server does not offer this, or is not configured for it',
  },
  ISSUER_UNAVAILABLE: {
    status: 503,
    grpc: 14,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'The OpenID Connect issuer does not answer, or not as it should',
  },
  UNAVAILABLE: {
    status: 503,
    grpc: 14,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'The database does not answer, or the server is stopping',
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof errorCodes;

/** One field that is wrong: its path without the leading `parameters`, and what to do about it. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

export interface ServiceErrorOptions extends ErrorOptions {
  readonly violations?: readonly FieldViolation[];
  /** The activity that recorded the refused attempt. */
  readonly activityId?: string;
  /** For the log only: why, in more detail than the caller may know. */
  readonly reason?: string;
}

/** An expected failure. Its message goes to the caller: plain words that say what to do next, never a secret or a payload. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly violations: readonly FieldViolation[];
  readonly activityId: string | undefined;
  readonly reason: string | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.violations = options.violations ?? [];
    this.activityId = options.activityId;
    this.reason = options.reason;
  }
}
