import { ServiceError } from '@countersign/contract';
import type { Store } from '../../store/store.ts';
import { StoreFenced } from '../../store/store-errors.ts';
import { EpochError } from './epoch-error.ts';
import { type EpochServices, type StoredEpoch, storedEpoch } from './open-epoch.ts';

/** Keeps a server of an earlier epoch from writing. */
export interface Fence {
  readonly epoch: StoredEpoch;
  /** The store's commit, only in this server's epoch. In any other, it raises an alarm and rejects with UNAVAILABLE. */
  readonly commit: Store['commit'];
  /** Why this server may not write. Undefined if it may. */
  reason(): Promise<string | undefined>;
}

/** How often the same alarm is raised again. */
const ALARM_MS = 60_000;

export function createFence(
  { store, integrity }: Pick<EpochServices, 'integrity'> & { readonly store: Pick<Store, 'commit' | 'vault'> },
  epoch: StoredEpoch,
  alarm: (what: string) => void,
): Fence {
  let raisedAtMs = Number.NEGATIVE_INFINITY;

  async function reason(): Promise<string | undefined> {
    const stored = await storedEpoch({ store: store.vault, integrity }).catch((error: unknown) => {
      if (error instanceof EpochError) return undefined;
      throw error;
    });
    if (stored?.setting.body === epoch.setting.body) return undefined;
    const found = stored === undefined ? 'has no epoch that this installation wrote' : `is at epoch ${stored.number}`;
    return `this server is of epoch ${epoch.number}, but the database ${found}: a backup was restored, or the database was rolled back`;
  }

  async function refuse(cause: StoreFenced): Promise<never> {
    const why = (await reason()) ?? 'the epoch of the database changed';
    if (performance.now() - raisedAtMs >= ALARM_MS) {
      raisedAtMs = performance.now();
      alarm(why);
    }
    throw new ServiceError(
      'UNAVAILABLE',
      `Nothing was signed or changed: ${why}. The operator must stop this server, and restart it only if it should continue.`,
      { cause },
    );
  }

  return {
    epoch,
    reason,
    commit: (batch) =>
      store.commit(batch, epoch.setting).catch((error: unknown) => {
        if (error instanceof StoreFenced) return refuse(error);
        throw error;
      }),
  };
}
