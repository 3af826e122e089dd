import type { Steps } from '@countersign/collections';
import type { ActivityDefinition } from '@countersign/contract';
import type { Decision, Explanation, PolicyReads } from '@countersign/policy';
import type { UsageByBucket } from './controls/usage.ts';
import type { JudgedOrganization } from './organization.ts';
import type { PolicySubject } from './subject.ts';
import type { VoteRecord } from './votes.ts';

/** The input of a decision: an activity, the votes on it so far, and its subject. */
export interface Judgement {
  /** The organization whose users and policies authorize the activity. */
  readonly organization: JudgedOrganization;
  /** The organization that the activity changes: the same, or its sub-organization. */
  readonly target: JudgedOrganization;
  /** All votes, the submitter's first. The decision determines which of them count. */
  readonly votes: readonly VoteRecord[];
  readonly definition: ActivityDefinition;
  /** The submitted type, with its version. */
  readonly type: string;
  /** The parameters in their current form. */
  readonly params: unknown;
  readonly subject: PolicySubject;
  readonly nowMs: number;
  /**
   * What the controls that policies name have counted before this request. Absent if no policy names one. A control without usage here has
   * no value.
   */
  readonly usage?: UsageByBucket;
  /** The version of the rules, as stored with the decision. Absent for the first version. */
  readonly rules?: number | undefined;
  /** Approvals count as if their users met all of their MFA policies. Used to find what else is missing. */
  readonly mfaAssumed?: true;
}

/** The part of a judgement that determines which approvals count. */
export type Approvable = Omit<Judgement, 'target' | 'subject' | 'usage'>;

/** Pure: the same judgement always leads to the same decision. */
export interface Authorize {
  decide(judgement: Judgement): Decision;
  /** The same in steps, because the policies of a decision can take longer than one turn of an event loop may. */
  decideInSteps(judgement: Judgement): Steps<Decision>;
  /**
   * The same decision with the value of every sub-expression, and what would have changed it. `among` limits the explanation to these
   * policies, so that the others cost nothing. By default it covers all.
   */
  explain(judgement: Judgement, among?: readonly string[]): Explanation;
  explainInSteps(judgement: Judgement, among?: readonly string[]): Steps<Explanation>;
  /** The values that the policies read that determined a decision. Empty if no policy determined it. */
  reads(judgement: Judgement, decision: Decision): readonly PolicyReads[];
}
