import { ServiceError } from '@countersign/contract';
import { expired } from '@countersign/judgement';
import { rpcKeysByPresented } from '../organizations/snapshot/indexes.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';

/** The public key of a client certificate, in the form of API keys; undefined if connections need no bound certificate. */
export type CertificateKey = string | undefined;

/**
 * The API key that the certificate of a connection proves: the one with the same public key, or the RPC key of the certificate. Undefined
 * for an unknown or expired one.
 * INVARIANT: the client proved the private key in the TLS handshake.
 */
export function certificateHolder(
  { apiKeys, apiKeyByPublicKey }: Pick<Snapshot, 'apiKeys' | 'apiKeyByPublicKey'>,
  publicKey: string,
  nowMs: number,
): { readonly userId: string; readonly credentialId: string } | undefined {
  const [rpcKeyId] = rpcKeysByPresented(apiKeys).get(publicKey)?.keys() ?? [];
  const credentialId = apiKeyByPublicKey.get(publicKey) ?? rpcKeyId;
  const record = credentialId === undefined ? undefined : apiKeys.get(credentialId);
  if (credentialId === undefined || record === undefined || expired(record, nowMs)) return undefined;
  return { userId: record.userId, credentialId };
}

/** Refuses a credential that is used on a connection whose certificate belongs to another user, or to none. */
export function requireBoundCertificate(home: Snapshot, userId: string, publicKey: CertificateKey, nowMs: number): void {
  if (publicKey === undefined || certificateHolder(home, publicKey, nowMs)?.userId === userId) return;
  throw new ServiceError(
    'CERTIFICATE_NOT_BOUND',
    'The client certificate of this connection does not belong to the user of this credential. Register the public key of the certificate (P-256) as an API key of the user, or connect with another certificate.',
  );
}
