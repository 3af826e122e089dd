import { type RootKeyProviderName, rootKeySettings } from '../../../config/root-key-settings.ts';
import type { Config } from '../../../config/settings.ts';
import type { Store } from '../../../store/store.ts';
import type { RootKey, RootKeyProvider } from '../root-key.ts';
import { readNext } from '../rotation-high-water.ts';
import { awsKmsProvider } from './aws-kms.ts';
import { combinedProvider } from './combined.ts';
import { fileProvider } from './file.ts';
import { passphraseProvider } from './passphrase.ts';
import { pkcs11Provider } from './pkcs11.ts';
import type { ProviderEntry } from './provider.ts';
import type { Custody } from './shares/custody.ts';
import { sharesProvider } from './shares.ts';
import { tpmProvider } from './tpm.ts';
import { transitProvider } from './transit.ts';

const single: Readonly<Record<Exclude<RootKeyProviderName, 'combined'>, ProviderEntry>> = {
  passphrase: passphraseProvider,
  pkcs11: pkcs11Provider,
  shares: sharesProvider,
  tpm: tpmProvider,
  transit: transitProvider,
  awsKms: awsKmsProvider,
  file: fileProvider,
};

/** Every root key provider. A provider with settings and without an entry does not compile. */
export const rootKeyProviders: Readonly<Record<RootKeyProviderName, ProviderEntry>> = {
  ...single,
  combined: combinedProvider(single),
};

function configured(config: Config): ProviderEntry {
  const names = Object.keys(rootKeySettings) as RootKeyProviderName[];
  const name = names.find((candidate) => rootKeyProviders[candidate].isConfigured(config)) ?? 'file';
  return rootKeyProviders[name];
}

/** The configured source of the present root key. */
export function openPresentRootKeys(config: Config, store: Pick<Store, 'vault'>, custody?: Custody): RootKeyProvider {
  return configured(config).open(config, store.vault, custody);
}

/**
 * The configured source of the root key, and that of the next one, so that a process can serve during and after a rotation. Without
 * `COUNTERSIGN_NEW_…` variables the next one is a key file, as it is for the rotation.
 */
export function openRootKeys(config: Config, store: Pick<Store, 'vault'>, custody?: Custody): RootKeyProvider {
  const present = openPresentRootKeys(config, store, custody);
  const { provider = 'file', settings = {} } = config.newRootKey ?? {};
  const next = rootKeyProviders[provider].rotate(config, store.vault, settings);
  /** SECURITY: a key that the last rotation moved from the configured key to. Otherwise wrong settings would open the database with another key. */
  async function findRotated(id: string): Promise<RootKey | undefined> {
    const last = await readNext(store.vault);
    const from = last?.to === id ? await present.find(last.from) : undefined;
    from?.wipe();
    return from && next.findActive?.(id);
  }
  return Object.freeze<RootKeyProvider>({
    ...present,
    find: async (id) => (await present.find(id)) ?? (await next.find(id)) ?? findRotated(id),
  });
}

/** Throws ConfigError if the configured root key is missing. Creates nothing. */
export function requireRootKey(config: Config): void {
  configured(config).check(config);
}

/** The file that contains the configured root key in plain, if there is one. */
export function plainKeyFile(config: Config): string | undefined {
  return configured(config).keyFile?.(config);
}
