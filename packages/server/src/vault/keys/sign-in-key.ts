import { hash, hkdfSync } from 'node:crypto';
import { relayedTypes } from '@countersign/contract';
import { p256Keys } from '../curves/p256.ts';
import { VaultError, vaultClosed } from '../errors.ts';
import { Secret } from './secret.ts';

/** An activity to be asked for in the name of an organization's sign-in user. */
export interface SignInRequest {
  /** One of `relayedTypes`. */
  readonly type: string;
  readonly timestampMs: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A body, and r and s of the signature over its SHA-256. */
export interface SignedSignIn {
  readonly body: Uint8Array;
  readonly signature: Uint8Array;
}

/** The sign-in keys: one P-256 key for each organization. After `wipe` they sign nothing. */
export interface SignInKeys {
  /** Compressed, in hexadecimal. */
  publicKey(organizationId: string): string;
  /**
   * SECURITY: D216: signs no bytes from outside. It writes the body itself, so that a sign-in key never stamps anything but the four
   * activities of signing in, in the organization that the key is of. INVARIANT: each signature is verified before it is returned.
   */
  sign(organizationId: string, request: SignInRequest): SignedSignIn;
  wipe(): void;
}

const signedTypes: ReadonlySet<string> = new Set(Object.values(relayedTypes));

/** Ids are compared as text elsewhere, so that one organization has one key. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const derived = (secret: Secret, label: string) => new Uint8Array(hkdfSync('sha256', secret.bytes, new Uint8Array(0), label, 32));

/**
 * Derives the keys from the integrity key, as `openServiceKeys` does: the same on every node, none stored, unchanged by rotation. A key
 * is made when it is needed, and forgotten.
 */
export function openSignInKeys(integrityKey: Secret): SignInKeys {
  const secret = new Secret(derived(integrityKey, 'countersign/sign-in-keys/v1'));
  let closed = false;

  /** 32 bytes below the order of the group. One organization in 2^32 needs a second try. */
  function privateKey(organizationId: string): Secret {
    if (closed) throw vaultClosed();
    if (!ID.test(organizationId)) throw new VaultError('a sign-in key belongs to an organization', 'pass its id, in lower case');
    for (let counter = 0; ; counter++) {
      const bytes = derived(secret, `countersign/sign-in-key/v1/${organizationId}/${counter}`);
      if (p256Keys.isPrivateKey(bytes)) return new Secret(bytes);
    }
  }

  return Object.freeze<SignInKeys>({
    publicKey(organizationId) {
      const key = privateKey(organizationId);
      const publicKey = Buffer.from(p256Keys.publicKey(key.bytes)).toString('hex');
      key.wipe();
      return publicKey;
    },
    sign(organizationId, { type, timestampMs, parameters }) {
      if (!signedTypes.has(type)) throw new VaultError(`a sign-in key does not sign ${type}`, 'use a credential of a user');
      const key = privateKey(organizationId);
      const text = JSON.stringify({ type, timestampMs: String(timestampMs), organizationId, parameters });
      const body = Buffer.from(text, 'utf8');
      const request = { kind: 'ecdsa' as const, digest: hash('sha256', body, 'buffer') };
      const signer = p256Keys.open(key, p256Keys.publicKey(key.bytes));
      try {
        const signature = signer.sign(request);
        if (signer.verify(request, signature)) return { body, signature: signature.bytes };
      } finally {
        signer.wipe();
      }
      throw new VaultError('a signature by a sign-in key did not verify', 'check this machine: it computes wrongly');
    },
    wipe() {
      closed = true;
      secret.wipe();
    },
  });
}
