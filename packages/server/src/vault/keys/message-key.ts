import { hkdfSync } from 'node:crypto';
import { ed25519Keys } from '../curves/ed25519.ts';
import { VaultError } from '../errors.ts';
import { Secret } from './secret.ts';

/** A key that signs messages of the service as they are. After `wipe` it signs nothing. */
export interface MessageKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes over the message itself (RFC 8032). INVARIANT: each signature is verified before it is returned. */
  sign(message: Uint8Array): Uint8Array;
  wipe(): void;
}

/**
 * Derives the key from the integrity key, as `openServiceKeys` does: the same on every node, never stored, unchanged by rotation.
 * SECURITY: one key for each use, so that no webhook delivery can be taken for a checkpoint of the log.
 */
export function openMessageKey(integrityKey: Secret, use: 'webhooks' | 'log'): MessageKey {
  const label = `countersign/service-key/v1/${use}`;
  const seed = new Secret(new Uint8Array(hkdfSync('sha256', integrityKey.bytes, new Uint8Array(0), label, 32)));
  const publicKey = ed25519Keys.publicKey(seed.bytes);
  const signer = ed25519Keys.open(seed, publicKey);
  return Object.freeze<MessageKey>({
    publicKey,
    sign(message) {
      const request = { kind: 'ed25519' as const, message };
      const signature = signer.sign(request);
      if (signer.verify(request, signature)) return signature.bytes;
      throw new VaultError(`a signature by the key for ${use} did not verify`, 'check this machine: it computes wrongly');
    },
    wipe: () => signer.wipe(),
  });
}
