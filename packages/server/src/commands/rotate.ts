import type { NewRootKey } from '../config/new-root-key.ts';
import type { Config } from '../config/settings.ts';
import { openStore } from '../store/open-store.ts';
import { openPresentRootKeys, openRootKeys, rootKeyProviders } from '../vault/root-key/providers/providers.ts';
import { rotateRootKey as rotate } from '../vault/root-key/rotate-root-key.ts';
import { type DataKeyProgress, type DataKeyRotation, rotateDataKeys as replace } from '../vault/rotate-data-keys.ts';

/** A finished rotation. */
export interface RotatedRootKey {
  readonly rewrapped: number;
  readonly rootKeyId: string;
}

export interface RotationReport {
  onProgress(rewrapped: number): void;
  /** Called once if serving processes do not have the new root key yet. */
  onWaiting(message: string): void;
}

/** Replaces the root key of the installation. Servers may run. Resumes an interrupted run. */
export async function rotateRootKey(
  config: Config,
  { provider, settings }: NewRootKey,
  { onProgress, onWaiting }: RotationReport,
): Promise<RotatedRootKey> {
  const store = await openStore(config);
  try {
    const to = rootKeyProviders[provider].rotate(config, store.vault, settings);
    const { rewrapped, toId } = await rotate({
      store,
      from: openPresentRootKeys(config, store),
      to,
      onProgress,
      onWaiting: (id) =>
        onWaiting(
          `Waiting until every process that serves this database has root key ${id} (${to.source}). They look every second.`,
        ),
    });
    return { rewrapped, rootKeyId: toId };
  } finally {
    await store.close();
  }
}

/** Gives every organization a new data key and encrypts its secrets again. Servers may run. Resumes an interrupted run. */
export async function rotateDataKeys(config: Config, onProgress: (progress: DataKeyProgress) => void): Promise<DataKeyRotation> {
  const store = await openStore(config);
  try {
    return await replace({ store, rootKeys: openRootKeys(config, store), onProgress });
  } finally {
    await store.close();
  }
}

/** What the operator must do after the rotation. */
export function afterRotation({ provider }: NewRootKey): string {
  return rootKeyProviders[provider].afterRotation;
}
