import type pg from 'pg';
import { brokenRule, insertedOrganizations, sameHead } from '../commit-rules.ts';
import type { SettingRow } from '../rows.ts';
import { usedKeys } from '../sealed-bytes.ts';
import type { Commit, CommitOutcome, Head } from '../store.ts';
import { StoreFenced } from '../store-errors.ts';
import { toBytes, toCoveredInteger, toInteger } from '../table.ts';
import { type Outcomes, putActivities, signAll } from './activities.ts';
import { advisory } from './advisory.ts';
import { codeOf, isRefusedRow } from './errors.ts';
import { type Entry, splitIndependent } from './independent-entries.ts';
import type { NamedLocks } from './named-locks.ts';
import type { ProgressGuard } from './progress.ts';
import { accountName, areAccountsCurrent, readAccounts, type SeenAccounts } from './send-writers.ts';
import { type Execute, type Session, transaction, withSession } from './session.ts';
import { toStored } from './text.ts';
import { type Chains, chainsOf, isCurrent as isUsageCurrent, readUsage, type SeenUsage, serializeUsage } from './usage.ts';
import { WriteSet } from './write-set.ts';

/**
 * Locks each organization as its commits require, in the given order, and reads the locked heads.
 * A subquery runs once per row of `wanted`, in order, so that nodes cannot deadlock.
 * An organization to change `waits` unless this process has its lock. It is not free while another process has, or awaits, the lock: this
 * statement does not wait for it, and the change is rejected as outdated.
 */
const lockOrganizations = (fenced: string) => `SELECT wanted.id, coalesce(changed.version, signed.version) AS version,
    coalesce(changed.mac, signed.mac) AS mac, ${fenced} AS in_epoch,
    (NOT wanted.waits OR pg_try_advisory_xact_lock_shared(${advisory.named('wanted.id')}))::int AS is_free
  FROM unnest($1::text[], $2::boolean[], $3::boolean[]) AS wanted (id, exclusive, waits)
  LEFT JOIN LATERAL (SELECT version, mac FROM organizations WHERE organization_id = wanted.id AND wanted.exclusive FOR UPDATE) AS changed ON true
  LEFT JOIN LATERAL (SELECT version, mac FROM organizations WHERE organization_id = wanted.id AND NOT wanted.exclusive FOR SHARE) AS signed ON true`;

/**
 * Two variants of the lock statement. INVARIANT: a process that changes the fence first locks the whole settings table, and a transaction
 * that has read the fence holds its own lock on that table until it ends. So no commit that found the fence in place ends after the fence
 * has changed.
 */
const locking = {
  free: { name: 'lock_organizations', sql: lockOrganizations('1') },
  fenced: {
    name: 'lock_organizations_fenced',
    sql: lockOrganizations('(SELECT count(*)::int FROM settings WHERE name = $4 AND body = $5)'),
  },
};

/** Returns the function that commits a batch, see `Store.commit`. */
export function createCommitBatch(
  pool: pg.Pool,
  locks: Pick<NamedLocks, 'has'>,
  progress: Pick<ProgressGuard, 'noteCommit'>,
): (batch: readonly Commit[], fence?: SettingRow) => Promise<readonly CommitOutcome[]> {
  return async (batch, fence) => {
    const outcomes: Outcomes = new Map();
    const entries = batch.map((commit, position) => ({ position, commit }));
    const sound = entries.filter(({ position, commit }) => {
      const detail = brokenRule(commit);
      if (detail !== undefined) outcomes.set(position, { taken: false, reason: 'INVALID', detail });
      return detail === undefined;
    });
    if (sound.length > 0) {
      for (const [position, outcome] of await commitEntries(pool, locks, sound, fence)) outcomes.set(position, outcome);
      // One activity represents the transaction. Activities without a log entry belong to a schema that has no log yet.
      const done = sound.find(({ position, commit }) => commit.logEntry !== undefined && outcomes.get(position)?.taken === true);
      if (done?.commit.activity !== undefined) progress.noteCommit(done.commit.activity);
    }
    return entries.map(({ position }) => {
      const outcome = outcomes.get(position);
      if (outcome === undefined) throw new Error(`entry ${position} of the batch was not decided`);
      return outcome;
    });
  };
}

async function commitEntries(
  pool: pg.Pool,
  locks: Pick<NamedLocks, 'has'>,
  entries: readonly Entry[],
  fence: SettingRow | undefined,
): Promise<Outcomes> {
  const lockAll = (execute: Execute) => lock(execute, locks, entries, fence);
  try {
    return await withSession(pool, async (session) => {
      if (onlySigns(entries)) {
        const signed = await signAtOnce(session, entries, fence);
        if (signed !== undefined) return signed;
      }
      return transaction(session, async (execute) => commitTogether(execute, entries, await lockAll(execute)));
    });
  } catch (error) {
    if (!isRefusedRow(error)) throw error;
    return withSession(pool, (session) =>
      transaction(session, async (execute) => commitGuarded(execute, entries, await lockAll(execute))),
    );
  }
}

/**
 * Commits in one statement. Returns undefined and stores nothing if entries that count usage must be decided one by one: one of them does
 * not build on the previous one, or cannot be accepted.
 */
async function signAtOnce(
  { execute, committing }: Session,
  entries: readonly Entry[],
  fence: SettingRow | undefined,
): Promise<Outcomes | undefined> {
  const counts = entries.some(({ commit }) => commit.usage !== undefined);
  const chains: Chains | undefined = counts ? chainsOf(entries) : undefined;
  if (counts && chains === undefined) return undefined;
  const outcomes: Outcomes = new Map();
  try {
    committing();
    await signAll(execute, entries, outcomes, fence, chains);
    return outcomes;
  } catch (error) {
    if (counts && codeOf(error) === DIVISION_BY_ZERO) return undefined;
    throw error;
  }
}

const DIVISION_BY_ZERO = '22012';

/** Whether one statement is enough: only new activities with distinct ids and fingerprints. */
function onlySigns(entries: readonly Entry[]): boolean {
  const plain = entries.every(
    ({ commit }) =>
      commit.activity?.revision === 0 &&
      commit.head === undefined &&
      commit.writes.length === 0 &&
      commit.alsoExpect === undefined,
  );
  return plain && splitIndependent(entries, { chained: true }).waiting.length === 0;
}

async function commitTogether(execute: Execute, entries: readonly Entry[], heads: Map<string, Head>): Promise<Outcomes> {
  const seen = await readCounted(execute, entries);
  const writes = new WriteSet();
  const outcomes: Outcomes = await findMovedKeys(execute, entries);
  for (let rest: readonly Entry[] = entries.filter(({ position }) => !outcomes.has(position)); rest.length > 0; ) {
    const { ready, waiting } = splitIndependent(rest);
    await decide(execute, ready, heads, seen, outcomes, writes);
    rest = waiting;
  }
  await writes.flush(execute);
  return outcomes;
}

/** What a transaction has read of counters and accounts, with its own changes. */
interface Seen {
  readonly usage: SeenUsage;
  readonly accounts: SeenAccounts;
}

async function readCounted(execute: Execute, entries: readonly Entry[]): Promise<Seen> {
  return { usage: await readUsage(execute, entries), accounts: await readAccounts(execute, entries) };
}

/** Slow path after a rejected row: a savepoint around each entry shows which entry caused it. */
async function commitGuarded(execute: Execute, entries: readonly Entry[], heads: Map<string, Head>): Promise<Outcomes> {
  const seen = await readCounted(execute, entries);
  const outcomes: Outcomes = await findMovedKeys(execute, entries);
  for (const entry of entries) {
    if (outcomes.has(entry.position)) continue;
    await execute('', 'SAVEPOINT entry', []);
    const before = new Map(heads);
    const usageBefore = new Map(seen.usage);
    const accountsBefore = new Map(seen.accounts);
    try {
      const writes = new WriteSet();
      await decide(execute, [entry], heads, seen, outcomes, writes);
      await writes.flush(execute);
      await execute('', 'RELEASE SAVEPOINT entry', []);
    } catch (error) {
      if (!isRefusedRow(error)) throw error;
      await execute('', 'ROLLBACK TO SAVEPOINT entry', []);
      putBack(heads, before);
      putBack(seen.usage, usageBefore);
      putBack(seen.accounts, accountsBefore);
      outcomes.set(entry.position, toRefusal(error));
    }
  }
  return outcomes;
}

/**
 * Rejects entries whose keys were replaced. INVARIANT: the rows stay locked until this transaction ends, and a process that starts to replace a root key
 * first locks the whole settings table. So no commit with an outdated key ends after the key was replaced.
 */
async function findMovedKeys(execute: Execute, entries: readonly Entry[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const used = entries.flatMap(({ position, commit }) => {
    const keys = usedKeys(commit);
    return keys === undefined ? [] : [{ position, ...keys }];
  });
  if (used.length === 0) return outcomes;
  const rotations = new Set(used.flatMap((keys) => keys.rotations));
  const begun = new Set<unknown>();
  if (rotations.size > 0) {
    const rows = await execute('begun_rotations', 'SELECT name FROM settings WHERE name = ANY($1::text[])', [[...rotations]]);
    for (const { name } of rows) begun.add(name);
  }
  const ids = [...new Set(used.flatMap(({ generations }) => [...generations.keys()]))].sort();
  const current = new Map<string, number>();
  if (ids.length > 0) {
    const rows = await execute('lock_data_keys', lockDataKeys, [ids.map(toStored)]);
    for (const row of rows) current.set(String(row.organization_id), toInteger(row, 'generation'));
  }
  for (const { position, rotations: names, generations } of used) {
    const isCurrent = [...generations].every(([id, generation]) => (current.get(id) ?? generation) === generation);
    if (!isCurrent || names.some((name) => begun.has(name))) outcomes.set(position, { taken: false, reason: 'KEY_MOVED' });
  }
  return outcomes;
}

const lockDataKeys =
  'SELECT organization_id, generation FROM data_keys WHERE organization_id = ANY($1::text[]) ORDER BY organization_id FOR SHARE';

function putBack<K, V>(map: Map<K, V>, before: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of before) map.set(key, value);
}

function toRefusal(error: unknown): CommitOutcome {
  const { constraint, message } = error as Error & { readonly constraint?: string };
  // Another node inserted the same organization after we read that it was absent. A missing row cannot be locked.
  if (codeOf(error) === '23505' && constraint === 'organizations_pkey') return { taken: false, reason: 'VERSION_MOVED' };
  return { taken: false, reason: 'INVALID', detail: message };
}

async function decide(
  execute: Execute,
  ready: readonly Entry[],
  heads: Map<string, Head>,
  seen: Seen,
  outcomes: Outcomes,
  writes: WriteSet,
): Promise<void> {
  const current = ready.filter(({ position, commit }) => {
    const inserted = insertedOrganizations(commit);
    const fresh = inserted.every((id) => !heads.has(id));
    const isCurrent = inserted.includes(commit.organizationId) || sameHead(heads.get(commit.organizationId), commit.expected);
    const { alsoExpect } = commit;
    const othersCurrent = alsoExpect === undefined || sameHead(heads.get(alsoExpect.organizationId), alsoExpect);
    const decided = fresh && isCurrent && othersCurrent;
    if (!decided) outcomes.set(position, { taken: false, reason: 'VERSION_MOVED' });
    if (!decided) return false;
    const { usage, accounts } = commit;
    const moved =
      usage !== undefined && !isUsageCurrent(usage, seen.usage)
        ? 'USAGE_MOVED'
        : accounts !== undefined && !areAccountsCurrent(accounts, seen.accounts)
          ? 'NONCE_MOVED'
          : undefined;
    if (moved !== undefined) outcomes.set(position, { taken: false, reason: moved });
    return moved === undefined;
  });
  await putActivities(execute, current, outcomes);
  for (const { position, commit } of current) {
    if (outcomes.get(position)?.taken !== true) continue;
    writes.add(commit);
    if (commit.usage !== undefined) serializeUsage(commit.usage, seen.usage);
    if (commit.head !== undefined) heads.set(commit.organizationId, commit.head);
    for (const write of commit.writes) {
      if (write.table === 'organizations') heads.set(write.row.organizationId, write.row);
      if (write.table === 'send_accounts') seen.accounts.set(accountName(write.row), write.row);
    }
  }
}

async function lock(
  execute: Execute,
  locks: Pick<NamedLocks, 'has'>,
  entries: readonly Entry[],
  fence: SettingRow | undefined,
): Promise<Map<string, Head>> {
  const waits = new Set(entries.flatMap(({ commit }) => (commit.head === undefined ? [] : [commit.organizationId])));
  const exclusive = new Map<string, boolean>();
  for (const { commit } of entries) {
    const { organizationId, head, alsoExpect } = commit;
    if (alsoExpect !== undefined) exclusive.set(alsoExpect.organizationId, exclusive.get(alsoExpect.organizationId) === true);
    exclusive.set(organizationId, head !== undefined || exclusive.get(organizationId) === true);
    for (const id of insertedOrganizations(commit)) exclusive.set(id, true);
    // INVARIANT: no other transaction adds points of these organizations until this one ends: signing statements lock them too.
    for (const claim of commit.usage ?? []) exclusive.set(claim.organizationId, true);
    // INVARIANT: nor does another transaction add an account of this organization.
    if (commit.accounts !== undefined) exclusive.set(organizationId, true);
  }
  const wanted = [...exclusive].sort(([a], [b]) => (a < b ? -1 : 1));
  const { name, sql } = fence === undefined ? locking.free : locking.fenced;
  const rows = await execute(name, sql, [
    wanted.map(([id]) => toStored(id)),
    wanted.map(([, isExclusive]) => String(isExclusive)),
    wanted.map(([id]) => String(waits.has(id) && !locks.has(id))),
    ...(fence === undefined ? [] : [toStored(fence.name), toStored(fence.body)]),
  ]);
  if (rows.some((row) => row.in_epoch !== 1)) throw new StoreFenced(`${fence?.name} is another`);
  return new Map(
    rows.flatMap((row) =>
      row.version === null || row.is_free !== 1
        ? []
        : [[String(row.id), { version: toCoveredInteger(row, 'version'), mac: toBytes(row, 'mac') }]],
    ),
  );
}
