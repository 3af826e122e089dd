import type { Config } from '../config/settings.ts';
import type { Store } from '../store/store.ts';
import { guardVault, type VaultErrorHandlers } from './guard-vault.ts';
import { openVault } from './open-vault.ts';
import { openRootKeys } from './root-key/providers/providers.ts';
import type { Vault } from './vault.ts';

/** Opens the vault with the configured root key. With `handlers`, its errors become those of the service. */
export async function openVaultFor(config: Config, store: Store, handlers?: VaultErrorHandlers): Promise<Vault> {
  const vault = await openVault({ store, rootKeys: openRootKeys(config, store) });
  return handlers === undefined ? vault : guardVault(vault, handlers);
}
