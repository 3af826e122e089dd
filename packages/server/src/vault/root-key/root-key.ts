import { createHash } from 'node:crypto';
import { decrypt, encrypt } from '../aead.ts';
import { encodeFields } from '../integrity/keyed-hash.ts';
import { Secret } from '../keys/secret.ts';

export const ROOT_KEY_BYTES = 32;

/** A key that wraps other keys. Asynchronous and unreadable, so that it can live in a hardware module or another service. */
export interface RootKey {
  /** 16 hex digits that tell root keys apart and reveal nothing about the key. */
  readonly id: string;
  /** The key is outside this process, so it can be lost while the service runs. Its methods reject with RootKeyUnavailable then. */
  readonly isRemote?: true;
  wrap(key: Uint8Array, associatedData: string): Promise<Uint8Array>;
  /** Undefined unless this key wrapped the bytes with this associated data. */
  unwrap(wrapped: Uint8Array, associatedData: string): Promise<Secret | undefined>;
  /** Calls the listener when the key is sealed on purpose: then no key that it opened may be used any more. */
  onSealed?(listener: () => void): void;
  wipe(): void;
}

/** Where root keys come from. */
export interface RootKeyProvider {
  /** Names the source in messages, for instance `file /var/lib/countersign/root.key`. */
  readonly source: string;
  /** The ids of its keys, if the provider can list them. Only for messages. */
  ids(): Promise<readonly string[]>;
  /** Reads the key with this id; undefined if the provider does not have it. Throws VaultError for a key that must not be used. */
  find(id: string): Promise<RootKey | undefined>;
  /** Makes a key and durably keeps what `find` needs; returns the existing key if there is one. */
  create(): Promise<RootKey>;
  /** Ends a rotation to this provider: the service starts with its key from now on. May be repeated. */
  activate?(): Promise<void>;
  /** The key with this id, if `activate` has already moved it into place. */
  findActive?(id: string): Promise<RootKey | undefined>;
  /** Ends a rotation away from this provider: puts the key aside. Does nothing if the provider already holds another key. */
  retire?(rootKeyId: string): Promise<void>;
}

/** A root key whose 32 bytes are in this process. Takes ownership of the array. */
export function localRootKey(bytes: Uint8Array): RootKey {
  const secret = new Secret(bytes);
  const id = createHash('sha256').update(encodeFields('countersign/root-key-id/v1')).update(bytes).digest('hex').slice(0, 16);
  return Object.freeze<RootKey>({
    id,
    wrap: async (key, associatedData) => encrypt(secret.bytes, key, associatedData),
    async unwrap(wrapped, associatedData) {
      const key = decrypt(secret.bytes, wrapped, associatedData);
      return key && new Secret(key);
    },
    wipe: () => secret.wipe(),
  });
}
