import type { QueuedLogEntry } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { readLogEntry, sealHeadEntry } from './entry.ts';

const ALL = 1_000_000;

/**
 * Seals the waiting entries of an epoch for the next one, so that they still become leaves.
 * SECURITY: entries of any other epoch, and entries that do not verify, stay as they are, and the sequencer sets them aside: they may be of
 * a history that an accepted loss dropped.
 */
export async function resealEntries(store: Store['log'], integrity: Integrity, from: number, to: number): Promise<void> {
  const sealed: QueuedLogEntry[] = [];
  for (const entry of await store.queued(ALL)) {
    const content = readLogEntry(integrity, entry);
    if (content?.version !== 2 || content.epoch !== from) continue;
    sealed.push({ ...sealHeadEntry(integrity, entry, { ...content, epoch: to }), seq: entry.seq });
  }
  if (sealed.length > 0) await store.requeue(sealed);
}
