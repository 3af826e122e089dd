/** What callers can rely on for one kind of failure. */
export interface ErrorSpec {
  /** HTTP status. */
  readonly status: number;
  /** The gRPC status code, in the body's `code`. */
  readonly grpc: number;
  /** Whether the same request may succeed later. */
  readonly retry: boolean;
  /** The error code on the compatible base path. */
  readonly turnkey: string;
  /** The HTTP status on the compatible base path, if its clients expect another one. */
  readonly turnkeyStatus?: number;
  readonly title: string;
}

/** Every failure that a caller can see. The code is stable. The message may improve. */
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
    title: 'The activity type, or the operation that a query names, does not belong to this path',
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
    title: 'The timestamp is too old, too far ahead, or not a number',
  },
  ORGANIZATION_MISMATCH: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'ORGANIZATION_MISMATCH',
    title: 'The caller’s organization may not change this organization',
  },
  ACTIVITY_CALLER_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'INVALID_ACTIVITY_CALLER',
    title: 'Only a top-level organization may do this',
  },
  NAME_TAKEN: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The name is already taken in the organization',
  },
  CREDENTIAL_TAKEN: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The credential is already registered in the organization',
  },
  KEY_TAKEN: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The organization already has the imported private key or wallet',
  },
  OAUTH_PROVIDER_TAKEN: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'OAUTH_PROVIDER_ALREADY_EXISTS',
    title: 'The OpenID Connect identity is already linked to a user of the organization',
  },
  OIDC_TOKEN_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'INVALID_OIDC_TOKEN',
    title: 'The OpenID Connect token is invalid, already used, or bound to another key or user',
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
    title: 'The encrypted bundle cannot be decrypted, or its content is wrong',
  },
  OTP_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The one-time code is wrong, already used, expired or locked',
  },
  VERIFICATION_TOKEN_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The verification token is invalid, already used, or bound to another organization or key',
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
    title: 'A policy expression has an error. The violations show where',
  },
  TRANSACTION_INVALID: {
    status: 400,
    grpc: 3,
    retry: false,
    turnkey: 'INVALID_TRANSACTION',
    title: 'The transaction cannot be parsed, or this key cannot sign it',
  },
  PRECONDITION_FAILED: {
    status: 400,
    grpc: 9,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The current state of the organization does not allow this',
  },
  STAMP_MISSING: { status: 401, grpc: 16, retry: false, turnkey: 'SIGNATURE_MISSING', title: 'The request has no stamp' },
  STAMP_MALFORMED: { status: 401, grpc: 16, retry: false, turnkey: 'SIGNATURE_MISSING', title: 'The stamp cannot be parsed' },
  SIGNATURE_INVALID: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'SIGNATURE_INVALID',
    title: 'The signature of the stamp does not match the body',
  },
  PUBLIC_KEY_NOT_FOUND: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'PUBLIC_KEY_NOT_FOUND',
    title: 'Neither the organization nor its parent has this API key, or the organization does not exist',
  },
  API_KEY_EVICTED: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'PUBLIC_KEY_NOT_FOUND',
    title: 'A newer API key or session of the same user replaced this one before it expired',
  },
  CREDENTIAL_NOT_FOUND: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'CREDENTIAL_NOT_FOUND',
    title: 'Neither the organization nor its parent has this passkey, or the organization does not exist',
  },
  CREDENTIAL_CONFLICT: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'CREDENTIAL_CONFLICT',
    title: 'More than one sub-organization has this credential',
  },
  SESSION_INVALID: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'UNAUTHENTICATED',
    title: 'The session is unknown or has ended',
  },
  RPC_CREDENTIAL_INVALID: {
    status: 401,
    grpc: 16,
    retry: false,
    turnkey: 'UNAUTHENTICATED',
    title: 'The token or client certificate of a JSON-RPC request is missing, unknown or has expired',
  },
  API_KEY_EXPIRED: { status: 401, grpc: 16, retry: false, turnkey: 'API_KEY_EXPIRED', title: 'The API key has expired' },
  CERTIFICATE_NOT_BOUND: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'FORBIDDEN',
    title: 'The client certificate of the connection does not belong to the user of the credential',
  },
  BROWSER_NOT_ALLOWED: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'FORBIDDEN',
    title: 'A web page sent a request to the JSON-RPC endpoint',
  },
  IP_NOT_ALLOWED: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'FORBIDDEN',
    title: 'The IP allowlist does not contain the caller’s address',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'FORBIDDEN',
    title: 'The auth proxy of the organization does not allow the origin of this page',
  },
  CAPTCHA_INVALID: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'FORBIDDEN',
    title: 'The answer of the captcha is missing, was used before, or was not accepted',
  },
  POLICY_DENIED: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'REQUEST_NOT_AUTHORIZED',
    title: 'No policy allows this activity, or one denies it',
  },
  FROZEN: {
    status: 403,
    grpc: 7,
    retry: false,
    turnkey: 'REQUEST_NOT_AUTHORIZED',
    title: 'The organization, the user, the wallet or the private key is frozen',
  },
  NOT_FOUND: { status: 404, grpc: 5, retry: false, turnkey: 'REQUEST_INVALID', title: 'The organization has no such object' },
  SIGN_WITH_NOT_FOUND: {
    status: 404,
    grpc: 5,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The organization has no key for signWith',
  },
  PATH_NOT_FOUND: { status: 404, grpc: 5, retry: false, turnkey: 'REQUEST_INVALID', title: 'There is no operation at this path' },
  ACTIVITY_ARCHIVED: {
    status: 410,
    grpc: 5,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The activity was moved to an archive file. The message contains its name',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    grpc: 12,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The HTTP method is wrong for this path',
  },
  REQUEST_TIMEOUT: { status: 408, grpc: 4, retry: true, turnkey: 'REQUEST_INVALID', title: 'The body did not arrive in time' },
  CONFLICT: {
    status: 409,
    grpc: 10,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'Concurrent changes to the organization repeatedly conflicted with the request',
  },
  IDEMPOTENCY_KEY_USED: {
    status: 409,
    grpc: 6,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'A transaction with this idempotencyKey was sent in the last 24 hours. The error names its activity',
  },
  BODY_TOO_LARGE: {
    status: 413,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The body is too large',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    status: 415,
    grpc: 3,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The body is declared as something other than JSON, or as compressed',
  },
  OTP_LIMIT_EXCEEDED: {
    status: 429,
    grpc: 8,
    retry: true,
    turnkey: 'MAX_OTP_INITIATED',
    title: 'A requester requested too many one-time codes, or too many are active in the organization',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    grpc: 8,
    retry: true,
    turnkey: 'RATE_LIMIT_EXCEEDED',
    title:
      'Too many requests in a short time, too many wrong codes, too many concurrent backtests, or the daily limit of messages is reached. The response states when to retry',
  },
  LIMIT_EXCEEDED: {
    // Clients repeat requests after a 429, but this one cannot succeed before something is removed.
    status: 409,
    grpc: 8,
    retry: false,
    turnkey: 'SIGNING_QUOTA_EXCEEDED',
    turnkeyStatus: 429,
    title: 'The organization has reached a limit',
  },
  INTERNAL: {
    status: 500,
    grpc: 13,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'The server failed. The id in the message is in the server’s log',
  },
  STATE_TAMPERED: {
    status: 500,
    grpc: 15,
    retry: false,
    turnkey: 'INTERNAL',
    title: 'The stored data was changed outside the service',
  },
  NOT_OFFERED: {
    status: 501,
    grpc: 12,
    retry: false,
    turnkey: 'REQUEST_INVALID',
    title: 'The server does not support this, or is not configured for it',
  },
  ISSUER_UNAVAILABLE: {
    status: 503,
    grpc: 14,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'The OpenID Connect issuer does not respond, or its response is invalid',
  },
  CHAIN_UNAVAILABLE: {
    status: 503,
    grpc: 14,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'No endpoint of the chain gives a valid response',
  },
  CHAIN_DISAGREEMENT: {
    status: 503,
    grpc: 14,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'The endpoints of the chain give different responses',
  },
  OVERLOADED: {
    status: 503,
    grpc: 14,
    retry: true,
    turnkey: 'RATE_LIMIT_EXCEEDED',
    title: 'The server is overloaded. Nothing was executed',
  },
  UNAVAILABLE: {
    status: 503,
    grpc: 14,
    retry: true,
    turnkey: 'INTERNAL',
    title: 'The database, the root key or the audit sink is not available, or the server is shutting down',
  },
} as const satisfies Record<string, ErrorSpec>;

/** The code of a failure. */
export type ErrorCode = keyof typeof errorCodes;

/** A wrong field: its path without the leading `parameters`, and how to correct it. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** The part of a policy denial that the caller may see. */
export interface PolicyDenial {
  /** The policies that denied it. Undefined if no policy denied and no policy allowed it. */
  readonly deniedBy?: readonly string[];
  readonly evaluations: readonly { readonly policyId: string; readonly outcome: string }[];
}

/** Optional details of an error. */
export interface ServiceErrorOptions extends ErrorOptions {
  readonly violations?: readonly FieldViolation[];
  /** The activity that recorded the refused attempt. */
  readonly activityId?: string;
  /** The decision of the policies, if they denied the request. */
  readonly denial?: PolicyDenial;
  /** When the same request may succeed. */
  readonly retryAtMs?: number;
  /** The organization that the request names, for errors that do not tell whether it exists. */
  readonly organizationId?: string;
  /** For the log only: details that the caller must not learn. */
  readonly reason?: string;
}

/** An expected failure. The caller sees its message, which says what to do next. It never contains a secret or a payload. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly violations: readonly FieldViolation[];
  readonly activityId: string | undefined;
  readonly denial: PolicyDenial | undefined;
  readonly retryAtMs: number | undefined;
  readonly organizationId: string | undefined;
  readonly reason: string | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.violations = options.violations ?? [];
    this.activityId = options.activityId;
    this.denial = options.denial;
    this.retryAtMs = options.retryAtMs;
    this.organizationId = options.organizationId;
    this.reason = options.reason;
  }
}
