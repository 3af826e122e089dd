import type { Explanation, PolicyOutcome } from '@countersign/policy';
import type { StoredUsage } from './controls/usage.ts';
import type { StoredSubject } from './stored-subject.ts';

/** One user's vote on an activity: what was stamped and how, so anyone can check it. */
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
  /** What decided. Absent while more approvals are needed. */
  readonly by?: string;
  readonly policyIds: readonly string[];
  /** Who could still move the activity forward. */
  readonly mayApprove?: readonly string[];
  /** The policies that were evaluated. */
  readonly evaluations: readonly { readonly policyId: string; readonly outcome: PolicyOutcome }[];
  /** Down to every sub-expression. Absent if the activity was allowed without evaluating a policy. */
  readonly explanation?: Explanation;
  /** What the controls that policies name had counted. Absent where none was asked. */
  readonly usage?: readonly StoredUsage[];
  /** What only the executor knew of the request, where the decision may rest on that. Absent on signatures, whose body tells all. */
  readonly subject?: StoredSubject;
}
