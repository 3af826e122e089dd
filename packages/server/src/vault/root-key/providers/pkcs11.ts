import { createHash } from 'node:crypto';
import { ConfigError } from '../../../config/config-error.ts';
import { VaultError } from '../../errors.ts';
import { encodeFields } from '../../integrity/keyed-hash.ts';
import { Secret } from '../../keys/secret.ts';
import type { RootKey, RootKeyProvider } from '../root-key.ts';
import { describe } from './pkcs11/token.ts';
import { type ThreadFiles, tokenClient } from './pkcs11/token-client.ts';
import { type Pkcs11Key, readPkcs11Key } from './pkcs11/uri.ts';
import type { ProviderEntry } from './provider.ts';

/** The id of a root key in a token. A copy of the key in another token, with the same CKA_ID, has the same id. */
const rootKeyId = (keyId: string) =>
  createHash('sha256').update(encodeFields('countersign/root-key-id/pkcs11/v1', keyId)).digest('hex').slice(0, 16);

/**
 * A root key in a PKCS #11 token: an AES key that cannot be extracted. A rotation moves to a key with another label, or in another token.
 * SECURITY: a key that can be extracted, or read in plain, is refused.
 */
export function pkcs11RootKey(key: Pkcs11Key, files?: ThreadFiles): RootKeyProvider {
  const token = tokenClient(key, files);
  const source = describe(key);
  const list = async () =>
    (await token.call({ op: 'keys' }))
      .map((each) => ({ ...each, id: rootKeyId(each.keyId) }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));

  const toRootKey = (keyId: string): RootKey =>
    Object.freeze<RootKey>({
      id: rootKeyId(keyId),
      isRemote: true,
      wrap: (plain, associatedData) => token.call({ op: 'encrypt', keyId, plain, associatedData }),
      async unwrap(wrapped, associatedData) {
        const plain = await token.call({ op: 'decrypt', keyId, wrapped, associatedData });
        return plain && new Secret(plain);
      },
      // Other users of the token in this process open the session again.
      wipe: () => void token.call({ op: 'close' }).catch(() => {}),
    });

  return Object.freeze<RootKeyProvider>({
    source,
    ids: async () => (await list()).map(({ id }) => id),
    async find(id) {
      const found = (await list()).find((each) => each.id === id);
      if (found === undefined) return undefined;
      requireSafe(source, found);
      return toRootKey(found.keyId);
    },
    async create() {
      const [existing] = await list();
      if (existing === undefined) return toRootKey(await token.call({ op: 'generate' }));
      requireSafe(source, existing);
      return toRootKey(existing.keyId);
    },
  });
}

function requireSafe(source: string, { keyId, objection }: { readonly keyId: string; readonly objection?: string }): void {
  if (objection === undefined) return;
  throw new VaultError(
    `the key ${keyId} in ${source} ${objection}`,
    'make an AES key of 256 bits that is sensitive and not extractable, or let the service make one under another label',
  );
}

/** A key in a PKCS #11 token. */
export const pkcs11Provider: ProviderEntry = {
  isConfigured: ({ pkcs11Uri }) => pkcs11Uri !== undefined,
  open: (config) => pkcs11RootKey(readPkcs11Key(config)),
  rotate(config, _store, settings) {
    const next = readPkcs11Key(settings);
    if (config.pkcs11Uri !== undefined && describe(next) === describe(readPkcs11Key(config)))
      throw new ConfigError(
        'The new root key is the present one.',
        'Name another key in COUNTERSIGN_NEW_PKCS11_URI, as in pkcs11:token=countersign;object=root-2.',
      );
    return pkcs11RootKey(next);
  },
  check: (config) => void readPkcs11Key(config),
  afterRotation: 'Set --pkcs11-uri, --pkcs11-module and --pkcs11-pin-file to those of the new key before the next startup.',
};
