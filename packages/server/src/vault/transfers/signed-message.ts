import { p256 } from '@noble/curves/nist.js';
import type { SigningServiceKey } from '../keys/service-keys.ts';
import type { VaultService } from '../vault.ts';

/**
 * Content with a signature of the service, as the JSON text that clients of bundles read. The signature is DER-encoded ECDSA on P-256
 * over SHA-256 of the bytes of `data`, not of their hexadecimal text.
 */
export async function signedMessage(
  service: Pick<VaultService, 'attest' | 'publicKeys'>,
  key: SigningServiceKey,
  content: Readonly<Record<string, string>>,
): Promise<string> {
  const data = Buffer.from(JSON.stringify(content), 'utf8');
  const signature = p256.Signature.fromBytes(await service.attest(key, data), 'compact');
  return JSON.stringify({
    version: 'v1.0.0',
    data: data.toString('hex'),
    dataSignature: signature.toHex('der'),
    enclaveQuorumPublic: service.publicKeys[key],
  });
}
