import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalAddress } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import type { ActivityReader } from '../organizations/activities/activities.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { LogLeafRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { ActivityTermRow } from '../store/term-store.ts';
import { minuteOf, minuteOfId } from './minutes.ts';
import { type KeyReader, termsOf } from './terms.ts';

/** Adds activities to the search index in the background, until `stop`. */
export interface ActivityIndexer {
  stop(): Promise<void>;
}

type IndexedStore = Pick<Store, 'log' | 'terms' | 'resources' | 'lookups' | 'tryNamedLock'>;

/** How often to look for new leaves. Searches read what is not indexed yet without the index. */
const EVERY_MS = 2_000;
/** Leaves per durable transaction: few enough not to delay requests. */
const SLICE = 128;
/** Rest between two transactions. Indexing takes a small part of a core, also while an older database is indexed. */
const REST_MS = 100;
const MAX_WALLETS = 10_000;
/** More keys than one address has. */
const MAX_KEYS = 100;

/**
 * Indexes the next leaves of the log. Returns whether more are left. Any number of processes may do this: if two index the same leaves,
 * one of them adds nothing.
 */
export async function indexNext(
  store: Pick<Store, 'log' | 'terms'>,
  activities: Pick<ActivityReader, 'get'>,
  keysOf: (organizationId: string) => KeyReader,
): Promise<boolean> {
  const from = await store.terms.indexed();
  const size = (await store.log.state())?.size ?? 0;
  const to = Math.min(size, from + SLICE);
  if (to <= from) return false;
  const rows = new Map<string, ActivityTermRow>();
  const seen = new Set<string>();
  for (const { organizationId, activityId } of await store.log.leaves(from, to)) {
    // Several steps of one activity have the same activity. Leaves of the installation have none.
    const minute = minuteOfId(activityId);
    if (minute === undefined || seen.has(`${organizationId} ${activityId}`)) continue;
    seen.add(`${organizationId} ${activityId}`);
    const record = await readActivity(activities, organizationId, activityId);
    if (record === undefined) continue;
    for (const term of await termsOf(record, keysOf(organizationId)))
      rows.set(`${organizationId} ${term} ${minute}`, { organizationId, term, minute });
    // Yield to pending requests.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  // In key order, as for all tables.
  const inOrder = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await store.terms.add(from, to, inOrder);
  return to < size;
}

/** Undefined if the activity is archived or was changed outside the service. The reader raised the alarm. */
async function readActivity(
  activities: Pick<ActivityReader, 'get'>,
  organizationId: string,
  id: string,
): Promise<ActivityRecord | undefined> {
  try {
    return await activities.get(organizationId, id);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/**
 * From this minute on, activities may be missing in the index. Leaves are in the order of commits, and ids in the order of submission:
 * an activity that was submitted two minutes before it was committed is older than anything that the pipeline still works on.
 */
export async function firstUnindexedMinute(store: Pick<Store, 'log' | 'terms'>, nowMs: number): Promise<number> {
  const at = await store.terms.indexed();
  const size = (await store.log.state())?.size ?? 0;
  if (at >= size) return minuteOf(nowMs) - LAG_MINUTES;
  // Leaves of archived activities are gone. Without a leaf nearby, nothing counts as indexed.
  const [leaf] = await store.log.openings(at, at + SLICE);
  return minuteOf(Math.min(nowMs, leaf === undefined ? 0 : openingTime(leaf))) - LAG_MINUTES;
}

const LAG_MINUTES = 2;

/** SECURITY: an unreadable opening was changed in the database. Then nothing counts as indexed. */
function openingTime({ opening }: Pick<LogLeafRow, 'opening'>): number {
  try {
    const { timeMs } = JSON.parse(opening) as { timeMs: unknown };
    return typeof timeMs === 'number' && timeMs >= 0 ? timeMs : 0;
  } catch {
    return 0;
  }
}

export function startActivityIndexer(
  store: IndexedStore,
  activities: Pick<ActivityReader, 'get'>,
  log: Pick<Logger, 'warn'>,
): ActivityIndexer {
  const ended = new AbortController();
  const rest = (ms: number) => sleep(ms, undefined, { signal: ended.signal }).catch(() => undefined);
  const keysOf = createKeyReaders(store);

  async function catchUp(): Promise<void> {
    // One process does the reading. Correctness does not depend on it.
    const release = await store.tryNamedLock('search', 'exclusive');
    if (release === undefined) return;
    try {
      while (!ended.signal.aborted && (await indexNext(store, activities, keysOf))) await rest(REST_MS);
    } finally {
      await release();
    }
  }

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        if ((await store.terms.indexed()) < ((await store.log.state())?.size ?? 0)) await catchUp();
      } catch (error) {
        // Nothing is lost: the same leaves are indexed later.
        log.warn({ err: error }, 'activities cannot be indexed');
      }
      await rest(EVERY_MS);
    }
  }

  const working = work();
  return {
    async stop() {
      ended.abort();
      await working;
    },
  };
}

/** Reads keys without verifying them: the index only proposes activities. An account never moves to another wallet, so wallets are memoized. */
function createKeyReaders({ resources, lookups }: Pick<Store, 'resources' | 'lookups'>): (organizationId: string) => KeyReader {
  const known = new Map<string, string | undefined>();
  return (organizationId) => ({
    async walletOf(accountId) {
      const key = `${organizationId} ${accountId}`;
      if (known.has(key)) return known.get(key);
      if (known.size >= MAX_WALLETS) known.clear();
      const walletId = (await resources.get(organizationId, 'walletAccount', accountId))?.parentId;
      known.set(key, walletId);
      return walletId;
    },
    async idsOf(address) {
      const rows = await lookups.find(organizationId, 'address', canonicalAddress(address), { limit: MAX_KEYS });
      return rows.map(({ id }) => id);
    },
  });
}
