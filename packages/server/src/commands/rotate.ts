import type { NewRootKey } from '../config/new-root-key.ts';
import type { Config } from '../config/settings.ts';
import { openStore } from '../store/open-store.ts';
import { openRootKeys, rootKeyProviders } from '../vault/root-key/providers/providers.ts';
import { rotateRootKey as rotate } from '../vault/root-key/rotate-root-key.ts';

/** A finished rotation. */
export interface RotatedRootKey {
  readonly rewrapped: number;
  readonly rootKeyId: string;
}

/** Replaces the root key of the installation. Every server must be stopped. Resumes an interrupted run. */
export async function rotateRootKey(
  config: Config,
  { provider, settings }: NewRootKey,
  onProgress: (rewrapped: number) => void,
): Promise<RotatedRootKey> {
  const store = await openStore(config);
  try {
    const to = rootKeyProviders[provider].rotate(config, store.vault, settings);
    const { rewrapped, toId } = await rotate({ store, from: openRootKeys(config, store), to, onProgress });
    return { rewrapped, rootKeyId: toId };
  } finally {
    await store.close();
  }
}

/** What the operator must do after the rotation. */
export function afterRotation({ provider }: NewRootKey): string {
  return rootKeyProviders[provider].afterRotation;
}
