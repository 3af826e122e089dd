import { hash, hkdfSync } from 'node:crypto';
import type { Signer } from '../curves/curve-keys.ts';
import { p256Keys } from '../curves/p256.ts';
import { VaultError, vaultClosed } from '../errors.ts';
import { openClientSecret } from '../transfers/client-secret.ts';
import { uncompressed } from './p256-point.ts';
import { Secret } from './secret.ts';

/** The keys of the service itself, and what each is for. It signs with all but the receiver, which others encrypt to. */
export const serviceKeyUses = Object.freeze({
  signer: 'export bundles and import targets',
  sessionNotarizer: 'session tokens',
  verificationTokenSigner: 'verification tokens and the targets of one-time codes',
  pushSender: 'tokens for push services',
  identityTokenSigner: 'tokens for identities at OAuth 2 providers',
  clientSecretReceiver: 'client secrets of OAuth 2 providers',
} as const);

export type ServiceKeyName = keyof typeof serviceKeyUses;

/** The name of a key that signs. */
export type SigningServiceKey = Exclude<ServiceKeyName, 'clientSecretReceiver'>;

/** The open service keys. After `wipe` they sign nothing. */
export interface ServiceKeys {
  /** Uncompressed P-256 public keys in hexadecimal. Others verify the signatures of this service with them. */
  readonly publicKeys: Readonly<Record<ServiceKeyName, string>>;
  /** r and s, 32 bytes each, over SHA-256 of the message. INVARIANT: each signature is verified before it is returned. */
  sign(name: SigningServiceKey, message: Uint8Array): Uint8Array;
  /** Opens a client secret that was encrypted to `clientSecretReceiver`. Undefined if it was not, or was altered. */
  openClientSecret(envelope: Uint8Array): Secret | undefined;
  wipe(): void;
}

/**
 * Derives the service keys from the integrity key (HKDF-SHA-256, RFC 5869, one label per key). Every node has the same keys, none is
 * stored, and a rotation of the root key does not change them.
 */
export function openServiceKeys(integrityKey: Secret): ServiceKeys {
  const names = Object.keys(serviceKeyUses) as ServiceKeyName[];
  const signers = new Map<ServiceKeyName, Signer>();
  const publicKeys = {} as Record<ServiceKeyName, string>;
  let receiver: { readonly privateKey: Secret; readonly publicKey: Uint8Array } | undefined;
  for (const name of names) {
    const privateKey = deriveScalar(integrityKey, name);
    const publicKey = p256Keys.publicKey(privateKey.bytes);
    if (name === 'clientSecretReceiver') receiver = { privateKey, publicKey: uncompressed(publicKey) };
    else signers.set(name, p256Keys.open(privateKey, publicKey));
    publicKeys[name] = Buffer.from(uncompressed(publicKey)).toString('hex');
  }
  return Object.freeze<ServiceKeys>({
    publicKeys: Object.freeze(publicKeys),
    sign(name, message) {
      const signer = signers.get(name);
      if (signer === undefined) throw vaultClosed();
      const request = { kind: 'ecdsa' as const, digest: hash('sha256', message, 'buffer') };
      const signature = signer.sign(request);
      if (signer.verify(request, signature)) return signature.bytes;
      throw new VaultError(`a signature by the service key ${name} did not verify`, 'check this machine: it computes wrongly');
    },
    openClientSecret(envelope) {
      if (receiver === undefined) throw vaultClosed();
      return openClientSecret(receiver.privateKey, receiver.publicKey, envelope);
    },
    wipe() {
      receiver?.privateKey.wipe();
      receiver = undefined;
      for (const signer of signers.values()) signer.wipe();
      signers.clear();
    },
  });
}

/** 32 bytes below the order of the group. One installation in 2^32 needs a second try. */
function deriveScalar(integrityKey: Secret, name: ServiceKeyName): Secret {
  for (let counter = 0; ; counter++) {
    const label = `countersign/service-key/v1/${name}/${counter}`;
    const bytes = new Uint8Array(hkdfSync('sha256', integrityKey.bytes, new Uint8Array(0), label, 32));
    if (p256Keys.isPrivateKey(bytes)) return new Secret(bytes);
  }
}
