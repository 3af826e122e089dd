import type { Explanation, PolicyOutcome } from '@countersign/policy';
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

/** One decision on an activity, made when a vote was cast. */
export interface DecisionRecord {
  readonly voteId: string;
  readonly createdAtMs: number;
  readonly outcome: 'ALLOW' | 'DENY' | 'NEEDS_CONSENSUS';
  /** What determined the outcome. Absent while more approvals are needed. */
  readonly by?: string;
  readonly policyIds: readonly string[];
  /** The users whose approval could still help. */
  readonly mayApprove?: readonly string[];
  /** The policies that were evaluated. */
  readonly evaluations: readonly { readonly policyId: string; readonly outcome: PolicyOutcome }[];
  /** Includes every sub-expression. Absent if the activity was allowed without evaluating a policy. */
  readonly explanation?: Explanation;
  /** What the controls that policies name had counted. Absent if no control was evaluated. */
  readonly usage?: readonly StoredUsage[];
  /** The part of the subject that only the executor knew, if the decision may depend on it. Absent for signatures. */
  readonly subject?: StoredSubject;
}
