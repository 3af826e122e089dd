import { hash, hkdfSync } from 'node:crypto';
import { p256Keys } from '../curves/p256.ts';
import { VaultError, vaultClosed } from '../errors.ts';
import { Secret } from './secret.ts';

/** P-256 keys by name with which the service stamps bodies that the vault writes. After `wipe` they sign nothing. */
export interface StampingKeys {
  /** Compressed, in hexadecimal. */
  publicKey(name: string): string;
  /** r and s over SHA-256 of the body. INVARIANT: each signature is verified before it is returned. */
  sign(name: string, body: Uint8Array): Uint8Array;
  wipe(): void;
}

const derived = (secret: Secret, label: string) => new Uint8Array(hkdfSync('sha256', secret.bytes, new Uint8Array(0), label, 32));

/**
 * Derives the keys from the integrity key, as `openServiceKeys` does: the same on every node, none stored, unchanged by rotation. A key
 * is made when it is needed, and forgotten. `purpose` separates the keys of one use from those of another.
 */
export function openStampingKeys(integrityKey: Secret, purpose: 'sign-in' | 'rpc'): StampingKeys {
  const secret = new Secret(derived(integrityKey, `countersign/${purpose}-keys/v1`));
  let closed = false;

  /** 32 bytes below the order of the group. One name in 2^32 needs a second try. */
  function privateKey(name: string): Secret {
    if (closed) throw vaultClosed();
    for (let counter = 0; ; counter++) {
      const bytes = derived(secret, `countersign/${purpose}-key/v1/${name}/${counter}`);
      if (p256Keys.isPrivateKey(bytes)) return new Secret(bytes);
    }
  }

  return Object.freeze<StampingKeys>({
    publicKey(name) {
      const key = privateKey(name);
      const publicKey = Buffer.from(p256Keys.publicKey(key.bytes)).toString('hex');
      key.wipe();
      return publicKey;
    },
    sign(name, body) {
      const key = privateKey(name);
      const request = { kind: 'ecdsa' as const, digest: hash('sha256', body, 'buffer') };
      const signer = p256Keys.open(key, p256Keys.publicKey(key.bytes));
      try {
        const signature = signer.sign(request);
        if (signer.verify(request, signature)) return signature.bytes;
      } finally {
        signer.wipe();
      }
      throw new VaultError(`a signature by a ${purpose} key did not verify`, 'check this machine: it computes wrongly');
    },
    wipe() {
      closed = true;
      secret.wipe();
    },
  });
}

/** Ids are compared as text elsewhere, so that one organization has one key. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Throws VaultError unless the text is the id of an organization in its one form. */
export function requireOrganization(id: string, what: string): void {
  if (!ID.test(id)) throw new VaultError(`a ${what} key belongs to an organization`, 'pass its id, in lower case');
}
