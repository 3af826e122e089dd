import type { Config } from '../config/settings.ts';
import type { Store } from '../store/store.ts';
import { guardVault, type VaultErrorHandlers } from './guard-vault.ts';
import { openVault } from './open-vault.ts';
import type { RootKeyState } from './root-key/availability.ts';
import { openRootKeys } from './root-key/providers/providers.ts';
import type { Custody } from './root-key/providers/shares/custody.ts';
import type { Vault } from './vault.ts';

/** Opens the vault with the configured root key. Creates nothing: throws VaultError for a database without keys. */
export async function openVaultFor(config: Config, store: Store): Promise<Vault> {
  return openVault({ store, rootKeys: openRootKeys(config, store) });
}

/** What the service reports about its root key. */
export interface RootKeyReports {
  /** Loss and return. */
  onRootKey(state: RootKeyState): void;
  /** The duration of each use of a root key outside this process, in seconds. */
  onRootKeyUsed(seconds: number): void;
  /** A step of a rotation, in one sentence. */
  report(message: string): void;
}

/** Opens the vault for the service, whose errors it throws. Creates the keys on first run. */
export async function openServiceVault(
  config: Config,
  store: Store,
  handlers: VaultErrorHandlers,
  { onRootKey, onRootKeyUsed, report }: RootKeyReports,
  custody?: Custody,
): Promise<Vault> {
  const rootKeyGraceMs = config.rootKeyGraceSeconds * 1000;
  const handover = { store, report };
  const reports = { onRootKey, onRootKeyUsed, handover };
  return guardVault(
    await openVault({ store, rootKeys: openRootKeys(config, store, custody), create: true, rootKeyGraceMs, ...reports }),
    handlers,
  );
}
