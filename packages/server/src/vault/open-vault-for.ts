import type { Config } from '../config/settings.ts';
import type { Store } from '../store/store.ts';
import { guardVault, type VaultErrorHandlers } from './guard-vault.ts';
import { openVault } from './open-vault.ts';
import type { RootKeyState } from './root-key/availability.ts';
import { openRootKeys } from './root-key/providers/providers.ts';
import type { Vault } from './vault.ts';

/** Opens the vault with the configured root key. Creates nothing: throws VaultError for a database without keys. */
export async function openVaultFor(config: Config, store: Store): Promise<Vault> {
  return openVault({ store, rootKeys: openRootKeys(config, store) });
}

/** Opens the vault for the service, whose errors it throws. Creates the keys on first run. `onRootKey` reports loss and return,
 * `onRootKeyUsed` the duration of each use in seconds, of a root key outside this process. */
export async function openServiceVault(
  config: Config,
  store: Store,
  handlers: VaultErrorHandlers,
  onRootKey: (state: RootKeyState) => void,
  onRootKeyUsed: (seconds: number) => void,
): Promise<Vault> {
  const rootKeyGraceMs = config.rootKeyGraceSeconds * 1000;
  return guardVault(
    await openVault({ store, rootKeys: openRootKeys(config, store), create: true, rootKeyGraceMs, onRootKey, onRootKeyUsed }),
    handlers,
  );
}
