import type { Explanation, PolicyOutcome, PolicyReads } from '@countersign/policy';
import type { StoredUsage } from './controls/usage.ts';
import type { StoredSubject } from './stored-subject.ts';

/** One user's vote on an activity, with the stamped message and signature, so that anyone can verify it. */
export interface VoteRecord {
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  /** The credential that stamped the vote. An approval counts only while the credential exists. */
  readonly credentialId: string;
  readonly selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED';
  /** The request body exactly as it was stamped. */
  readonly message: string;
  readonly publicKey: string;
  readonly signature: string;
  readonly scheme: string;
  readonly createdAtMs: number;
}

/**
 * One decision on an activity, made when a vote was cast.
 * INVARIANT: leaves contain the digest of its JSON, so the order of members never changes.
 */
export interface DecisionRecord {
  /** Absent for decisions of releases that stored the whole explanation. */
  readonly version?: 2;
  /** The version of the rules. */
  readonly rules?: number;
  /** The version of the organization that made the decision. */
  readonly head?: number;
  readonly voteId: string;
  readonly createdAtMs: number;
  readonly outcome: 'ALLOW' | 'DENY' | 'NEEDS_CONSENSUS';
  /** What determined the outcome. Absent while more approvals are needed. */
  readonly by?: string;
  readonly policyIds: readonly string[];
  /** The number of policies that determined it, if `policyIds` does not list all. */
  readonly policyCount?: number;
  /** The users whose approval could still help. */
  readonly mayApprove?: readonly string[];
  /** The policies that were evaluated. `revision` is the version of the organization that wrote the policy, 0 if it is unknown. */
  readonly evaluations: readonly { readonly policyId: string; readonly revision?: number; readonly outcome: PolicyOutcome }[];
  /** The number of evaluated policies, if `evaluations` does not list all. */
  readonly evaluatedCount?: number;
  /** The values that the deciding policies read, up to a limit. Absent if no policy decided. */
  readonly values?: readonly PolicyReads[];
  /** Only in decisions without a version. */
  readonly explanation?: Explanation;
  /** What the controls that policies name had counted. Absent if no control was evaluated. */
  readonly usage?: readonly StoredUsage[];
  /** The part of the subject that only the executor knew, if the decision may depend on it. Absent for signatures. */
  readonly subject?: StoredSubject;
}
