import { z } from 'zod';
import { policyMarks } from '../policy-view/marks.ts';
import { secret } from '../secrets.ts';
import { id, label, seconds, timestamp } from './primitives.ts';

/** The curves of API keys. */
export const apiKeyCurves = ['API_KEY_CURVE_P256', 'API_KEY_CURVE_SECP256K1', 'API_KEY_CURVE_ED25519'] as const;

/** The curve of an API key. */
export type ApiKeyCurve = (typeof apiKeyCurves)[number];

/** Every kind of credential. */
export const credentialTypes = [
  'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR',
  'CREDENTIAL_TYPE_API_KEY_P256',
  'CREDENTIAL_TYPE_API_KEY_SECP256K1',
  'CREDENTIAL_TYPE_API_KEY_ED25519',
  'CREDENTIAL_TYPE_RPC_TOKEN',
  'CREDENTIAL_TYPE_RPC_CERTIFICATE',
  'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256',
  'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256',
  'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256',
  'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256',
  'CREDENTIAL_TYPE_OAUTH_KEY_P256',
  'CREDENTIAL_TYPE_LOGIN',
] as const;

/** The kind of a credential. */
export type CredentialType = (typeof credentialTypes)[number];

const publicKeyHex = z
  .string()
  .regex(/^[0-9a-fA-F]{64,66}$/, 'must be a compressed public key in hexadecimal: 66 digits, or 64 for ed25519');

/** An API key to register, as versions without a curve send it: always P-256. */
export const apiKeyParamsV1 = z
  .strictObject({ apiKeyName: label, publicKey: publicKeyHex, expirationSeconds: seconds.optional() })
  .meta({ id: 'ApiKeyParams' });

/** An API key to register. */
export const apiKeyParams = z
  .strictObject({
    apiKeyName: label,
    publicKey: publicKeyHex,
    curveType: z.enum(apiKeyCurves),
    expirationSeconds: seconds.optional(),
  })
  .meta({ id: 'ApiKeyParamsV2' });

/** An API key to register. */
export type ApiKeyParams = z.output<typeof apiKeyParams>;

/** The API key with the curve that all keys had before requests named one. */
export function withCurve(key: z.output<typeof apiKeyParamsV1>): ApiKeyParams {
  return { ...key, curveType: 'API_KEY_CURVE_P256' };
}

/** What a caller of the JSON-RPC endpoint presents, and the type of the credential that stands for it. */
export const rpcProofs = {
  RPC_PROOF_TOKEN: 'CREDENTIAL_TYPE_RPC_TOKEN',
  RPC_PROOF_CERTIFICATE: 'CREDENTIAL_TYPE_RPC_CERTIFICATE',
} as const satisfies Record<string, CredentialType>;

/** What a caller of the JSON-RPC endpoint presents. */
export type RpcProof = keyof typeof rpcProofs;

/** A credential of the JSON-RPC endpoint to register. */
export const rpcKeyParams = z
  .strictObject({
    apiKeyName: label,
    proof: z.enum(Object.keys(rpcProofs) as [RpcProof, ...RpcProof[]]),
    identifier: z
      .string()
      .regex(/^([0-9a-f]{64}|0[23][0-9a-f]{64})$/, 'must be 64 or 66 lower-case hexadecimal digits')
      .describe('The SHA-256 of the token, or the public key of the certificate: P-256, compressed, in hexadecimal'),
    expirationSeconds: seconds,
  })
  .meta({ id: 'RpcKeyParams' });

/** A credential of the JSON-RPC endpoint to register. */
export type RpcKeyParams = z.output<typeof rpcKeyParams>;

/** The ways to reach a passkey (WebAuthn). */
export const authenticatorTransports = [
  'AUTHENTICATOR_TRANSPORT_BLE',
  'AUTHENTICATOR_TRANSPORT_INTERNAL',
  'AUTHENTICATOR_TRANSPORT_NFC',
  'AUTHENTICATOR_TRANSPORT_USB',
  'AUTHENTICATOR_TRANSPORT_HYBRID',
] as const;

/** A way to reach a passkey (WebAuthn). */
export type AuthenticatorTransport = (typeof authenticatorTransports)[number];

const transports = z.array(z.enum(authenticatorTransports)).max(5);
/** With or without padding. */
const base64url = z.string().regex(/^[A-Za-z0-9_-]*={0,2}$/, 'must be base64url');
/** At most 1023 bytes, as they are or as a CBOR byte string. */
const credentialId = base64url.min(1).max(1368);
const challenge = z.string().min(1).max(256);

/** A passkey to register. */
export const authenticatorParams = z
  .strictObject({
    authenticatorName: label,
    challenge,
    attestation: z.strictObject({
      credentialId: credentialId.describe('The id in base64url: its bytes, or the CBOR byte string of them'),
      clientDataJson: base64url.min(1).max(16_384),
      attestationObject: base64url.min(1).max(65_536),
      transports,
    }),
  })
  .meta({ id: 'AuthenticatorParamsV2' });

/** A passkey to register. */
export type AuthenticatorParams = z.output<typeof authenticatorParams>;

/** The long form of a passkey registration. First versions send it, and intents show it. */
export const authenticatorEcho = z
  .strictObject({
    authenticatorName: label,
    userId: id,
    challenge,
    attestation: z.strictObject({
      id: credentialId,
      type: z.string(),
      rawId: credentialId,
      authenticatorAttachment: z.string().optional(),
      response: z.strictObject({
        clientDataJson: base64url.min(1).max(16_384),
        attestationObject: base64url.min(1).max(65_536),
        transports: transports.optional(),
        authenticatorAttachment: z.string().optional(),
      }),
      clientExtensionResults: z.strictObject({
        appid: z.boolean().optional(),
        appidExclude: z.boolean().optional(),
        credProps: z.strictObject({ rk: z.boolean() }).optional(),
      }),
    }),
  })
  .meta({ id: 'AuthenticatorParams' });

/** The short form of a registration in the long form. */
export function shortAttestation({
  authenticatorName,
  challenge,
  attestation,
}: z.output<typeof authenticatorEcho>): AuthenticatorParams {
  const { clientDataJson, attestationObject, transports = [] } = attestation.response;
  return {
    authenticatorName,
    challenge,
    attestation: { credentialId: attestation.rawId, clientDataJson, attestationObject, transports },
  };
}

/** The long form of a registration in the short form. */
export function longAttestation(
  { authenticatorName, challenge, attestation }: AuthenticatorParams,
  userId: string,
): z.output<typeof authenticatorEcho> {
  const { credentialId, clientDataJson, attestationObject, transports } = attestation;
  const authenticatorAttachment = transports.includes('AUTHENTICATOR_TRANSPORT_INTERNAL') ? 'platform' : 'cross-platform';
  return {
    authenticatorName,
    userId,
    challenge,
    attestation: {
      id: credentialId,
      type: 'public-key',
      rawId: credentialId,
      authenticatorAttachment,
      response: { clientDataJson, attestationObject, transports, authenticatorAttachment },
      // A request of the current version does not carry them, so they are not known.
      clientExtensionResults: { appid: false, appidExclude: false, credProps: { rk: false } },
    },
  };
}

/** An ID token of an OpenID Connect issuer that the operator trusts. */
export const oidcToken = secret(
  z.string().min(1, 'must not be empty').max(16_384, 'must have at most 16384 characters'),
).describe('An ID token from an OpenID Connect issuer that the operator trusts, in compact form or as its base64');

/** A link to an OpenID Connect identity to register. */
export const oauthProviderParams = z.strictObject({ providerName: label, oidcToken }).meta({ id: 'OauthProviderParams' });

/** An OpenID Connect identity, by the claims of its tokens. */
const oidcClaims = z
  .strictObject({
    iss: z.string().min(1, 'must not be empty').max(512, 'must have at most 512 characters'),
    sub: z.string().regex(/^[\x20-\x7e]{1,255}$/, 'must have 1 to 255 printable ASCII characters'),
    aud: z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters'),
  })
  .meta({ id: 'OidcClaims' });

/** A link to register in later versions: by a token, or by the claims of an identity that a token proves. */
export const oauthProviderParamsV2 = z
  .strictObject({
    providerName: label,
    oidcToken: oidcToken.optional(),
    oidcClaims: oidcClaims
      .optional()
      .register(policyMarks, { resolved: 'the claims of the token' })
      .describe(
        'Another audience for an issuer and subject. A token in the same list or an existing link of the user must prove them',
      ),
  })
  .refine((provider) => (provider.oidcToken === undefined) !== (provider.oidcClaims === undefined), {
    message: 'must have oidcToken or oidcClaims, and not both',
  })
  .meta({ id: 'OauthProviderParamsV2' });

/** A link to an OpenID Connect identity to register. Every version of the request fits. */
export type OauthProviderParams = z.output<typeof oauthProviderParamsV2>;

/** A credential by its public key. */
export const credential = z
  .object({
    publicKey: z.string(),
    type: z.enum(credentialTypes),
    sessionProfileId: z.string().optional().describe('Present on the key of a session that a profile limits'),
  })
  .meta({ id: 'Credential' });

const device = z
  .string()
  .optional()
  .describe(
    'Browser and system that the request named, such as `Firefox on Windows`. The client chooses it, and it can be wrong',
  );
const address = z
  .string()
  .optional()
  .describe('Network address of the request, as the service saw it behind its trusted proxies');

/** The client of a request, as the request described it. */
const requestClient = z.object({ device, address }).meta({ id: 'RequestClient' });
const sessionUse = z
  .object({ at: timestamp.describe('At most one request of a session in ten minutes is recorded'), device, address })
  .meta({ id: 'SessionUse' });

/** An API key as queries show it. */
export const apiKey = z
  .object({
    credential,
    apiKeyId: z.string(),
    apiKeyName: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    expirationSeconds: z.string().optional(),
    openedFrom: requestClient
      .optional()
      .describe('The client that opened a session. Only in the credentials of one user, if it was recorded'),
    lastUsed: sessionUse.optional().describe('The last recorded use of a session. Only in the credentials of one user'),
  })
  .meta({ id: 'ApiKey' });

/** A passkey as queries show it. */
export const authenticator = z
  .object({
    transports,
    attestationType: z.string(),
    aaguid: z.string(),
    credentialId: z.string(),
    model: z.string(),
    credential,
    authenticatorId: z.string(),
    authenticatorName: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Authenticator' });

/** A link to an OpenID Connect identity as queries show it, without the token. */
export const oauthProvider = z
  .object({
    providerId: z.string(),
    providerName: z.string(),
    issuer: z.string(),
    audience: z.string(),
    subject: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'OauthProvider' });
