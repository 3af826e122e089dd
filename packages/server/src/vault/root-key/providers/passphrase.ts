import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Store } from '../../../store/store.ts';
import { VaultError } from '../../errors.ts';
import { localRootKey, ROOT_KEY_BYTES, type RootKey, type RootKeyProvider } from '../root-key.ts';
import type { ProviderEntry } from './provider.ts';

/** The minimum length of a passphrase, in characters. */
export const MIN_PASSPHRASE_LENGTH = 12;

/** scrypt (RFC 7914). The default takes 128 MiB and about 0.4 s per guess. */
const DEFAULT_COST = 2 ** 17;

/**
 * How a passphrase becomes a root key. Not secret.
 * SECURITY: bounded, so that write access to the database does not suffice to exhaust the memory. A lower cost gives another key, which
 * is refused.
 */
const parameters = z.strictObject({
  version: z.literal(1),
  kdf: z.literal('scrypt'),
  N: z
    .int()
    .min(2 ** 10)
    .max(2 ** 20)
    .refine((n) => Number.isInteger(Math.log2(n))),
  r: z.literal(8),
  p: z.literal(1),
  salt: z.hex().length(32),
});

type Parameters = z.infer<typeof parameters>;

const settingName = (rootKeyId: string) => `vault.passphrase.${rootKeyId}`;

export interface PassphraseOptions {
  /** Keeps the salt. */
  readonly store: Store['vault'];
  /** The passphrase, or a file with the passphrase on its first line. */
  readonly passphrase: string | { readonly file: string };
  /** N of scrypt for new keys: a power of two. */
  readonly cost?: number;
}

/**
 * A root key that is derived from a passphrase and never stored. Salt and parameters are in one setting per root key id.
 * SECURITY: a passphrase is a string, which JavaScript cannot wipe. A file is read only when the passphrase is needed.
 */
export function passphraseRootKey({ store, passphrase, cost = DEFAULT_COST }: PassphraseOptions): RootKeyProvider {
  const source = typeof passphrase === 'string' ? 'passphrase' : `passphrase in file ${passphrase.file}`;

  return Object.freeze<RootKeyProvider>({
    source,

    // The key depends on the salt, and the id selects the salt: without an id there is nothing to list.
    ids: async () => [],

    async find(id) {
      const setting = await store.setting(settingName(id));
      if (setting === undefined) return undefined;
      const key = await derive(await read(passphrase), parse(setting.body, id));
      if (key.id === id) return key;
      key.wipe();
      return undefined;
    },

    async create() {
      const secret = await read(passphrase);
      if ([...secret].length < MIN_PASSPHRASE_LENGTH) {
        throw new VaultError(
          `the passphrase has fewer than ${MIN_PASSPHRASE_LENGTH} characters`,
          'choose a longer one, for instance six random words',
        );
      }
      const fresh: Parameters = { version: 1, kdf: 'scrypt', N: cost, r: 8, p: 1, salt: randomBytes(16).toString('hex') };
      const key = await derive(secret, parameters.parse(fresh));
      await store.settingOnce({ name: settingName(key.id), body: JSON.stringify(fresh) });
      return key;
    },
  });
}

function parse(text: string, rootKeyId: string): Parameters {
  try {
    return parameters.parse(JSON.parse(text));
  } catch (cause) {
    throw new VaultError(`the setting ${settingName(rootKeyId)} is damaged`, 'restore it from a backup', { cause });
  }
}

/** In NFKC: keyboards that compose characters differently give the same passphrase. */
async function read(passphrase: PassphraseOptions['passphrase']): Promise<string> {
  if (typeof passphrase === 'string') return passphrase.normalize('NFKC');
  try {
    const [line = ''] = (await readFile(passphrase.file, 'utf8')).split(/\r?\n/, 1);
    return line.normalize('NFKC');
  } catch (cause) {
    throw new VaultError(
      `the passphrase file ${passphrase.file} cannot be read`,
      'make the file readable for the user that runs the service',
      { cause },
    );
  }
}

function derive(passphrase: string, { N, r, p, salt }: Parameters): Promise<RootKey> {
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return new Promise((resolve, reject) => {
    scrypt(passphrase, Buffer.from(salt, 'hex'), ROOT_KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(localRootKey(key)),
    );
  });
}

/** A passphrase in the configuration. */
export const passphraseProvider: ProviderEntry = {
  isConfigured: ({ rootPassphrase }) => rootPassphrase !== undefined,
  open: ({ rootPassphrase = '' }, store) => passphraseRootKey({ store, passphrase: rootPassphrase }),
  rotate: (_, store, { rootPassphrase = '' }) => passphraseRootKey({ store, passphrase: rootPassphrase }),
  check: () => {},
  afterRotation: 'Set COUNTERSIGN_ROOT_PASSPHRASE to the new passphrase before the next startup.',
};
