import { expired } from '@countersign/judgement';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';

/** The most evicted keys of a user that are stored. Later evictions replace the oldest. */
const MAX_STORED = 20;

/** Keys that a new key evicts: what to store about them, and warnings that name them. */
interface Eviction {
  readonly changes: readonly LocalChange[];
  readonly warnings: readonly string[];
}

/**
 * Describes the eviction of a user's API keys. Expired keys are not worth mentioning: their holders know that they ended.
 * D285: the activity names each key, and its public key is stored, so that its holder learns why it is unknown.
 */
export function evictionOf(
  { apiKeys, records }: Pick<Snapshot, 'apiKeys' | 'records'>,
  userId: string,
  evictedIds: readonly string[],
  nowMs: number,
): Eviction {
  const evicted = evictedIds.flatMap((id) => {
    const key = apiKeys.get(id);
    return key === undefined || expired(key, nowMs) ? [] : [{ id, key }];
  });
  if (evicted.length === 0) return { changes: [], warnings: [] };
  const before = records.evictedKeys.get(userId);
  const publicKeys = [...evicted.map(({ key }) => key.publicKey), ...(before?.publicKeys ?? [])];
  const body = {
    userId,
    publicKeys: [...new Set(publicKeys)].slice(0, MAX_STORED),
    createdAtMs: before?.createdAtMs ?? nowMs,
    updatedAtMs: nowMs,
  };
  return {
    changes: [{ op: 'putRecord', kind: 'evictedKeys', id: userId, body }],
    warnings: evicted.map(
      ({ id, key }) =>
        `Evicted the API key ${id} ("${key.apiKeyName}"), which had not expired: a user has a limited number of expiring keys and sessions of each kind (maxCredentials).`,
    ),
  };
}
