import { ServiceError } from '@countersign/contract';
import type { Resource } from '../records.ts';
import { type Alarm, tampered } from './load.ts';
import { macText } from './snapshot.ts';
import type { Snapshots } from './snapshots.ts';

type Key = Pick<Resource, 'kind' | 'id' | 'mac'>;

/** Maximum number of reads if other nodes keep changing keys. */
const MAX_READS = 8;

/**
 * Reads wallets or private keys, and returns them only if all are in force.
 * SECURITY: a MAC proves that the service once wrote a row. Only the snapshot, verified as a whole, shows whether the row was replaced or
 * deleted since. So a restored key does not sign, even though its row is authentic.
 */
export async function readVerifiedResources<K extends Key>(
  snapshots: Snapshots,
  alarm: Alarm,
  organizationId: string,
  read: () => Promise<readonly K[]>,
): Promise<readonly K[]> {
  let outdated = new Set<string>();
  for (let reads = 0; reads < MAX_READS; reads++) {
    const keys = await read();
    const strange = await findOutdated(snapshots, organizationId, keys);
    if (strange.length === 0) return keys;
    const putBack = strange.find(({ mac }) => outdated.has(macText(mac)));
    if (putBack !== undefined) {
      const { kind, id } = putBack;
      throw tampered(
        alarm,
        organizationId,
        `the ${kind} ${id} was restored, or rolled back to an older state, outside the service`,
      );
    }
    // Another node may have changed the keys since the snapshot was loaded.
    snapshots.expire(organizationId);
    const gone = await findOutdated(snapshots, organizationId, strange);
    if (gone.length === 0) return keys;
    // INVARIANT: this snapshot was read after the keys, so keys that it does not contain are gone by now, unless an attacker restored them.
    outdated = new Set(gone.map(({ mac }) => macText(mac)));
  }
  throw stillChanging('keys');
}

/** The error if keys or accounts keep changing while they are read. */
export function stillChanging(what: 'keys' | 'accounts'): ServiceError {
  return new ServiceError(
    'CONFLICT',
    `The ${what} of the organization changed repeatedly while they were read. Send the same request again.`,
  );
}

async function findOutdated<K extends Key>(snapshots: Snapshots, organizationId: string, keys: readonly K[]): Promise<K[]> {
  const snapshot = await snapshots.get(organizationId);
  return keys.filter(({ mac }) => snapshot?.keys.has(macText(mac)) !== true);
}
