import { ServiceError } from '@countersign/contract';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { Commit, CommitOutcome } from '../../store/store.ts';
import { StoreUnavailable } from '../../store/store-errors.ts';
import { withUsage } from '../authorize/decision-record.ts';
import type { Execution } from '../context.ts';
import type { PipelineServices } from '../services.ts';
import { charactersOf } from './committer.ts';
import { pauseBefore } from './retry.ts';

/** Builds the commit of a record, with its claims on spending limits. */
export type ToCommit = (record: ActivityRecord, usage?: Commit['usage']) => Commit;

export interface CountedCommit {
  readonly outcome: CommitOutcome;
  /** The record to store, with the counters of spending limits. */
  readonly committed: ActivityRecord;
  /** Size of the commit, for the storage quota. */
  readonly characters: number;
}

type CountingServices = Pick<PipelineServices, 'usage' | 'commits'>;
type Usage = NonNullable<Execution['usage']>;

/** Maximum commits of the same signed activity after concurrent changes of counters, before it is authorized again. */
const MAX_CLAIMS = 20;

/** Commits, and adds to the counters of spending limits if any apply. */
export async function commitCounted(
  services: CountingServices,
  { record, usage }: Execution,
  toCommit: ToCommit,
): Promise<CountedCommit> {
  if (usage !== undefined) return commitUsage(services, record, usage, toCommit);
  const commit = toCommit(record);
  try {
    return { outcome: await services.commits.committer.commit(commit), committed: record, characters: charactersOf(commit) };
  } catch (error) {
    throw unconfirmed(error);
  }
}

/**
 * After a concurrent change of a counter, commits the same signed activity again with the new sums, as long as every limit has the value
 * that the decision read. Nodes that conflict take a lease.
 */
async function commitUsage(
  services: CountingServices,
  record: ActivityRecord,
  usage: Usage,
  toCommit: ToCommit,
): Promise<CountedCommit> {
  const { service, leases } = services.usage;
  const { reading } = usage;
  const owner = reading.usedBuckets[0]?.key.organizationId ?? record.organizationId;
  const once = () => commitClaim(services, record, usage, toCommit);
  for (let attempt = 0; attempt < MAX_CLAIMS; attempt++) {
    const leased = (lease: object) => service.refresh(reading, lease).then(once);
    const result = await (leases.isContended(owner) ? leases.take(owner, leased) : once());
    if (result === undefined) break;
    if (result.outcome.taken || result.outcome.reason !== 'USAGE_MOVED') return result;
    leases.lost(owner);
    await pauseBefore(attempt);
    await service.renew(reading);
  }
  return { outcome: { taken: false, reason: 'USAGE_MOVED' }, committed: record, characters: 0 };
}

/**
 * Returns undefined if a limit has another value now, so that the activity has to be authorized again.
 * INVARIANT: nothing is awaited from the claim to the committer, so claims reach the store in the order in which they were made.
 */
async function commitClaim(
  { usage: { service }, commits: { committer } }: CountingServices,
  record: ActivityRecord,
  { reading, counts }: Usage,
  toCommit: ToCommit,
): Promise<CountedCommit | undefined> {
  const claim = service.claim(reading, { organizationId: record.organizationId, activityId: record.id, counts });
  if (claim === undefined) return undefined;
  const committed = withUsage(record, claim.storedUsage);
  try {
    const commit = toCommit(committed, claim.claims);
    const outcome = await committer.commit(commit);
    if (outcome.taken) claim.committed();
    else claim.lost(outcome.reason === 'USAGE_MOVED');
    return { outcome, committed, characters: charactersOf(commit) };
  } catch (error) {
    claim.lost(true);
    throw unconfirmed(error);
  }
}

/** The error of a commit that the database did not confirm. */
function unconfirmed(error: unknown): unknown {
  if (!(error instanceof StoreUnavailable)) return error;
  return new ServiceError(
    'UNAVAILABLE',
    'The database did not confirm the write. Send the same request again: it is executed at most once.',
    { cause: error },
  );
}
