import { hash } from 'node:crypto';
import type { StoredEvent } from '../../store/rows.ts';
import type { VaultService } from '../../vault/vault.ts';
import { eventTypeOf } from './send-event.ts';

/** The id of the key that signs deliveries: its thumbprint (RFC 7638, RFC 8037 section 2). */
export function eventKeyId(publicKey: Uint8Array): string {
  return hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x: toBase64url(publicKey) }), 'base64url');
}

/** The public key that verifies deliveries, as a JWK set (RFC 7517). */
export function eventKeySet(publicKey: Uint8Array) {
  const key = {
    kid: eventKeyId(publicKey),
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    x: toBase64url(publicKey),
    turnkey_signature_algorithm: 'ed25519',
    turnkey_signature_version: 'v1',
  };
  return { keys: [key] };
}

/**
 * The headers of one delivery attempt. The id is the same in every attempt; time and signature differ.
 * SECURITY: the signature covers time, id and body, so a receiver can reject old and replayed deliveries.
 */
export async function signedHeaders(
  service: Pick<VaultService, 'signEvent' | 'eventKey'>,
  event: Pick<StoredEvent, 'id' | 'organizationId' | 'body'>,
  nowMs: number,
): Promise<Record<string, string>> {
  const keyId = eventKeyId(service.eventKey);
  const prefix = `v1.ed25519.${keyId}.${nowMs}.${event.id}.`;
  const signature = await service.signEvent(Buffer.from(prefix + event.body, 'utf8'));
  return {
    'content-type': 'application/json',
    'user-agent': 'countersign',
    'x-turnkey-organization-id': event.organizationId,
    'x-turnkey-event-type': eventTypeOf(event.body),
    'x-turnkey-timestamp': String(nowMs),
    'x-turnkey-webhook-version': '1',
    'x-turnkey-event-id': event.id,
    'x-turnkey-signature-key-id': keyId,
    'x-turnkey-signature-algorithm': 'ed25519',
    'x-turnkey-signature-version': 'v1',
    'x-turnkey-signature': Buffer.from(signature).toString('hex'),
  };
}

function toBase64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
