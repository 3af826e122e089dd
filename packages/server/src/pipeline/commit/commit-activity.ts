import { type ActivityStatus, ServiceError } from '@countersign/contract';
import { toLoggedActivity } from '../../log/entry.ts';
import type { ActivityRecord } from '../../organizations/activity-record.ts';
import { requireTransition } from '../../organizations/activity-status.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { Commit, CommitOutcome } from '../../store/store.ts';
import { StoreUnavailable } from '../../store/store-faults.ts';
import type { Filling } from '../../wire/filling.ts';
import { withUsage } from '../authorize/decision-record.ts';
import { charge } from '../execute/daily-quotas.ts';
import type { Settled } from '../execute/execute.ts';
import type { PipelineServices } from '../services.ts';
import { charactersOf } from './committer.ts';
import { storingBy } from './quota-owner.ts';
import { pauseBefore } from './retry.ts';

/** What became of a commit. */
export type Committed =
  /** With the record as it is stored: it tells the numbers of limits as they were committed. */
  | { readonly kind: 'TAKEN'; readonly record: ActivityRecord }
  /** USAGE_MOVED: a limit that the decision asked for has another value now, so it has to be made again. */
  | { readonly kind: 'VERSION_MOVED' | 'FINGERPRINT_EXISTS' | 'REVISION_MOVED' | 'USAGE_MOVED' };

const none: readonly never[] = [];

/** How often the same signed activity may be committed again because others counted meanwhile. Then it is judged again. */
const MAX_CLAIMS = 20;

/**
 * Makes an activity durable on the organization version, and on the usage, that it was judged on.
 * `before` is the stored activity that a vote moves on; undefined for a new one.
 * INVARIANT: only after TAKEN may anything of `settled` be shown; then this process also knows the organization as it is now.
 */
export async function commitActivity(
  services: PipelineServices,
  { target, home }: { readonly target: Snapshot; readonly home: Snapshot },
  settled: Settled,
  before: { readonly status: ActivityStatus; readonly revision: number } | undefined,
): Promise<Committed> {
  const { carriedOut, store, vault, snapshots, announce, onActivity, onOutbox, onEvents, onGuessing } = services;
  const { record, sealed, forget, charges = none, alarms = none } = settled;
  const { writes, head, next } = sealed;
  requireTransition(before?.status ?? 'ACTIVITY_STATUS_CREATED', record.status);
  const revision = before === undefined ? 0 : before.revision + 1;
  const announcing = announce(next ?? target, record, revision);
  const events = announcing instanceof Promise ? await announcing : announcing;
  let characters = 0;
  const entryOf: EntryOf = (kept, usage) => {
    const { activity, logEntry } = toLoggedActivity(vault.integrity, kept, revision);
    const written = events.length === 0 ? writes : [...writes, ...events];
    const entry: Filling<Commit> = { organizationId: target.id, expected: target.head, activity, logEntry, writes: written };
    characters = charactersOf(entry);
    if (head !== undefined) entry.head = head;
    if (home !== target) entry.alsoExpect = { organizationId: home.id, ...home.head };
    if (usage !== undefined) entry.usage = usage;
    return entry;
  };
  const giveBack = charges.length === 0 ? undefined : await charge(store.counters, charges, record.updatedAtMs);
  const { outcome, kept } = await commitCounted(services, settled, entryOf);
  if (!outcome.taken) {
    await giveBack?.();
    if (outcome.reason === 'INVALID') throw new Error(`the store refused the commit of ${record.type}: ${outcome.detail}`);
    return { kind: outcome.reason };
  }
  const { type, votes } = record;
  services.storedBytes.add(storingBy(services, { target, home }, { type, publicKey: votes[0]?.publicKey }), characters);
  if (before === undefined) carriedOut.add(target.id, record.fingerprint, record.updatedAtMs);
  if (next !== undefined) snapshots.replace(next);
  for (const id of forget) vault.forget(target.id, id);
  if (writes.some(({ table }) => table === 'outbox')) onOutbox();
  if (events.length > 0) onEvents();
  for (const alarm of alarms) onGuessing(target.id, alarm);
  onActivity(kept);
  return { kind: 'TAKEN', record: kept };
}

/** What to commit for a record, and what limits count with it. */
type EntryOf = (kept: ActivityRecord, usage?: Commit['usage']) => Commit;

/** What became of a commit that limits may count, with the record as it was to be stored. */
interface CountedCommit {
  readonly outcome: CommitOutcome;
  readonly kept: ActivityRecord;
}

/** Commits, with what limits count where there are any. */
function commitCounted(services: PipelineServices, settled: Settled, entryOf: EntryOf): Promise<CountedCommit> {
  const { record, usage } = settled;
  if (usage !== undefined) return commitUsage(services, settled, usage, entryOf);
  return services.committer.commit(entryOf(record)).then((outcome) => ({ outcome, kept: record }), unconfirmed);
}

/**
 * Where another node, or a commit before this one, has moved a bucket, the same signed activity is committed again on the sums of now, as
 * long as every limit has the value that the decision rests on. Nodes that get in each other's way take turns.
 */
async function commitUsage(
  services: PipelineServices,
  { record }: Settled,
  usage: NonNullable<Settled['usage']>,
  entryOf: EntryOf,
): Promise<CountedCommit> {
  const { usageBook, countingTurns: turns } = services;
  const { reading } = usage;
  const owner = reading.touched[0]?.key.organizationId ?? record.organizationId;
  const once = () => commitOnce(services, record, usage, entryOf);
  for (let attempt = 0; attempt < MAX_CLAIMS; attempt++) {
    const inTurn = (turn: object) => usageBook.refresh(reading, turn).then(once);
    const done = await (turns.isContended(owner) ? turns.take(owner, inTurn) : once());
    if (done === undefined) break;
    if (done.outcome.taken || done.outcome.reason !== 'USAGE_MOVED') return done;
    turns.lost(owner);
    await pauseBefore(attempt);
    await usageBook.renew(reading);
  }
  return { outcome: usageMoved, kept: record };
}

/**
 * Undefined where a limit has another value now, so that the activity has to be judged again.
 * INVARIANT: from the claim to the committer nothing is awaited, so claims reach the store in the order in which they were made.
 */
function commitOnce(
  { usageBook, committer }: PipelineServices,
  record: ActivityRecord,
  { reading, counts }: NonNullable<Settled['usage']>,
  entryOf: EntryOf,
): Promise<CountedCommit> | undefined {
  const claim = usageBook.claim(reading, { organizationId: record.organizationId, activityId: record.id, counts });
  if (claim === undefined) return undefined;
  const kept = withUsage(record, claim.noted);
  const lost = (error: unknown) => {
    claim.lost(true);
    return unconfirmed(error);
  };
  try {
    return committer.commit(entryOf(kept, claim.claims)).then((outcome) => {
      if (outcome.taken) claim.taken();
      else claim.lost(outcome.reason === 'USAGE_MOVED');
      return { outcome, kept };
    }, lost);
  } catch (error) {
    return lost(error);
  }
}

const usageMoved: CommitOutcome = Object.freeze({ taken: false, reason: 'USAGE_MOVED' });

/** Throws what a failed commit means for the caller. */
function unconfirmed(error: unknown): never {
  if (!(error instanceof StoreUnavailable)) throw error;
  throw new ServiceError(
    'UNAVAILABLE',
    'The database did not confirm the write. Send the very same request again: it is carried out once at the most.',
    { cause: error },
  );
}
