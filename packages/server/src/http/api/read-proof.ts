import { ServiceError } from '@countersign/contract';
import { parseSession, parseStamp, type StampHeaders } from '../../auth/api-key/stamp.ts';
import { StampError } from '../../auth/api-key/stamp-error.ts';
import type { CertificateKey } from '../../auth/client-certificate.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import type { StampedBody } from '../../pipeline/authenticate/authenticate.ts';
import type { PresentedSession } from '../../pipeline/authenticate/read-only-session.ts';
import { claimedCredential } from '../../pipeline/authenticate/unverified-caller.ts';

/** The stamp or session of a request, not verified. Returns an error instead of throwing: errors in the body are reported first. */
export function readProof(
  headers: StampHeaders,
  bytes: Uint8Array,
  clientAddress: () => IpAddress | undefined,
  certificateKey?: CertificateKey,
): StampedBody | PresentedSession | ServiceError {
  try {
    const session = parseSession(headers);
    const from = { clientAddress, userAgent: headers['user-agent'], certificateKey };
    return session === undefined ? { stamp: parseStamp(headers), bytes, ...from } : { session, ...from };
  } catch (error) {
    if (!(error instanceof StampError)) throw error;
    if (error.reason !== 'MISSING')
      return new ServiceError('STAMP_MALFORMED', malformed(headers, error), { cause: error, reason: error.reason });
    return new ServiceError(
      'STAMP_MISSING',
      'cannot authenticate public API activity request without a stamp (X-Stamp/X-Stamp-Webauthn header). Stamp the body with a registered API key.',
    );
  }
}

const NOTHING = new Uint8Array();

/** The credential that a request names, or an empty text. It is not verified. */
export function claimIn(headers: StampHeaders): string {
  const proof = readProof(headers, NOTHING, () => undefined);
  return proof instanceof Error ? '' : claimedCredential(proof);
}

/** Describes a malformed stamp, by its header. */
function malformed(headers: StampHeaders, { reason }: StampError): string {
  if (reason === 'PRIVATE_KEY_SENT')
    return 'malformed activity stamp: the signature looks like a private key. A stamp contains a signature over the body, never the private key. Treat this key as leaked: delete it and register a new one. This server does not store it.';
  if (reason === 'AMBIGUOUS')
    return 'malformed activity stamp: there is more than one. Send one of X-Stamp, X-Stamp-Webauthn and X-Session, once.';
  if (headers['x-stamp-webauthn'] !== undefined)
    return 'malformed activity stamp: could not extract webauthn stamp. Send one X-Stamp-Webauthn header: {"credentialId","authenticatorData","clientDataJson","signature"} as JSON or its base64url, each value in base64url without padding.';
  return 'malformed activity stamp: could not extract api key stamp. Send one X-Stamp header: base64url of {"publicKey","scheme","signature"}.';
}
