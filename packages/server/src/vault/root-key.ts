import { createHash } from 'node:crypto';
import { decrypt, encrypt } from './aead.ts';
import { encodeFields } from './fields.ts';
import { Secret } from './secret.ts';

export const ROOT_KEY_BYTES = 32;

/** A key that wraps other keys. Asynchronous, and without a way to read it, so that it may live in a module or a service. */
export interface RootKey {
  /** 16 hex digits that tell root keys apart and say nothing about the key. */
  readonly id: string;
  wrap(key: Uint8Array, associatedData: string): Promise<Uint8Array>;
  /** Gives undefined when the bytes were not wrapped by this key with this associated data. */
  unwrap(wrapped: Uint8Array, associatedData: string): Promise<Secret | undefined>;
  wipe(): void;
}

/** Where root keys come from. */
export interface RootKeyProvider {
  /** Names the source in messages, for instance `file /var/lib/countersign/root.key`. */
  readonly source: string;
  /** The ids of the keys it holds, as far as it can tell without being asked for one: for messages. */
  ids(): Promise<readonly string[]>;
  /** The key with this id, read afresh; undefined if the provider does not give it. Throws VaultFault for a key that may not be used. */
  find(id: string): Promise<RootKey | undefined>;
  /** Makes a key and keeps durably what it takes to find it again; or gives the one that is there. */
  create(): Promise<RootKey>;
  /** At the end of a rotation to this provider: makes its key the one that the service starts with. Harmless if that was done before. */
  activate?(): Promise<void>;
  /** The key with this id, if `activate` has moved it to its place already. */
  findActive?(id: string): Promise<RootKey | undefined>;
  /** At the end of a rotation away from this provider: puts the key aside. Does nothing if the provider holds another key by now. */
  retire?(rootKeyId: string): Promise<void>;
}

/** A root key whose 32 bytes are in this process. Takes the array as its own. */
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
