import type { Config } from '../config/settings.ts';
import { clockHighWater } from '../installation/clock/clock-high-water.ts';
import { systemClock } from '../installation/clock/system-clock.ts';
import { openStore } from '../store/open-store.ts';
import { openVaultFor } from '../vault/open-vault-for.ts';
import { requireRootKey } from '../vault/root-key/providers/providers.ts';
import { requireDatabase } from './open-store-as-is.ts';

/** The time of the installation before and after. */
export interface AcceptedClock {
  /** The recorded time; null if there was none or it was altered. */
  readonly fromMs: number | null;
  readonly toMs: number;
}

/**
 * Sets the installation's time to this machine's, although a later one was recorded. Every server must be stopped.
 * SECURITY: everything that expired between the two times is valid again, so only the operator may decide this.
 */
export async function acceptClock(config: Config, system = systemClock): Promise<AcceptedClock> {
  requireDatabase(config);
  requireRootKey(config);
  const store = await openStore(config);
  try {
    const release = await store.lockInstallation('exclusive');
    const vault = await openVaultFor(config, store);
    try {
      const highWater = clockHighWater(store.vault, vault.integrity);
      const mark = await highWater.read();
      const toMs = system.nowMs();
      // The exclusive lock prevents concurrent writes.
      if ((await highWater.raise(toMs, mark)) !== toMs) throw new Error('the stored time changed although no server runs');
      return { fromMs: mark?.atMs ?? null, toMs };
    } finally {
      vault.close();
      await release();
    }
  } finally {
    await store.close();
  }
}
