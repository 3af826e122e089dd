import type { ActivityDefinition } from '@countersign/contract';
import {
  authorizeByPolicy,
  type DecisionRecord,
  decideByCredential,
  denyEarly,
  type Judgement,
  outcomeText,
  type PolicySubject,
  sameDecision,
  showDecision,
  subjectFrom,
  type UsageByBucket,
  type VoteRecord,
} from '@countersign/judgement';
import { AuditError, must } from '../audit-error.ts';
import type { State } from '../state/state.ts';
import { readDecision } from './decision.ts';

/** A decision to make again. */
export interface Case {
  readonly state: State;
  readonly definition: ActivityDefinition;
  readonly type: string;
  /** Undefined where the body was withheld. */
  readonly params: unknown;
  readonly votes: readonly VoteRecord[];
  readonly atMs: number;
  /** The subject of a signature. Undefined for other activities. */
  readonly subject: PolicySubject | undefined;
  /** What controls had counted, as the decision says. `UsageHistory` checks that against the other activities of the file. */
  readonly usage: UsageByBucket | undefined;
}

/** How a decision was made again: from the body alone, with what the service stored, or not at all. */
export type Rejudged = 'FROM_THE_BODY' | 'WITH_NOTES' | 'BODY_WITHHELD';

/**
 * Decides again and compares. Throws AuditError where the kept decision is not what follows.
 * INVARIANT: a full root quorum decides without reading the request. So such a decision is never left out.
 */
export function rejudge(kept: DecisionRecord, about: Case): Rejudged {
  if (wasDeniedEarly(kept, about)) return 'FROM_THE_BODY';
  const { subject: stored } = kept;
  const judgement = judgementFor(kept, about);
  const again = showDecision(decideByCredential(judgement) ?? authorizeByPolicy.decide(judgement), judgement);
  const isFree = again.outcome === 'ALLOW' && again.by === 'ROOT_QUORUM';
  // Without the body, policies would see no parameters, and their result would be meaningless.
  if (about.params === undefined && !isFree) return 'BODY_WITHHELD';
  must(
    sameDecision(judgement, kept, again),
    () => `the stored decision is ${describeDecision(kept)}, the repeated decision is ${describeDecision(again)}`,
  );
  return about.subject !== undefined || isFree || stored === undefined ? 'FROM_THE_BODY' : 'WITH_NOTES';
}

/** What was judged. */
export function judgementFor({ subject: stored, rules }: Pick<DecisionRecord, 'subject' | 'rules'>, about: Case): Judgement {
  const subject =
    about.subject ??
    subjectFrom(stored ?? {}, about.state, (what) => new AuditError(`the decision depends on ${what}, which did not exist`));
  return judgementOf(about, subject, rules);
}

/** Whether a decision is an early denial: nothing could allow the activity to its submitter with any parameters. */
export function wasDeniedEarly(kept: unknown, { state, definition, type, votes }: Case): boolean {
  const decision = readDecision(kept);
  const { rules } = decision;
  const organization = state.organization();
  const early = votes.length === 1 ? denyEarly({ organization, votes, definition, type, rules }) : undefined;
  return early !== undefined && outcomeText(showDecision(early, decision)) === outcomeText(decision);
}

/** Who could still move the activity forward, judged on these votes. */
export function mayApprove(
  about: Case,
  { subject: stored, rules }: Pick<DecisionRecord, 'subject' | 'rules'> = {},
): readonly string[] {
  const subject = about.subject ?? subjectFrom(stored ?? {}, about.state, (what) => new AuditError(`${what} did not exist`));
  const decision = authorizeByPolicy.decide(judgementOf(about, subject, rules));
  return decision.outcome === 'NEEDS_CONSENSUS' ? decision.mayApprove : [];
}

function judgementOf(
  { state, definition, type, params, votes, atMs, usage }: Case,
  subject: PolicySubject,
  rules: number | undefined,
): Judgement {
  const organization = state.organization();
  const base = { rules, organization, target: organization, votes, definition, type, params: params ?? {}, subject, nowMs: atMs };
  return usage === undefined ? base : { ...base, usage };
}

type Shown = Pick<DecisionRecord, 'outcome' | 'by' | 'policyIds' | 'evaluations' | 'evaluatedCount'>;

function describeDecision({ outcome, by, policyIds, evaluations, evaluatedCount = evaluations.length }: Shown): string {
  const policies = policyIds.length === 0 ? '' : ` (${policyIds.join(', ')})`;
  return `${outcome}${by === undefined ? '' : ` by ${by}`}${policies} after ${evaluatedCount} policies`;
}
