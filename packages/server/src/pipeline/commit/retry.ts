import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@countersign/contract';
import type { Snapshots } from '../../organizations/snapshot/snapshots.ts';
import type { Submitted } from '../request.ts';
import { Answer, Retry, type RetryReason } from '../stages.ts';
import type { OrganizationLock } from './organization-lock.ts';

/** Attempts of one request before it fails with CONFLICT. */
export const MAX_ATTEMPTS = 40;
/** From this attempt on, a request takes the organization lock like one that changes the organization, so that it cannot starve. */
const LOCKED_ATTEMPTS = 3;
const MAX_PAUSE_MS = 50;

interface RetryRule {
  readonly next: 'RETRY' | 'RETRY_LOCKED' | 'ANSWER_STORED';
  /** Whether the cached snapshot of the organization is outdated. */
  readonly reload: boolean;
}

const retryTable: Readonly<Record<RetryReason, RetryRule>> = {
  VERSION_MOVED: { next: 'RETRY', reload: true },
  CHANGE_CONFLICT: { next: 'RETRY_LOCKED', reload: true },
  REVISION_MOVED: { next: 'RETRY', reload: true },
  KEY_MOVED: { next: 'RETRY', reload: false },
  USAGE_MOVED: { next: 'RETRY', reload: false },
  NONCE_MOVED: { next: 'RETRY_LOCKED', reload: false },
  NOT_CHECKED: { next: 'RETRY', reload: false },
  FINGERPRINT_EXISTS: { next: 'ANSWER_STORED', reload: false },
};

interface Attempts {
  readonly organizationId: string;
  /** Whether the first attempt already takes the organization lock. */
  readonly isLocked: boolean;
  /** One attempt. It calls `locked` once, for the part that runs under the organization lock if one is taken. */
  attempt(locked: <T>(task: () => Promise<T>) => Promise<T>): Promise<Submitted | Answer | Retry>;
  /** The response if the activity is already stored. */
  answerStored(): Promise<Submitted>;
  /** The first sentence of the CONFLICT error. */
  readonly conflict: string;
}

interface RetryServices {
  readonly organizations: { readonly snapshots: Pick<Snapshots, 'expire'> };
  readonly commits: { readonly lock: OrganizationLock };
}

/** Repeats an attempt according to the retry table. Every attempt is authorized again, against the stored version. */
export async function retryAttempts(
  { organizations: { snapshots }, commits: { lock } }: RetryServices,
  { organizationId, isLocked, attempt, answerStored, conflict }: Attempts,
): Promise<Submitted> {
  let takesLock = isLocked;
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    await pauseBefore(count);
    const withLock = takesLock || count >= LOCKED_ATTEMPTS;
    const outcome = await attempt((task) => (withLock ? lock.run(organizationId, task, count > 0) : task()));
    if (outcome instanceof Answer) return outcome.submitted;
    if (!(outcome instanceof Retry)) return outcome;
    const { next, reload } = retryTable[outcome.reason];
    // INVARIANT: a stored activity may turn the request into a vote, which takes the lock itself. So the lock is released by now.
    if (next === 'ANSWER_STORED') return answerStored();
    takesLock ||= next === 'RETRY_LOCKED';
    if (reload) snapshots.expire(organizationId);
  }
  throw new ServiceError('CONFLICT', `${conflict} Nothing was executed; send the same request again.`);
}

/**
 * Pauses for a random time after several lost attempts. The lock of a process does not bind other nodes: random pauses resolve conflicts
 * between nodes that keep changing one organization at the same time.
 */
export async function pauseBefore(attempt: number): Promise<void> {
  if (attempt >= LOCKED_ATTEMPTS) await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** attempt));
}
