import type { Curve } from '@countersign/chains';
import { decrypt, encrypt } from './aead.ts';
import { VaultError } from './errors.ts';
import { encodeFields } from './integrity/keyed-hash.ts';
import { Secret } from './keys/secret.ts';

/** What others may encrypt to a target: a recovery phrase, private key or secret to import, or a message that the service reads. */
export type TargetUse = 'IMPORT_WALLET' | 'IMPORT_PRIVATE_KEY' | 'IMPORT_SECRET' | 'MESSAGE';

/** What a sealed secret may be used for. A ciphertext opens only for the purpose that it was sealed for. */
export const purposes = Object.freeze({
  CURVE_SECP256K1: 'private-key/secp256k1',
  CURVE_P256: 'private-key/p256',
  CURVE_ED25519: 'private-key/ed25519',
  WALLET: 'wallet/phrase-and-seed',
  IMPORT_WALLET: 'target/import-wallet',
  IMPORT_PRIVATE_KEY: 'target/import-private-key',
  IMPORT_SECRET: 'target/import-secret',
  SECRET: 'secret/bytes',
  CLIENT_SECRET: 'oauth2/client-secret',
  MESSAGE: 'target/message',
  OUTBOX: 'outbox/message',
} as const satisfies Record<Curve | 'WALLET' | 'SECRET' | 'CLIENT_SECRET' | 'OUTBOX' | TargetUse, string>);

export type Purpose = (typeof purposes)[keyof typeof purposes];

/** What a sealed secret is bound to. */
export interface Binding {
  readonly organizationId: string;
  readonly id: string;
  readonly purpose: Purpose;
}

function associatedData({ organizationId, id, purpose }: Binding): string {
  return encodeFields('countersign/secret/v1', organizationId, id, purpose);
}

/**
 * Encrypts a secret under an organization's data key, bound to organization, resource and purpose.
 * Decrypts the result and compares it first: a ciphertext that does not open must never be stored as the only copy of a key.
 */
export function seal(dataKey: Secret, plaintext: Uint8Array, binding: Binding): Uint8Array {
  const context = associatedData(binding);
  const sealed = encrypt(dataKey.bytes, plaintext, context);
  const opened = decrypt(dataKey.bytes, sealed, context);
  const same = opened !== undefined && Buffer.compare(opened, plaintext) === 0;
  opened?.fill(0);
  if (!same)
    throw new VaultError(
      'a new secret did not decrypt to what was encrypted',
      'check this machine: its memory or processor computes wrongly',
    );
  return sealed;
}

/** Opens what `seal` made for the same binding. Throws VaultError for anything else. */
export function unseal(dataKey: Secret, sealed: Uint8Array, binding: Binding): Secret {
  const secret = tryUnseal(dataKey, sealed, binding);
  if (secret === undefined) throw notAuthentic(binding);
  return secret;
}

/** Like `unseal`. Undefined for anything else. */
export function tryUnseal(dataKey: Secret, sealed: Uint8Array, binding: Binding): Secret | undefined {
  const plaintext = decrypt(dataKey.bytes, sealed, associatedData(binding));
  return plaintext && new Secret(plaintext);
}

/** The error of a stored secret that does not open. */
export function notAuthentic({ organizationId, id }: Binding): VaultError {
  return new VaultError(
    `the stored secret of ${id} in organization ${organizationId} is not authentic: its row was altered or moved`,
    'find out who changed the database, and restore the row from a backup',
  );
}
