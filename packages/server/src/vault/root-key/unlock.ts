import type { Store } from '../../store/store.ts';
import { VaultError } from '../errors.ts';
import {
  generateIntegrityKey,
  INTEGRITY_KEY_SETTING,
  parseIntegrityKey,
  unwrapIntegrityKey,
  type WrappedIntegrityKey,
  wrapIntegrityKey,
} from '../integrity/integrity-key.ts';
import type { Secret } from '../keys/secret.ts';
import type { RootKey, RootKeyProvider } from './root-key.ts';
import type { RootKeyring } from './root-keyring.ts';
import { rotationTarget } from './rotation-high-water.ts';

/** The integrity key in the database now; undefined before the first run. */
export async function storedIntegrityKey(store: Store['vault']): Promise<WrappedIntegrityKey | undefined> {
  const setting = await store.setting(INTEGRITY_KEY_SETTING);
  return setting && parseIntegrityKey(setting);
}

/**
 * First run: with `create`, creates the integrity key, and the root key if needed. If several nodes start concurrently, the first wins.
 * SECURITY: without `create`, throws VaultError. A command that only inspects must not turn an unfinished database into an installation.
 */
async function establish(store: Store['vault'], provider: RootKeyProvider, create: boolean): Promise<WrappedIntegrityKey> {
  const [dataKey] = await store.dataKeysNotUnder('', 1);
  if (dataKey !== undefined) {
    throw new VaultError(
      'this database has data keys but no integrity key: its settings were altered',
      `restore the setting ${INTEGRITY_KEY_SETTING} from a backup`,
    );
  }
  if (!create) {
    throw new VaultError(
      'this database has no keys: no service was ever started on it',
      "check --data-dir and --database-url; 'countersign serve' creates a new installation",
    );
  }
  const rootKey = await provider.create();
  const key = generateIntegrityKey();
  try {
    return parseIntegrityKey(await store.settingOnce(await wrapIntegrityKey(rootKey, key)));
  } finally {
    key.wipe();
    rootKey.wipe();
  }
}

/**
 * The integrity key of the database, created on first run if `create` is set, and the database's root key.
 * Throws VaultError when the provider's root keys do not open the database, or only a part of it.
 */
export async function unlock(
  store: Store['vault'],
  provider: RootKeyProvider,
  rootKeys: RootKeyring,
  create: boolean,
): Promise<{ readonly integrityKey: Secret; readonly rootKeyId: string; readonly rootKey: RootKey }> {
  const wrapped = (await storedIntegrityKey(store)) ?? (await establish(store, provider, create));
  const { rootKeyId } = wrapped;
  const rootKey = await rootKeys.find(rootKeyId);
  const target = await rotationTarget(store, rootKeyId).read();
  const hasTarget = target === undefined || (await rootKeys.find(target)) !== undefined;
  if (rootKey === undefined && (target === undefined || !hasTarget)) throw await wrongRootKey(provider, rootKeyId);
  if (rootKey === undefined || !hasTarget) {
    const missing = rootKey === undefined ? rootKeyId : target;
    throw new VaultError(
      `a rotation from root key ${rootKeyId} to ${target} has not finished, but ${provider.source} does not provide ${missing}`,
      'finish the rotation: run it again with the same two root keys',
    );
  }
  return { integrityKey: await unwrapIntegrityKey(rootKey, wrapped), rootKeyId, rootKey };
}

/** The error of a provider that does not hold the database's root key. */
export async function wrongRootKey(provider: RootKeyProvider, neededId: string): Promise<VaultError> {
  const held = await provider.ids();
  const message =
    held.length === 0
      ? `${provider.source} does not provide root key ${neededId}, which this database was created with`
      : `root key ${held.join(', ')} does not open this database, which was created with ${neededId}`;
  return new VaultError(
    message,
    `provide root key ${neededId}: the right passphrase, or the key file from your backup or from the node that created the database`,
  );
}
