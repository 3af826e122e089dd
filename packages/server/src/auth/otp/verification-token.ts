import { hash, verify } from 'node:crypto';
import { type OtpType, otpTypes } from '@countersign/contract';
import { z } from 'zod';
import type { VaultService } from '../../vault/vault.ts';
import { p256Key } from './p256-key.ts';

/** What a verification token proves: its holder received the code that was sent to this contact. */
export interface VerificationClaims {
  readonly id: string;
  readonly verificationType: OtpType;
  readonly contact: string;
  /** The organization in which the code was requested. */
  readonly organizationId: string;
  /** The only key that may use the token, compressed in hexadecimal. */
  readonly publicKey?: string;
  readonly expiresAtMs: number;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** RFC 7519 with ES256. The header is compared as text, so that a token cannot choose another algorithm. */
const HEADER = base64url({ typ: 'JWT', alg: 'ES256' });

/** Clients expect every claim as text. The time is in milliseconds. */
const payloadShape = z.object({
  id: z.string(),
  verification_type: z.enum(otpTypes),
  contact: z.string(),
  organization_id: z.string(),
  public_key: z.string().optional(),
  exp: z.string().regex(/^\d{1,15}$/),
});

/** Issues a token, signed with the service key for verification tokens. */
export async function issueVerificationToken(service: Pick<VaultService, 'attest'>, claims: VerificationClaims): Promise<string> {
  const { id, verificationType, contact, organizationId, publicKey, expiresAtMs } = claims;
  const payload = base64url({
    id,
    verification_type: verificationType,
    contact,
    organization_id: organizationId,
    ...(publicKey !== undefined && { public_key: publicKey }),
    exp: String(expiresAtMs),
  });
  const signed = `${HEADER}.${payload}`;
  const signature = await service.attest('verificationTokenSigner', Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

/** The claims of a token of this service, and an id that is the same for all encodings of the token. Undefined for any other token. */
export function readVerificationToken(
  service: Pick<VaultService, 'publicKeys'>,
  token: string,
): { readonly claims: VerificationClaims; readonly digest: string } | undefined {
  const [header, payload, signature, ...rest] = token.split('.');
  if (header !== HEADER || payload === undefined || signature === undefined || rest.length > 0) return undefined;
  const signed = `${header}.${payload}`;
  const key = p256Key(service.publicKeys.verificationTokenSigner);
  const bytes = Buffer.from(signature, 'base64url');
  if (!verify('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, bytes)) return undefined;
  const { id, verification_type, contact, organization_id, public_key, exp } = payloadShape.parse(
    JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')),
  );
  const claims = {
    id,
    verificationType: verification_type,
    contact,
    organizationId: organization_id,
    ...(public_key !== undefined && { publicKey: public_key }),
    expiresAtMs: Number(exp),
  };
  // Hash the signed part, not the token: a signature has more than one valid form.
  return { claims, digest: hash('sha256', signed) };
}
