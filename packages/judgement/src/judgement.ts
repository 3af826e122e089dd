import type { ActivityDefinition } from '@countersign/contract';
import type { Decision, Explanation } from '@countersign/policy';
import type { UsageByBucket } from './controls/usage.ts';
import type { JudgedOrganization } from './organization.ts';
import type { PolicySubject } from './subject.ts';
import type { VoteRecord } from './votes.ts';

/** What is to be judged: an activity, the votes on it so far, and what it is about. */
export interface Judgement {
  /** The organization whose users and policies judge it. */
  readonly organization: JudgedOrganization;
  /** The organization that it happens in: the same, or its sub-organization. */
  readonly target: JudgedOrganization;
  /** All votes, the submitter's first. Which of them count is part of the judgement. */
  readonly votes: readonly VoteRecord[];
  readonly definition: ActivityDefinition;
  /** The submitted type, with its version. */
  readonly type: string;
  /** The parameters in their current form. */
  readonly params: unknown;
  readonly subject: PolicySubject;
  readonly nowMs: number;
  /**
   * What the controls that policies name have counted before this request. Absent where no policy names one. A control whose usage is
   * not here has no value.
   */
  readonly usage?: UsageByBucket;
  /** To tell what is missing besides: approvals count as though their users had shown all that their MFA policies demand. */
  readonly mfaAssumed?: true;
}

/** What tells whose approvals count. */
export type Approvable = Omit<Judgement, 'target' | 'subject' | 'usage'>;

/** Pure: the same judgement gives the same decision. */
export interface Authorize {
  decide(judgement: Judgement): Decision;
  /**
   * The same decision with every sub-expression's value, and what would have changed it. `among` names the policies to explain where
   * that is known, so that the rest costs nothing; all of them by default.
   */
  explain(judgement: Judgement, among?: readonly string[]): Explanation;
}
