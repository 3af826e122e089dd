import { type OrganizationHead, TlogError } from '@countersign/tlog';
import type { LogStateRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { emptyPosition } from './append-position.ts';
import { readChainHeads } from './chain-heads.ts';
import { requireExtension } from './local-tree-state.ts';
import { logAltered } from './log-error.ts';
import { mapValue, readHeads, readNodes } from './map-reader.ts';
import type { Tree } from './tree.ts';

/** Attempts to read state, rows and nodes between two steps of other processes. */
const MAX_READS = 8;

/** Reads the head map of the stored log. */
export interface MapReading {
  readonly store: Store['log'];
  readonly integrity: Integrity;
  /** The log that this process has seen. */
  seen(): Tree;
}

/**
 * Reads a part of the log that belongs to its state, and retries if another process extends the log concurrently. `read` throws TlogError for
 * parts that do not match. The state is undefined before the first leaf.
 * SECURITY: throws LogError for a state that this installation did not write, or that does not extend the log that this process has
 * seen. Otherwise the state of a timeline that an accepted loss dropped would prove its heads.
 */
export async function readAtState<T>(
  { store, integrity, seen }: MapReading,
  read: (state: LogStateRow | undefined) => Promise<T>,
): Promise<T> {
  for (let reads = 1; ; reads++) {
    const known = seen();
    const state = await store.state();
    if (state !== undefined && !macsEqual(integrity.logState(state), state.mac))
      throw logAltered('its state was changed outside the service');
    try {
      await requireExtension(store, known, state ?? emptyPosition);
      return await read(state);
    } catch (error) {
      if (!(error instanceof TlogError)) throw error;
      if (reads >= MAX_READS) throw logAltered(error.message, { cause: error });
    }
  }
}

/** The last leaf and the newest head of organizations, according to the log. Organizations without an entry are left out. */
export function currentHeads(
  reading: MapReading,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, OrganizationHead>> {
  const { store, integrity } = reading;
  return readAtState(reading, async (state) => {
    if (state === undefined) return new Map<string, OrganizationHead>();
    if (state.mapRoot.length === 0) return readChainHeads(store, integrity, state, organizationIds);
    return readHeads(store, state.mapRoot, organizationIds);
  });
}

/** The values of keys in the head map, in order. Undefined for a key without a value. */
export function currentValues(reading: MapReading, keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
  return readAtState(reading, async (state) => {
    if (state === undefined || state.mapRoot.length === 0) return keys.map(() => undefined);
    const nodes = new Map<string, Uint8Array>();
    await readNodes(reading.store, keys, nodes);
    return keys.map((key) => mapValue(state.mapRoot, key, nodes));
  });
}
