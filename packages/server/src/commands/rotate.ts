import type { Config } from '../config/settings.ts';
import { openStore, paths, rootKeyProvider } from '../service.ts';
import { nextFileRootKey } from '../vault/providers/file.ts';
import { passphraseRootKey } from '../vault/providers/passphrase.ts';
import { rotateRootKey as rotate } from '../vault/rotate-root-key.ts';

/** The new root key: a key file, or derived from a passphrase. */
export type NewRootKey = { readonly kind: 'file' } | { readonly kind: 'passphrase'; readonly passphrase: string };

/** Replaces the root key of the installation. Every server must be stopped. Resumes an interrupted run. */
export async function rotateRootKey(
  config: Config,
  to: NewRootKey,
  onProgress: (rewrapped: number) => void,
): Promise<{ rewrapped: number; rootKeyId: string }> {
  const store = await openStore(config);
  try {
    const target =
      to.kind === 'file'
        ? nextFileRootKey(paths.rootKey(config))
        : passphraseRootKey({ store: store.vault, passphrase: to.passphrase });
    const { rewrapped, toId } = await rotate({ store, from: rootKeyProvider(config, store), to: target, onProgress });
    return { rewrapped, rootKeyId: toId };
  } finally {
    await store.close();
  }
}
