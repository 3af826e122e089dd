import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { writeBaseline } from './baseline.ts';
import { createLocalTreeState } from './local-tree-state.ts';
import { LogError } from './log-error.ts';
import { createSequencer, type Sequencer } from './sequencer.ts';

export interface RebuildServices {
  readonly store: Store;
  readonly integrity: Integrity;
  readonly clock: { nowMs(): number };
  /** The epoch that the entries in the queue belong to. */
  readonly epoch: number;
}

/**
 * Integrates queued entries and writes a new head map over the database as it is. For an operator who accepts a loss: organizations that
 * are ahead of the log, or behind it, can be used again. Every server must be stopped.
 */
export async function rebuildHeads({ store, integrity, clock, epoch }: RebuildServices): Promise<void> {
  const view = createLocalTreeState(store.log, integrity);
  const services = { integrity, view, clock, epoch, alarm: () => {} };
  const sequencer = createSequencer({ ...services, store: store.log, startsWithMap: true });
  // Entries that follow the present map become leaves first: the new map would reject them.
  await integrateAll(sequencer).catch((error: unknown) => {
    if (!(error instanceof LogError)) throw error;
  });
  await writeBaseline({ ...services, store, onProgress: () => {} }, 'RECOVERED');
  await integrateAll(sequencer);
}

async function integrateAll(sequencer: Sequencer): Promise<void> {
  while ((await sequencer.integrate()) !== undefined);
}
